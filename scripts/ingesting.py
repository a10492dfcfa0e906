"""Ingest files and say what became of each: the body of ``crag ingest``."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Bar
from rich.text import Text

from scripts import runs
from scripts.console import clean, console, print_line, relative, short
from scripts.exits import Code
from scripts.memory import count
from scripts.progress import waiting
from scripts.shell import complain

if TYPE_CHECKING:
    from backends.ingest import FileOutcome, IngestReport, Progress

Tell = Callable[["Progress"], None]

_MARKS = {
    "added": ("✓", "green"),
    "updated": ("✓", "green"),
    "removed": ("•", "yellow"),
    "skipped": ("•", "dim"),
    "failed": ("✗", "red"),
}
_INTERRUPTED = "What is stored stays; run the same command again to go on."


def ingest(paths: Sequence[Path], *, prune: bool, as_json: bool, quiet: bool) -> Code:
    """Ingest files and folders; return the exit code.

    Raises:
        IngestError: Nothing could be ingested.
        SourceError: The index failed.
    """
    try:
        report = _ingest(paths, prune=prune, quiet=quiet)
    except KeyboardInterrupt:
        complain(_INTERRUPTED)
        raise
    if as_json:
        sys.stdout.write(report.model_dump_json(indent=2) + "\n")
    else:
        show(console(), report)
    return Code.NO_ANSWER if report.counts["failed"] else Code.DONE


def _ingest(paths: Sequence[Path], *, prune: bool, quiet: bool) -> "IngestReport":
    with waiting("Opening the index", quiet=quiet):
        from backends.ingest import ingest as store

        backends = runs.make_backends()
        index, limit = backends.index, int(backends.settings.max_file_mb * 1e6)
    try:
        with bar(quiet=quiet) as tell:
            return store(paths, index, prune=prune, max_bytes=limit, progress=tell)
    finally:
        index.close()


@contextmanager
def bar(*, quiet: bool) -> Iterator[Tell | None]:
    """Show a progress bar on a terminal; yield what moves it."""
    errors = console(stderr=True)
    if quiet or not errors.is_terminal:
        yield None
        return
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        DownloadColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.description}", markup=False),
    )
    with Bar(*columns, console=errors, transient=True) as shown:
        task = shown.add_task("", total=None)

        def tell(progress: "Progress") -> None:
            name = short(Path(progress.file).name, 30)
            shown.update(task, completed=progress.done, total=progress.total, description=name)

        yield tell


def show(out: Console, report: "IngestReport") -> None:
    """Print what became of each file; the unchanged are only counted."""
    for file in report.files:
        if file.outcome in _MARKS:
            print_line(out, _line(file))
    counted = ", ".join(f"{number} {name}" for name, number in report.counts.items() if number)
    removed = f", {report.removed_chunks} removed" if report.removed_chunks else ""
    out.print(Text(f"{counted}: {count(report.new_chunks, 'new chunk')}{removed}."))


def _line(file: "FileOutcome") -> Text:
    mark, colour = _MARKS[file.outcome]
    chunks = f", {count(file.chunks, 'chunk')}" if file.chunks else ""
    why = f" — {clean(file.reason)}" if file.reason else ""
    name = clean(relative(file.source))
    return Text.assemble((f"{mark} ", colour), name, (f"  {file.outcome}{chunks}{why}", "dim"))
