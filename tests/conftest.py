"""What holds for every test: no key, no ``.env`` and no index of the person who runs it."""

import os
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ["tests.openai_server"]

_PERSONAL = ("CRAG_", "JINA_", "LANGCHAIN_", "LANGGRAPH_", "LANGSMITH_", "OPENAI_", "TAVILY_")

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "default")


def is_personal(variable: str) -> bool:
    """Say whether a variable could turn a test into a call to somebody's account or proxy."""
    return variable.upper().startswith(_PERSONAL) or variable.lower().endswith("_proxy")


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
