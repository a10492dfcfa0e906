"""Find the files to ingest."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from backends.ingest.report import FileOutcome, Outcome

MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
TEXT = frozenset({".txt", ".text", ".rst", ".log"})
HTML = frozenset({".html", ".htm", ".xhtml"})
PDF = frozenset({".pdf"})
KNOWN = MARKDOWN | TEXT | HTML | PDF


@dataclass(frozen=True, slots=True)
class File:
    """A file to ingest.

    Attributes:
        path: Absolute, links resolved, so that a file has one name.
        size: In bytes.
    """

    path: Path
    size: int

    @property
    def source(self) -> str:
        """The name of its chunks' source."""
        return name_of(self.path)


def name_of(path: Path) -> str:
    r"""Return a path as Unicode text; bytes that are none appear as ``\xff``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def discover(paths: Iterable[Path]) -> Iterator[File | FileOutcome]:
    """Walk files and folders, in order of name; each file and folder comes once.

    Links are followed. In folders, hidden entries and unknown endings are skipped; a file that
    is named itself is taken whatever its name.
    """
    seen: set[Path] = set()
    for path in paths:
        if not os.path.lexists(path):
            yield _outcome(path, "failed", "does not exist; check the path")
        else:
            yield from _visit(path, seen, named=True)


def _visit(path: Path, seen: set[Path], *, named: bool) -> Iterator[File | FileOutcome]:
    try:
        real = path.resolve(strict=True)
        is_folder, is_file, size = real.is_dir(), real.is_file(), real.stat().st_size
    except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself, before Python 3.13
        yield _unreadable(path, error)
        return
    if real in seen:
        return
    seen.add(real)
    if not named and path.name.startswith("."):
        yield _outcome(path, "skipped", "hidden")
    elif is_folder:
        yield from _enter(path, seen)
    elif not is_file:
        yield _outcome(path, "failed" if named else "skipped", "is not a regular file")
    elif not named and path.suffix.lower() not in KNOWN:
        reason = f"unknown ending {path.suffix!r}; to take it as text, name the file itself"
        yield _outcome(path, "skipped", reason)
    else:
        yield File(real, size)


def _enter(folder: Path, seen: set[Path]) -> Iterator[File | FileOutcome]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield _unreadable(folder, error)
        return
    for entry in entries:
        yield from _visit(entry, seen, named=False)


def _unreadable(path: Path, error: Exception) -> FileOutcome:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return _outcome(path, "failed", f"cannot be read: {reason.lower()}")


def _outcome(path: Path, outcome: Outcome, reason: str) -> FileOutcome:
    return FileOutcome(source=name_of(path.absolute()), outcome=outcome, reason=reason)
