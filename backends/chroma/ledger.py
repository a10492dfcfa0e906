"""Which chunks of an index are valid: a small SQLite file beside the index.

A write to the index takes many steps. The ledger names each chunk before it is written and
declares a whole batch of sources valid in one transaction afterwards, so that a search never
sees half a source, and a run that was killed is continued where it stopped.
"""

import sqlite3
import uuid
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

State = Literal["pending", "live", "dead"]
"""``pending``: being written. ``live``: can be found. ``dead``: to be deleted."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chunks (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, position INTEGER NOT NULL,
    text TEXT NOT NULL, metadata TEXT NOT NULL, state TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_of_source ON chunks (source);
"""


@dataclass(frozen=True, slots=True)
class Planned:
    """Where one chunk of a source is going to be kept.

    Attributes:
        id: Its own if its text was there before, else a new UUIDv4.
        was: The state of the chunk before; ``None`` for a new one.
        text: Digest of its content.
        metadata: Digest of its metadata.
        same_metadata: Whether the metadata are as they were.
    """

    id: str
    was: State | None
    text: str
    metadata: str
    same_metadata: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How one source is going to be replaced.

    Attributes:
        source: Its name.
        fingerprint: Its new fingerprint.
        chunks: What it has from now on.
        gone: Ids of live chunks whose text it has no more.
        leftover: Ids that an interrupted run planned and nobody needs now.
    """

    source: str
    fingerprint: str
    chunks: Sequence[Planned]
    gone: Sequence[str]
    leftover: Sequence[str]


class Ledger:
    """The open file; its user sees to it that one thread at a time calls it."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            sqlite3.Error: It is damaged or cannot be written.
        """
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA)

    def ids(self, state: State) -> list[str]:
        """Return the ids in a state, sorted."""
        query = "SELECT id FROM chunks WHERE state = ? ORDER BY id"
        return [row[0] for row in self._db.execute(query, [state])]

    def count(self) -> int:
        """Return the number of live chunks."""
        query = "SELECT count(*) FROM chunks WHERE state = 'live'"
        return int(self._db.execute(query).fetchone()[0])

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of every complete source, by name."""
        return dict(self._db.execute("SELECT name, fingerprint FROM sources ORDER BY name"))

    def plan(self, source: str, fingerprint: str, digests: Sequence[tuple[str, str]]) -> Plan:
        """Give every chunk its id, and note the new ones as pending.

        Args:
            source: Its name.
            fingerprint: Its new fingerprint.
            digests: Of each chunk's content and of its metadata, in order.
        """
        query = (
            "SELECT id, text, metadata, state FROM chunks WHERE source = ? AND state != 'dead' "
            "ORDER BY state = 'pending', position, id"
        )
        known: dict[str, deque[tuple[str, str, State]]] = defaultdict(deque)
        for identifier, text, metadata, state in self._db.execute(query, [source]):
            known[text].append((identifier, metadata, state))
        chunks = [_planned(known[text], text, metadata) for text, metadata in digests]
        self._note_pending(source, chunks)
        rest = [row for rows in known.values() for row in rows]
        gone = [row[0] for row in rest if row[2] == "live"]
        leftover = [row[0] for row in rest if row[2] == "pending"]
        return Plan(source, fingerprint, chunks, gone, leftover)

    def commit(self, plans: Iterable[Plan]) -> None:
        """Declare the plans' chunks live and what they replace dead, all at once."""
        with self._db:
            for plan in plans:
                self._db.executemany(
                    "UPDATE chunks SET position = ?, metadata = ?, state = 'live' WHERE id = ?",
                    [(at, chunk.metadata, chunk.id) for at, chunk in enumerate(plan.chunks)],
                )
                self._bury([*plan.gone, *plan.leftover])
                self._db.execute(
                    "INSERT INTO sources VALUES (?, ?) "
                    "ON CONFLICT (name) DO UPDATE SET fingerprint = excluded.fingerprint",
                    [plan.source, plan.fingerprint],
                )

    def remove(self, names: Iterable[str]) -> int:
        """Declare all chunks of sources dead; return how many of them were live."""
        removed = 0
        with self._db:
            for name in names:
                query = "SELECT id, state FROM chunks WHERE source = ? AND state != 'dead'"
                rows = self._db.execute(query, [name]).fetchall()
                removed += sum(state == "live" for _, state in rows)
                self._bury([identifier for identifier, _ in rows])
                self._db.execute("DELETE FROM sources WHERE name = ?", [name])
        return removed

    def forget(self, ids: Iterable[str]) -> None:
        """Drop dead chunks that are deleted from the index."""
        with self._db:
            self._db.executemany("DELETE FROM chunks WHERE id = ?", [(i,) for i in ids])

    def clear(self) -> None:
        """Forget everything."""
        with self._db:
            self._db.execute("DELETE FROM chunks")
            self._db.execute("DELETE FROM sources")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _note_pending(self, source: str, chunks: Sequence[Planned]) -> None:
        rows = [
            (chunk.id, source, at, chunk.text, chunk.metadata)
            for at, chunk in enumerate(chunks)
            if chunk.was is None
        ]
        with self._db:
            self._db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, 'pending')", rows)

    def _bury(self, ids: Iterable[str]) -> None:
        self._db.executemany("UPDATE chunks SET state = 'dead' WHERE id = ?", [(i,) for i in ids])


def _planned(known: "deque[tuple[str, str, State]]", text: str, metadata: str) -> Planned:
    if not known:
        return Planned(str(uuid.uuid4()), None, text, metadata)
    identifier, before, state = known.popleft()
    return Planned(identifier, state, text, metadata, same_metadata=before == metadata)
