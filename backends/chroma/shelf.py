"""One Chroma collection on disk, opened once a process, with its lock and its ledger."""

import atexit
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from backends.chroma.folder import AGAIN, client, guarded, locked
from backends.chroma.ledger import Ledger
from backends.chroma.nearest import Vectors
from state.errors import ConfigError, IndexFailed

T = TypeVar("T")
_PAGE = 2000
_LAYOUT = 1
_NEVER = 2**31 - 1
_GRAPH = {"space": "cosine", "max_neighbors": 2, "ef_construction": 1, "sync_threshold": _NEVER}
"""Chroma's approximate graph is not searched, so it is made as cheap as it can be, and never
written to disk: that write is not atomic, and a process killed during it leaves a collection
that cannot be read (seen once in 40 kills). Vectors then stay in Chroma's SQLite file."""


class Shelf:
    """An open collection.

    Attributes:
        collection: Chroma's.
        ledger: Which chunks are valid; use it under ``reading``.
        reading: Held for the moment of a search or of a ledger's change.
        writing: Held by who changes the collection, for as long as that takes.
        version: Counts the changes that this process has made.
    """

    def __init__(self, path: Path, name: str, embedder: str, wait: float) -> None:
        """Lock the folder, then open what is in it; create what is missing."""
        self.path = path
        self.users = 0
        self.version = 0
        self.reading = threading.RLock()
        self.writing = threading.RLock()
        self._name = name
        self._vectors: Vectors | None = None
        with ExitStack() as undo, guarded(path):
            undo.enter_context(locked(path, wait))
            self._client = undo.enter_context(client(path))
            self.collection = self._create(embedder)
            self.ledger = Ledger(path / f"{name}.ledger.sqlite3")
            undo.callback(self.ledger.close)
            if not self.collection.count():
                self.ledger.clear()  # of a database that was deleted
            self._close = undo.pop_all().close

    def check(self, embedder: str) -> None:
        """Refuse a collection that another model filled, whatever the length of its vectors.

        Raises:
            ConfigError: Its vectors cannot be compared with this embedder's.
        """
        marks = self.collection.metadata or {}
        if marks.get("layout") != _LAYOUT:
            raise ConfigError(
                f"The collection {self._name!r} in {self.path} was not made by this version. "
                "Set CRAG_COLLECTION to a new name and ingest again."
            )
        if marks.get("embedder") != embedder:
            raise ConfigError(
                f"The index in {self.path} was made with {marks.get('embedder')}, but {embedder} "
                "is in use. Set CRAG_COLLECTION to a new name (or delete the folder) and ingest "
                "again."
            )

    def reset(self, embedder: str) -> None:
        """Drop everything, and start a new collection for this embedder.

        The folder stays: removing it under an open database breaks the database.
        """
        with guarded(self.path), self.writing, self.reading:
            self.ledger.clear()
            self._client.delete_collection(self._name)
            self.collection = self._create(embedder)
            self.changed()

    def vectors(self) -> Vectors:
        """Return the vectors of all valid chunks, sorted by id; call it under ``reading``."""
        if self._vectors is None:
            self._vectors = self._load()
        return self._vectors

    def read(self, ids: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
        """Return text and flat metadata of chunks, in the order of their ids."""
        found: dict[str, tuple[str, dict[str, str]]] = {}
        for page in pages(ids, _PAGE):
            got = self.collection.get(ids=page, include=["documents", "metadatas"])
            rows = zip(got["documents"], got["metadatas"], strict=True)
            found.update(zip(got["ids"], rows, strict=True))
        return [found[i] for i in ids]

    def changed(self) -> None:
        """Forget the vectors in memory."""
        self._vectors = None
        self.version += 1

    def close(self) -> None:
        """Close the files and release the lock."""
        with self.writing, self.reading:
            self._close()

    def _create(self, embedder: str) -> Any:
        """Open or create the collection; vectors are always given, so it needs no function."""
        return self._client.get_or_create_collection(
            self._name,
            embedding_function=None,
            metadata={"embedder": embedder, "layout": _LAYOUT},
            configuration={"hnsw": _GRAPH},
        )

    def _load(self) -> Vectors:
        import numpy as np

        ids = self.ledger.ids("live")
        found: dict[str, Any] = {}
        for page in pages(ids, _PAGE):
            got = self.collection.get(ids=page, include=["embeddings"])
            rows = np.asarray(got["embeddings"], np.float32)
            found.update(zip(got["ids"], rows, strict=True))
        if missing := len(ids) - len(found):
            raise IndexFailed(
                f"{missing} of {len(ids)} chunks are missing from {self.path}. {AGAIN}"
            )
        rows = np.stack([found[i] for i in ids]) if ids else np.empty((0, 0), np.float32)
        return Vectors(ids, rows)


_shelves: dict[tuple[Path, str], Shelf] = {}
_opening = threading.Lock()


def borrow(path: Path, name: str, embedder: str, wait: float) -> Shelf:
    """Return the process's open shelf for a collection; give it back when done.

    Raises:
        ConfigError: The folder cannot be written.
        IndexFailed: Another process has it, or it is damaged.
    """
    key = (path.resolve(), name)
    with _opening:
        if key not in _shelves:
            _shelves[key] = Shelf(key[0], name, embedder, wait)
        _shelves[key].users += 1
        return _shelves[key]


def give_back(shelf: Shelf) -> None:
    """Close a shelf when its last user gives it back."""
    with _opening:
        shelf.users -= 1
        if not shelf.users:
            del _shelves[next(key for key, value in _shelves.items() if value is shelf)]
            shelf.close()


@atexit.register
def _close_all() -> None:
    """Close what nobody gave back, while the libraries can still do so."""
    while _shelves:
        _shelves.popitem()[1].close()


def pages(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Cut a sequence into parts of at most ``size``."""
    return (items[i : i + size] for i in range(0, len(items), size))
