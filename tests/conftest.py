"""Fixtures for all tests."""

import os

import pytest

pytest_plugins = ["tests.openai_server"]

_OURS = ("CRAG_", "OPENAI_", "TAVILY_", "LANGSMITH_", "LANGCHAIN_")


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the developer's keys and settings, so that no test depends on them."""
    for name in list(os.environ):
        if name.upper().startswith(_OURS):
            monkeypatch.delenv(name)
