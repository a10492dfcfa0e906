"""List the graphs and what can be set for a run: the body of ``crag graphs``."""

import json
import sys

from rich.table import Table
from rich.text import Text

from graphs import NAMES
from scripts.console import console
from scripts.parameters import Parameter, description, listing, parameters


def show(*, as_json: bool) -> None:
    """Print the graphs, as text or as JSON."""
    if as_json:
        sys.stdout.write(json.dumps(listing(), ensure_ascii=False, indent=2) + "\n")
        return
    out = console()
    for number, name in enumerate(NAMES):
        out.print(Text("\n" if number else "").append(name, style="bold"))
        out.print(Text(description(name)))
        out.print(_table(parameters(name)))


def _table(rows: tuple[Parameter, ...]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True, style="cyan")
    for _ in range(2):
        table.add_column()
    for row in rows:
        table.add_row(
            f"  {row.option}", f"{row.default} ({row.bounds})", Text(row.description, style="dim")
        )
    return table
