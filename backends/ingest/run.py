"""``ingest``: files in, a report out."""

import hashlib
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from backends.index import DocumentIndex, Source, Stored
from backends.ingest.chunking import chunks
from backends.ingest.discovery import File, discover, name_of
from backends.ingest.loading import UnreadableFile, load
from backends.ingest.report import FileOutcome, IngestReport, Progress
from state.errors import IngestError

MAX_BYTES = 50_000_000
"""Largest file that is read by default."""

_BATCH = 512
_WAY_OF_READING = 1  # raise it when loaders or splitter change what they make of the same bytes


def ingest(
    paths: Sequence[Path | str],
    index: DocumentIndex,
    *,
    prune: bool = False,
    max_bytes: int = MAX_BYTES,
    progress: Callable[[Progress], None] | None = None,
) -> IngestReport:
    """Store files and folders in an index.

    A file whose bytes are unchanged is not read again; of a changed one, only new text is
    embedded. A run that was interrupted or killed is continued by starting it again.

    Args:
        paths: Files and folders; folders are walked.
        index: Where to.
        prune: Remove what earlier runs stored of files in ``paths`` that exist no more.
        max_bytes: Largest file that is read.
        progress: Called as files are read and chunks stored.

    Returns:
        What became of each file. One that fails does not stop the others.

    Raises:
        IngestError: Nothing at all could be ingested.
        IndexFailed: The index fails; what was stored until then stays.
    """
    found = list(discover(map(Path, paths)))
    run = _Run(index, max_bytes, progress, [item for item in found if isinstance(item, File)])
    run.outcomes += [item for item in found if isinstance(item, FileOutcome)]
    run.read_all()
    if prune:
        run.prune([Path(path).resolve() for path in paths])
    _refuse_nothing(run.outcomes, paths)
    return IngestReport(files=sorted(run.outcomes, key=lambda outcome: outcome.source))


@dataclass(frozen=True, slots=True)
class _Read:
    """A file that waits to be stored."""

    source: Source
    size: int
    remark: str


class _Run:
    """Reads files, stores them in batches and keeps count."""

    def __init__(
        self,
        index: DocumentIndex,
        max_bytes: int,
        progress: Callable[[Progress], None] | None,
        files: Sequence[File],
    ) -> None:
        self.outcomes: list[FileOutcome] = []
        self._files = files
        self._index = index
        self._known = index.fingerprints()
        self._max_bytes = max_bytes
        self._tell = progress or (lambda progress: None)
        self._total = sum(file.size for file in files)
        self._done = 0
        self._stored = 0
        self._waiting: list[_Read] = []
        self._file = ""

    def read_all(self) -> None:
        """Read every file, and store what has changed."""
        for file in self._files:
            self._file = file.source
            self._report()
            read = self._read(file)
            if isinstance(read, FileOutcome):
                self.outcomes.append(read)
                self._done += file.size
                continue
            self._waiting.append(read)
            if sum(len(waiting.source.chunks) for waiting in self._waiting) >= _BATCH:
                self._store()
        self._store()
        self._report()

    def prune(self, roots: Sequence[Path]) -> None:
        """Remove sources under these paths whose files are gone."""
        seen = {file.source for file in self._files}
        seen |= {outcome.source for outcome in self.outcomes if outcome.outcome == "skipped"}
        under = tuple(name_of(root) for root in roots)
        for name in self._known:
            if name not in seen and _is_in(name, under) and _is_gone(name):
                self.outcomes = [o for o in self.outcomes if not _is_in(name, [o.source])]
                removed = self._index.remove([name])
                outcome = FileOutcome(source=name, outcome="removed", removed_chunks=removed)
                self.outcomes.append(outcome)

    def _read(self, file: File) -> _Read | FileOutcome:
        """Return the file cut into chunks, or why there is nothing to store."""
        known = self._known.get(file.source)
        outcome = FileOutcome(source=file.source, outcome="failed")
        if file.size > self._max_bytes:
            outcome.reason = _too_large(file.size, self._max_bytes)
            return outcome
        try:
            data = file.path.read_bytes()
        except OSError as error:
            outcome.reason = f"cannot be read: {(error.strerror or str(error)).lower()}"
            return outcome
        fingerprint = f"{_WAY_OF_READING}:{hashlib.sha256(data).hexdigest()}"
        if known == fingerprint:
            return FileOutcome(source=file.source, outcome="unchanged")
        try:
            loaded = load(file.path, data) if data else None
        except UnreadableFile as error:
            outcome.reason = str(error)
            return outcome
        cut = chunks(loaded, file.path.name) if loaded else []
        if not cut and known is None:
            return FileOutcome(source=file.source, outcome="skipped", reason="has no text")
        source = Source(file.source, fingerprint, cut)
        return _Read(source, file.size, loaded.remark if loaded else "has no text")

    def _store(self) -> None:
        """Store the files that wait, all at once, so that small ones share the cores."""
        waiting, self._waiting = self._waiting, []
        size = sum(read.size for read in waiting)
        total = sum(len(read.source.chunks) for read in waiting)
        start = self._done
        finished = 0

        def stored(count: int) -> None:
            nonlocal finished
            finished += count
            self._stored += count
            self._done = start + size * finished // max(total, 1)
            self._report()

        results = self._index.store([read.source for read in waiting], stored) if waiting else []
        self._done = start + size
        self.outcomes += map(self._outcome, waiting, results)

    def _outcome(self, read: _Read, result: Stored) -> FileOutcome:
        return FileOutcome(
            source=read.source.name,
            outcome="updated" if read.source.name in self._known else "added",
            chunks=len(read.source.chunks),
            new_chunks=result.added,
            removed_chunks=result.removed,
            reason=read.remark,
        )

    def _report(self) -> None:
        self._tell(Progress(self._done, self._total, self._stored, self._file))


def _is_in(name: str, folders: Iterable[str]) -> bool:
    return any(Path(name).is_relative_to(folder) for folder in folders)


def _is_gone(name: str) -> bool:
    """Say whether a file certainly exists no more; one that cannot be reached may."""
    try:
        os.stat(name)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _too_large(size: int, limit: int) -> str:
    return (
        f"is {size / 1e6:,.4g} MB, more than the limit of {limit / 1e6:,.4g} MB; split it, or "
        "set CRAG_MAX_FILE_MB"
    )


def _refuse_nothing(outcomes: Iterable[FileOutcome], paths: Sequence[Path | str]) -> None:
    outcomes = list(outcomes)
    if any(o.outcome in ("added", "updated", "unchanged", "removed") for o in outcomes):
        return
    reasons = [f"{o.source} {o.reason}" for o in outcomes if o.outcome == "failed"]
    reasons = reasons or [f"{o.source}: {o.reason}" for o in outcomes]
    if not reasons:
        where = ", ".join(map(str, paths)) or "no path"
        raise IngestError(f"Nothing to ingest in {where}: no Markdown, text, HTML or PDF file.")
    more = f" (and {len(reasons) - 2} more)" if len(reasons) > 2 else ""
    raise IngestError(f"Nothing was ingested. {'. '.join(reasons[:2])}{more}.")
