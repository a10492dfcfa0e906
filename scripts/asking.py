"""Ask a graph a question and show how it goes: the body of ``crag ask``."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nodes.intake import valid_question
from scripts import runs
from scripts.approval import decider
from scripts.console import console
from scripts.exits import Code, of_status
from scripts.parameters import context_of
from scripts.progress import Teller, shown, waiting
from scripts.readiness import need_documents
from scripts.render import show, trace


@dataclass(frozen=True, slots=True)
class Wish:
    """How a run is shown.

    Attributes:
        json: The output as one JSON object on stdout.
        trace: The receipts on stderr at the end.
        quiet: No steps.
        plain: Steps as lines even on a terminal.
    """

    json: bool = False
    trace: bool = False
    quiet: bool = False
    plain: bool = False


def ask(question: str, graph: str, parameters: Mapping[str, Any], wish: Wish) -> Code:
    """Answer a question from the documents; return the exit code for how it ended.

    Raises:
        CragError: A backend failed, or something given is wrong.
        ValidationError: A parameter or a setting is out of bounds.
    """
    valid_question(question)
    context = context_of(graph)(**parameters).model_dump()
    with waiting("Opening the documents", quiet=wish.quiet or wish.plain):
        backends = runs.make_backends()
        need_documents(backends, context)
        ready = runs.compiled(graph, backends)
    return run(ready, question, context, wish)


def run(graph: Any, question: str, context: dict[str, Any], wish: Wish) -> Code:
    """Run a compiled graph on a question, and show it."""
    errors = console(stderr=True)
    output: dict[str, Any] = {}
    with shown(errors, quiet=wish.quiet, plain=wish.plain) as view:
        teller = Teller(view)
        for kind, data in runs.events(graph, question, context, decider(view, errors)):
            if kind == "output":
                output = data
            else:
                teller.hear(kind, data)
    teller.memory.take(output["documents"])
    if wish.json:
        sys.stdout.write(json.dumps(output, ensure_ascii=False, indent=2, default=str) + "\n")
    else:
        if not wish.quiet and errors.is_terminal and sys.stdout.isatty():
            teller.memory.told = True
            errors.print()
        show(console(), output, teller.memory)
    if wish.trace:
        errors.print(trace(teller.receipts))
    return of_status(output["status"])
