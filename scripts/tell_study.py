"""Word the fields of the study graph: triage, sources, reranking, the evaluator."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from scripts.console import short
from scripts.memory import Detail, Memory, Step, Telling, count, section

_VERDICTS = {"correct": "✓", "ambiguous": "?", "incorrect": "✗"}


def _intent(intent: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    if not intent:
        return []
    parts = [f"sub-question: {short(part)}" for part in update.get("sub_questions") or ()]
    topic = update.get("topic")
    return [Step("•", f"Triage: {intent}" + (f" ({topic})" if topic else ""), "; ".join(parts))]


def _sources(reports: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [_source(report) for report in reports or ()]


def _source(report: Mapping[str, Any]) -> Step:
    name = str(report["source"]).capitalize()
    if report["outcome"] == "failed":
        return Step("✗", f"{name} failed", short(report["error"], 300))
    mark = "•" if report["results"] else "✗"
    asked = f"“{short(report['query'], 60)}”"
    doubt = f"; {short(report['error'], 200)}" if report["error"] else ""
    return Step(mark, f"{name} gave {count(report['results'], 'result')}", asked + doubt)


def _rerankings(reports: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [
        Step(
            "•",
            f"Scored {count(report['scored'], 'chunk')}, the best {report['top_score']:.2f}",
            _scorer(report),
        )
        for report in reports or ()
    ]


def _scorer(report: Mapping[str, Any]) -> str:
    skipped = [f"{one['tier']}: {one['reason']}" for one in report["skipped"]]
    return "; ".join([f"by {report['model'] or report['tier']}", *skipped])


def _evaluations(found: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [
        Step(_VERDICTS[one["verdict"]], f"The evidence is {one['verdict']}", short(one["missing"]))
        for one in found or ()
    ]


def _retries(retries: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [Step("•", f"That did not suffice, time {retries}")] if retries else []


def _show_sources(
    reports: Sequence[Mapping[str, Any]], output: Mapping[str, Any], memory: Memory
) -> Iterator[Text]:
    """Show what each source gave: a failed one never looks like one that found nothing."""
    steps = (_source(report) for report in reports if not memory.told)
    lines = (
        Text.assemble(f"  {step.mark} {step.text}", (f" — {step.more}", "dim")) for step in steps
    )
    return section("Searched", lines)


STEPS: dict[str, Telling] = {
    "intent": _intent,
    "sources": _sources,
    "rerankings": _rerankings,
    "evaluations": _evaluations,
    "retries": _retries,
}
DETAILS: dict[str, Detail] = {"sources": _show_sources}
HIDDEN = frozenset(
    "intent topic triage_tier language sub_questions reply original_q sources_to_use search_query "
    "tool_queries raw_results new_chunks tried_sources pool ranked verdict likely_cause missing "
    "retries low_confidence rerankings evaluations".split()
)
