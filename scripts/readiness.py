"""Say at once when a run cannot find anything: there are no documents."""

from collections.abc import Mapping
from typing import Any

from state.errors import ConfigError

NO_DOCUMENTS = "No documents yet. Ingest some: crag ingest PATH"


_INDEX = "curated"


def need_documents(backends: Any, parameters: Mapping[str, Any]) -> None:
    """Refuse to ask an empty index, unless the run may search other sources beside it.

    Raises:
        ConfigError: The index has no document.
    """
    if set(parameters.get("allowed_sources", ())) - {_INDEX}:
        return
    count = getattr(backends.index, "count", None)
    if callable(count) and count() == 0:
        raise ConfigError(NO_DOCUMENTS)
