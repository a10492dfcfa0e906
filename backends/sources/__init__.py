"""What the study graph searches beside the index and the web: one source a module."""

from collections.abc import Mapping
from typing import Any

from backends.settings import Settings
from backends.sources.memory import Memory
from backends.sources.plan import search_source_plan
from state.errors import ConfigError
from state.study import ALL_SOURCES


def default_source(name: str, settings: Settings) -> Any:
    """Return the source of a name that the caller gave none for.

    Raises:
        ConfigError: There is no such source.
    """
    check_sources({name: None})
    if name == "arxiv":
        from backends.sources.arxiv import ArxivSource

        return ArxivSource.from_settings(settings)
    from backends.sources.wikipedia import WikipediaSource

    return WikipediaSource.from_settings(settings)


def check_sources(sources: Mapping[str, Any]) -> None:
    """Say at once when a source has a name that no graph asks for.

    Raises:
        ConfigError: There is no source of that name.
    """
    for name in sources:
        if name not in ALL_SOURCES:
            raise ConfigError(f"There is no source {name!r}. Sources: {', '.join(ALL_SOURCES)}.")


__all__ = ["Memory", "check_sources", "default_source", "search_source_plan"]
