"""Show a run while it goes on: what is being waited for, and each step when it is done.

On a terminal calls under way have a spinner and their seconds; elsewhere every line is
printed once, in the order of what happens.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.text import Text

from scripts.console import console, print_line, short
from scripts.memory import Memory, Step
from scripts.steps import steps_of

MARKS = {"✓": "green", "✗": "red", "?": "yellow", "•": "dim"}
_DOING = {
    "grader": "Grading",
    "rewriter": "Rewriting the query",
    "generator": "Writing the answer",
    "checker": "Checking the answer",
    "triage": "Reading the question",
    "router": "Choosing where to search",
    "reranker": "Scoring what was found",
    "evaluator": "Judging the evidence",
}
_SEARCHING = {
    "search": "Searching the index for",
    "web": "Searching the web for",
    "wikipedia": "Searching Wikipedia for",
    "arxiv": "Searching arXiv for",
}


class View:
    """Where a run is shown; this one shows nothing."""

    def began(self, call: Mapping[str, Any], saying: str) -> None:
        """Show that a call is under way."""

    def ended(self, call: Mapping[str, Any]) -> None:
        """Show it no longer."""

    def step(self, step: Step) -> None:
        """Show what happened."""

    def pause(self) -> None:
        """Leave the terminal to a question."""

    def resume(self) -> None:
        """Take it back."""


class Lines(View):
    """A view that prints lines: for pipes, files and logs beside it."""

    def __init__(self, console: Console) -> None:
        """Keep the console."""
        self._console = console

    def began(self, call: Mapping[str, Any], saying: str) -> None:
        """Print it before the call returns, so that a slow one reads as work in progress."""
        self._console.print(Text(f"… {saying}", style="dim"))

    def step(self, step: Step) -> None:
        """Print a step."""
        print_step(self._console, step)


class Spinners(View):
    """A view with a spinner a call under way, above which steps scroll by."""

    def __init__(self, progress: Progress) -> None:
        """Keep the display."""
        self._progress = progress
        self._tasks: dict[Any, list[TaskID]] = defaultdict(list)

    def began(self, call: Mapping[str, Any], saying: str) -> None:
        """Add a spinner."""
        self._tasks[_key(call)].append(self._progress.add_task(saying, total=None))

    def ended(self, call: Mapping[str, Any]) -> None:
        """Take the spinner away."""
        tasks = self._tasks[_key(call)]
        if tasks:
            self._progress.remove_task(tasks.pop(0))

    def step(self, step: Step) -> None:
        """Print a step above the spinners."""
        print_step(self._progress.console, step)

    def pause(self) -> None:
        """Stop drawing."""
        self._progress.stop()

    def resume(self) -> None:
        """Draw again."""
        self._progress.start()


class Teller:
    """Tells a view what the events of a run mean.

    Attributes:
        receipts: Every receipt, in order of arrival.
    """

    def __init__(self, view: View) -> None:
        """Start with nothing seen."""
        self.view = view
        self.memory = Memory()
        self.receipts: list[dict[str, Any]] = []

    def hear(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take one event of a run."""
        if kind == "updates":
            for node, update in data.items():
                for step in steps_of(node, update, self.memory):
                    self.view.step(step)
        elif data.get("type") == "call":
            self.view.began(data, saying(data, self.memory))
        elif data.get("type") == "receipt":
            self._take_receipt(dict(data))

    def _take_receipt(self, receipt: dict[str, Any]) -> None:
        self.receipts.append(receipt)
        self.view.ended(receipt)
        if receipt["outcome"] != "ok":
            what = saying(receipt, self.memory)
            why = short(receipt.get("error") or receipt["outcome"], 300)
            self.view.step(Step("✗", f"{what} failed", why))


@contextmanager
def shown(errors: Console, *, quiet: bool, plain: bool) -> Iterator[View]:
    """Open the view that fits: spinners on a terminal, lines elsewhere, or none.

    Args:
        errors: On stderr.
        quiet: Show nothing.
        plain: Print lines on a terminal too, since a log is written to it.
    """
    if quiet:
        yield View()
    elif plain or not errors.is_terminal or errors.is_dumb_terminal:
        yield Lines(errors)
    else:
        columns = SpinnerColumn(), TextColumn("{task.description}", markup=False)
        with Progress(*columns, TimeElapsedColumn(), console=errors, transient=True) as progress:
            yield Spinners(progress)


@contextmanager
def waiting(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show a spinner on a terminal while something is made ready."""
    errors = console(stderr=True)
    if quiet or not errors.is_terminal:
        yield
        return
    with errors.status(Text(what)):
        yield


def saying(call: Mapping[str, Any], memory: Memory) -> str:
    """Word a call: what is done, and with what."""
    role, subject = call["role"], str(call.get("subject") or "")
    again = f" (try {call['attempt']})" if call.get("attempt", 1) > 1 else ""
    if role in _SEARCHING:
        return f"{_SEARCHING[role]} “{short(subject, 60)}”{again}"
    doing = _DOING.get(role, f"Asking the {role}")
    if subject in memory.documents:
        return f"{doing}{': ' if ' ' in doing else ' '}{memory.name(subject)}{again}"
    return f"{doing} the documents{again}" if role == "grader" else doing + again


def print_step(console: Console, step: Step) -> None:
    """Print a step."""
    more = f" — {' '.join(step.more.split())}" if step.more else ""
    mark = (f"{step.mark} ", MARKS.get(step.mark, ""))
    print_line(console, Text.assemble(mark, step.text, (more, "dim")))


def _key(call: Mapping[str, Any]) -> tuple[Any, ...]:
    return call["node"], call["role"], call["subject"], call["attempt"]
