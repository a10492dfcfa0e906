"""What holds for every test: no key, no ``.env`` and no index of the person who runs it."""

import os
from pathlib import Path

import hypothesis
import pytest

from backends.settings import Settings
from scripts.tables import variables

pytest_plugins = ["tests.openai_server"]

_PREFIXES = ("CRAG_", "LANGCHAIN_", "LANGGRAPH_", "LANGSMITH_", "OPENAI_")
_SETTINGS = {name for field in Settings.model_fields for name in variables(field)}

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def is_personal(variable: str) -> bool:
    """Say whether a variable could turn a test into a call to somebody's account or proxy."""
    name = variable.upper()
    return name in _SETTINGS or name.startswith(_PREFIXES) or name.endswith("_PROXY")


@pytest.fixture(autouse=True)
def _isolated(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Run each test in an empty folder of its own, without personal variables."""
    if request.node.get_closest_marker("live"):
        return
    for variable in filter(is_personal, list(os.environ)):
        monkeypatch.delenv(variable)
    monkeypatch.chdir(tmp_path)
