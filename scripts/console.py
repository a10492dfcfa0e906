"""Where text is written: answers to stdout, everything else to stderr.

Text from documents, models and the web is data: markup, emoji codes and brackets in it are
shown as they are, and control characters cannot reach the terminal.
"""

import os
import re
import sys
from functools import partial
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from scripts.shell import silence

_UNWRAPPED = 100_000
_LEAD = re.compile(r" *(?:[✓✗?•…]|\[\d+\]|\d+\.) ")
_CONTROL = {
    code: None for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(code) not in "\n\t"
}


class PlainConsole(Console):
    """A console that ends cleanly when its reader has gone."""

    def on_broken_pipe(self) -> None:
        """Stay silent from here on, and let the command end as it does."""
        raise SystemExit(silence())


def console(*, stderr: bool = False) -> PlainConsole:
    """Return a console that wraps lines only where a person reads them."""
    stream = sys.stderr if stderr else sys.stdout
    make = partial(PlainConsole, stderr=stderr, highlight=False, markup=False, emoji=False)
    return make() if stream.isatty() else make(width=_UNWRAPPED)


def clean(text: Any) -> str:
    """Return a text without control characters, so that no document can steer the terminal."""
    return str(text).translate(_CONTROL)


def short(text: Any, length: int = 100) -> str:
    """Return a text on one line, cut to a length."""
    line = " ".join(clean(text).split())
    return line if len(line) <= length else line[: length - 1] + "…"


def relative(source: str) -> str:
    """Return a path as the user is likely to have written it: from the current folder."""
    return source.removeprefix(os.path.join(os.getcwd(), ""))


def print_line(console: Console, text: Text) -> None:
    """Print a text; on a terminal, what is too long hangs under its first word."""
    found = _LEAD.match(text.plain)
    indent = len(found[0]) if found else 0
    if not console.is_terminal or not indent:
        console.print(text)
        return
    first, *rest = text.wrap(console, console.width - indent)
    console.print(first)
    for line in rest:
        console.print(Padding(line, (0, 0, 0, indent)))
