"""What every document index can do, and what it is given to keep (document 001, section 5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from typing_extensions import TypedDict

from state.documents import Document

RESERVED = frozenset({"id", "source", "score"})
"""Metadata that the index itself sets on what it returns."""


class Chunk(TypedDict):
    """A piece of a source, on its way into an index.

    Attributes:
        content: The text that is embedded, stored and returned, verbatim.
        metadata: Any JSON values; ``id``, ``source`` and ``score`` are the index's own.
    """

    content: str
    metadata: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Source:
    """All chunks of one source, in order.

    Attributes:
        name: Where the text comes from, a path or a URL; what ``metadata["source"]`` says.
        fingerprint: Changes when the source's bytes, or the way they are cut, change.
        chunks: In the order of the text.
    """

    name: str
    fingerprint: str
    chunks: Sequence[Chunk] = field(default=())


@dataclass(frozen=True, slots=True)
class Stored:
    """What storing one source changed, in chunks.

    Attributes:
        kept: Unchanged text, which keeps its id.
        added: New text, with new ids.
        removed: Text that the source has no more.
    """

    kept: int
    added: int
    removed: int


class DocumentIndex(Protocol):
    """An index of chunks: searched by the graphs, filled by ingestion.

    Ids are UUIDv4, given when a text is first stored and kept as long as its source has that
    text. Content comes back as it went in, byte for byte, with all of its metadata and ``id``,
    ``source`` and ``score``. The same index gives the same query the same documents in the
    same order.
    """

    def search(self, query: str, k: int) -> list[Document]:
        """Return at most ``k`` chunks, nearest first; equally near ones by id.

        ``metadata["score"]`` is the cosine similarity in [-1, 1], to six decimals.
        """
        ...

    def count(self) -> int:
        """Return how many chunks can be found."""
        ...

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every source that is stored in full, by name."""
        ...

    def store(
        self, sources: Sequence[Source], stored: Callable[[int], None] = lambda chunks: None
    ) -> list[Stored]:
        """Replace the chunks of these sources; a search sees all of a source's change or none.

        Args:
            sources: Each name once.
            stored: Called with the number of chunks that are done, as they are.

        Returns:
            What changed, in the order of ``sources``.
        """
        ...

    def remove(self, names: Sequence[str]) -> int:
        """Remove sources; return how many chunks they had."""
        ...

    def close(self) -> None:
        """Release files and locks; closing twice is harmless."""
        ...
