"""The ways to search the settings' index, by name."""

from typing import TYPE_CHECKING, get_args

from backends.settings import IndexName, Settings
from state.errors import ConfigError

if TYPE_CHECKING:
    from backends.chroma import ChromaIndex


def check_index_name(name: str) -> None:
    """Say which names there are when it is none of them.

    Raises:
        ConfigError: There is no such way to search.
    """
    if name not in get_args(IndexName):
        raise ConfigError(f"There is no index {name!r}. Indexes: {', '.join(get_args(IndexName))}.")


def open_index(name: str, settings: Settings) -> "ChromaIndex":
    """Return the settings' index; the clients are imported here, not before."""
    if name == "keyword":
        from backends.keyword import KeywordIndex

        return KeywordIndex.from_settings(settings)
    from backends.chroma import ChromaIndex

    return ChromaIndex.from_settings(settings)
