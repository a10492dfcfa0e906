"""Say which backends answer, and what to do about those that do not: ``crag doctor``."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict

from rich.text import Text

from backends.settings import Settings
from scripts import runs
from scripts.checks import Check, checks
from scripts.console import clean, console, print_line
from scripts.exits import Code
from scripts.progress import waiting

_MARKS = {"ok": ("✓ ", "green"), "warn": ("? ", "yellow"), "fail": ("✗ ", "red")}


def examine(*, as_json: bool) -> Code:
    """Run the checks and show each as it ends."""
    found: list[Check] = []
    out = console()
    ahead = checks(runs.make_backends, Settings())
    while check := _next(ahead):
        found.append(check)
        if not as_json:
            name = (f"{check.name:<10}", "bold")
            print_line(out, Text.assemble(_MARKS[check.state], name, clean(check.says)))
    healthy = all(check.state != "fail" for check in found)
    if as_json:
        report = {"healthy": healthy, "checks": [asdict(check) for check in found]}
        sys.stdout.write(json.dumps(report, ensure_ascii=False, indent=2) + "\n")
    return Code.DONE if healthy else Code.BACKEND


def _next(ahead: Iterator[Check]) -> Check | None:
    with waiting("Asking the backends"):
        return next(ahead, None)
