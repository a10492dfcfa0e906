"""``ChromaIndex``: the index as the graphs and ingestion see it."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from backends.chroma.folder import exists, guarded
from backends.chroma.nearest import unit
from backends.chroma.records import document, records
from backends.chroma.shelf import Shelf, borrow, give_back
from backends.chroma.writing import replace, sweep
from backends.embedder import Embedder, default_embedder, embed_query, embedder_of
from backends.index import Source, Stored
from backends.settings import Settings
from state.documents import Document
from state.errors import CragError


class ChromaIndex:
    """Chroma keeps text, metadata and vectors; the search itself is exact, in memory.

    Why exact: Chroma's approximate graph missed a quarter of the four nearest among 10,000
    random vectors and two thirds among 100,000, and what it finds depends on the order of
    insertion. Comparing a query with 10,000 vectors takes under a millisecond (with 100,000,
    10 ms), less than embedding it. The price is memory (1.5 kB a chunk) and reading all vectors
    at the first search of a process: about 50 µs a chunk, half a second for 10,000. For much
    more than 100,000 chunks use a server.

    One process at a time may open a folder; in it any number of instances and threads. Nothing
    is opened, locked or created before it is needed, and reading an index that does not exist
    finds nothing.

    Args:
        path: Folder.
        collection: Name in it: 3 to 512 letters, digits, dots, hyphens and underscores.
        embedder: Embeds what is stored and what is asked; by default the embedded MiniLM.
        wait: Seconds to wait for another process that has the folder.
    """

    name = "chroma"

    def __init__(
        self,
        path: Path | str,
        collection: str = "documents",
        *,
        embedder: Embedder | None = None,
        wait: float = 5.0,
    ) -> None:
        """Remember where the index is."""
        self.path = Path(path).resolve()
        self.embedder: Embedder = embedder or default_embedder()
        self._collection = collection
        self._wait = wait
        self._shelf: Shelf | None = None
        self._opening = threading.Lock()

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the index that the settings name."""
        embedder = embedder_of(settings)
        return cls(settings.index_path, settings.collection, embedder=embedder)

    def search(self, query: str, k: int) -> list[Document]:
        """Return at most ``k`` chunks, nearest first; equally near ones by id.

        Args:
            query: Any text.
            k: At least 1.

        Returns:
            Documents whose ``metadata["score"]`` is the cosine similarity, in [-1, 1].

        Raises:
            ConfigError: The index was made with another embedder, or cannot be written.
            IndexFailed: It is in use by another process, or damaged.
        """
        if k < 1 or not self._there():
            return []
        shelf = self._open()
        vector = unit(embed_query(self.embedder, query), self.embedder.name)[0]
        with guarded(self.path), shelf.reading:
            found = shelf.vectors().nearest(vector, k)
            rows = shelf.read([identifier for identifier, _ in found])
            return [document(i, *row, score) for row, (i, score) in zip(rows, found, strict=True)]

    def count(self) -> int:
        """Return how many chunks can be found."""
        if not self._there():
            return 0
        shelf = self._open()
        with guarded(self.path), shelf.reading:
            return shelf.ledger.count()

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every source that is stored in full, by name."""
        if not self._there():
            return {}
        shelf = self._open()
        with guarded(self.path), shelf.reading:
            return shelf.ledger.fingerprints()

    def store(
        self, sources: Sequence[Source], stored: Callable[[int], None] = lambda chunks: None
    ) -> list[Stored]:
        """Replace the chunks of these sources; a search sees all of the change or none.

        Only new text is embedded. A run that is killed leaves the old chunks in force; the next
        one continues it.

        Args:
            sources: Each name once.
            stored: Called with the number of chunks that are done, as they are.

        Returns:
            What changed, in the order of ``sources``.

        Raises:
            IngestError: A text has an unpaired surrogate, or metadata are not JSON; then
                nothing is stored.
            ConfigError: As for ``search``.
            IndexFailed: As for ``search``, or the disk is full.
        """
        rows = [records(source) for source in sources]
        shelf = self._open()
        with guarded(self.path), shelf.writing:
            return replace(shelf, self.embedder, list(zip(sources, rows, strict=True)), stored)

    def remove(self, names: Sequence[str]) -> int:
        """Remove sources; return how many chunks they had."""
        if not self._there():
            return 0
        shelf = self._open()
        with guarded(self.path), shelf.writing:
            with shelf.reading:
                removed = shelf.ledger.remove(names)
                shelf.changed()
            sweep(shelf)
        return removed

    def reset(self) -> None:
        """Drop all chunks, whatever embedder they were made with; the folder stays."""
        self._borrowed().reset(self.embedder.name)

    def close(self) -> None:
        """Give the index back; the process's last instance releases files and lock."""
        shelf, self._shelf = self._shelf, None
        if shelf is not None:
            give_back(shelf)

    def __enter__(self) -> Self:
        """Return the index."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    def _there(self) -> bool:
        return self._shelf is not None or exists(self.path)

    def _open(self) -> Shelf:
        shelf = self._borrowed()
        try:
            shelf.check(self.embedder.name)
        except CragError:
            self.close()
            raise
        return shelf

    def _borrowed(self) -> Shelf:
        with self._opening:
            if self._shelf is None:
                self._shelf = borrow(self.path, self._collection, self.embedder.name, self._wait)
            return self._shelf
