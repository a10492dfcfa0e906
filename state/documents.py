"""What is retrieved: one chunk of a source."""

from typing import Any

from typing_extensions import TypedDict


class Document(TypedDict):
    """One chunk of a source, as it was ingested (document 001, section 1.1).

    Attributes:
        id: The chunk's identifier; never changes while its text does not.
        content: The text, verbatim.
        metadata: JSON values; an index sets at least ``id`` and ``source``.
    """

    id: str
    content: str
    metadata: dict[str, Any]
