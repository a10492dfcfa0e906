"""Show how a run ended: the answer with footnotes, what it stands on, and why it stopped.

Fields that only some graphs have are shown by small functions of their own in ``DETAILS``; one
that has none is shown by its name.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from scripts import tell_loops, tell_self_rag, tell_study
from scripts.console import clean, print_line, relative, short
from scripts.memory import Detail, Memory, section
from scripts.steps import by_name
from scripts.verdicts import VERDICT_FIELDS, Judged, verdict_of
from state.outcome import Citation, Outcome

_COLOURS = {"answered": "green", "partly_supported": "yellow", "low_confidence": "yellow"}
_SHOWN = frozenset(Outcome.__annotations__)
HIDDEN = (
    frozenset({"draft", "generation"})
    | tell_loops.HIDDEN
    | tell_self_rag.HIDDEN
    | tell_study.HIDDEN
)
"""Fields that repeat another one, or are only of use while the run goes on."""


def show(console: Console, output: Mapping[str, Any], memory: Memory) -> None:
    """Print the outcome of a run."""
    for part in parts(output, memory):
        print_line(console, part)


def parts(output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    """Yield the lines of an outcome."""
    answer = with_footnotes(output["answer"], output["citations"])
    yield Text(clean(answer.strip()))
    yield from section("Sources", _sources(output["citations"], memory))
    for name, value in output.items():
        if name in DETAILS:
            yield from DETAILS[name](value, output, memory)
    yield from section("Left out", _left_out(output, memory))
    yield from section("Unsupported", _claims(output["unsupported_claims"]))
    yield Text()
    yield from _others(output)
    yield _ending(output)
    yield Text(f"Engine: {engines(output['usage'])}", style="dim")


def with_footnotes(answer: str, citations: Sequence[Citation]) -> str:
    """Replace the documents' ids in an answer by the numbers of its sources."""
    numbers = {citation["id"]: i for i, citation in enumerate(citations, 1)}
    if not numbers:
        return answer
    marks = "|".join(re.escape(f"[{identifier}]") for identifier in numbers)
    return re.sub(marks, lambda mark: f"[{numbers[mark[0][1:-1]]}]", answer)


def engines(usage: Mapping[str, Any]) -> str:
    """Say which models and services answered, and in which roles."""
    roles: dict[str, list[str]] = {}
    for role, spent in usage.items():
        for model in spent["models"]:
            roles.setdefault(model, []).append(role)
    named = (f"{clean(model)} ({', '.join(played)})" for model, played in roles.items())
    return " · ".join(named) or "rules alone"


def _sources(citations: Sequence[Citation], memory: Memory) -> Iterator[Text]:
    for number, cited in enumerate(citations, 1):
        known = cited["id"] in memory.documents
        title = memory.name(cited["id"]) if known else short(cited["title"], 200)
        source = short(relative(cited["source"]), 300)
        where = "" if source == title else f" — {source}"
        yield Text.assemble(f"  [{number}] {title}", (where, "dim"))


def _rejected(items: Any, output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    judged = [verdict_of(item) for item in items or ()]
    rejected = [verdict for verdict in judged if not verdict.relevant]
    if memory.told and rejected:
        names = ", ".join(memory.name(verdict.document_id) for verdict in rejected)
        return iter([Text(f"\nRejected, for the reasons above: {names}.", style="dim")])
    return section("Rejected", (_rejection(verdict, memory) for verdict in rejected))


def _rejection(verdict: Judged, memory: Memory) -> Text:
    why = f" — {' '.join(clean(verdict.why).split())}" if verdict.why else ""
    return Text.assemble(("  ✗ ", "red"), memory.name(verdict.document_id), (why, "dim"))


def _checks(checks: Any, output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    if checks:
        times = "once" if len(checks) == 1 else f"{len(checks)} times"
        again = output.get("regenerations") or 0
        rewritten = f", written again {again} time{'' if again == 1 else 's'}" if again else ""
        yield Text(f"\nChecked against the documents {times}{rewritten}.", style="dim")


def _query(query: str, output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    if query:
        yield Text(f"\nThe query for the web was “{short(query)}”.", style="dim")


def _invalid(count: int, output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    if count:
        yield Text(f"\nRemoved {count} citation(s) of documents that were not given.", style="dim")


def _nothing(value: Any, output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    return iter(())


def _left_out(output: Mapping[str, Any], memory: Memory) -> Iterator[Text]:
    for left in output["left_out"]:
        kept = f"{left['kept_tokens']} of {left['tokens']} tokens were read"
        yield Text.assemble(f"  {memory.name(left['id'])}", (f" — {kept}", "dim"))


def _claims(claims: Sequence[str]) -> Iterator[Text]:
    for claim in claims:
        yield Text.assemble(("  ✗ ", "yellow"), " ".join(clean(claim).split()))


def _others(output: Mapping[str, Any]) -> Iterator[Text]:
    """Show the fields that nothing else shows, by their names."""
    rest = {
        name: value
        for name, value in output.items()
        if name not in _SHOWN | HIDDEN | DETAILS.keys()
        and value not in (None, "", [], {}, 0, False)
    }
    if rest:
        yield Text(by_name(rest), style="dim")


def _ending(output: Mapping[str, Any]) -> Text:
    status = output["status"]
    colour = f"bold {_COLOURS.get(status, 'red')}"
    said = clean(output["stop_reason"].strip())
    title = status.replace("_", " ").capitalize()
    return Text.assemble((f"{title}.", colour), f" {said}" if said else "")


DETAILS: dict[str, Detail] = {
    **dict.fromkeys(VERDICT_FIELDS, _rejected),
    "checks": _checks,
    "regenerations": _nothing,
    "web_query": _query,
    "invalid_citations": _invalid,
    **tell_loops.DETAILS,
    **tell_self_rag.DETAILS,
    **tell_study.DETAILS,
}
"""By the name of the output field."""


def trace(receipts: Sequence[Mapping[str, Any]]) -> Table:
    """Return the receipts as a table: one row a call, in order of their ends."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("node", "role", "model"):
        table.add_column(title, overflow="fold")
    for title in ("try", "seconds", "in", "out"):
        table.add_column(title, justify="right")
    table.add_column("outcome", overflow="fold")
    for receipt in receipts:
        table.add_row(
            *(clean(receipt[key]) for key in ("node", "role", "model", "attempt")),
            f"{receipt['seconds']:.3f}",
            *(str(receipt[key]) for key in ("input_tokens", "output_tokens")),
            Text(receipt["outcome"], style="" if receipt["outcome"] == "ok" else "red"),
        )
    return table
