"""Say at once when a run cannot find anything: there are no documents."""

from typing import Any

from state.errors import ConfigError

NO_DOCUMENTS = "No documents yet. Ingest some: crag ingest PATH"


def need_documents(backends: Any) -> None:
    """Refuse to ask an empty index.

    Raises:
        ConfigError: The index has no document.
    """
    count = getattr(backends.index, "count", None)
    if callable(count) and count() == 0:
        raise ConfigError(NO_DOCUMENTS)
