"""Tell what a run does, one line a step, from its events.

Each field of a node's update has a small function that words it; a field that has none is
worded by ``by_name``, so that a new graph is told without a change here. The fields that only
one family of graphs has are worded in its module: ``tell_loops``, ``tell_self_rag``,
``tell_study``.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from scripts import tell_loops, tell_self_rag, tell_study
from scripts.console import clean, short
from scripts.memory import Memory, Step, Telling, count
from scripts.verdicts import verdict_of
from state.documents import Document


def steps_of(node: str, update: Mapping[str, Any] | None, memory: Memory) -> list[Step]:
    """Word a node's update."""
    steps: list[Step] = []
    rest: dict[str, Any] = {}
    for name, value in (update or {}).items():
        if name in STEPS:
            steps += STEPS[name](value, update or {}, memory)
        elif name not in HIDDEN and value not in (None, "", [], {}, 0, False):
            rest[name] = value
    return [*steps, Step("•", f"{node}: {by_name(rest)}")] if rest else steps


def by_name(fields: Mapping[str, Any]) -> str:
    """Word fields by their names: short values as they are, lists by their length."""
    return ", ".join(f"{name.replace('_', ' ')} {worded(value)}" for name, value in fields.items())


def worded(value: Any) -> str:
    """Word any JSON value on one line."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return short(value, 80)
    if isinstance(value, list) and any(isinstance(item, list | dict) for item in value):
        return f"({len(value)})"
    if isinstance(value, list):
        return short(", ".join(str(item) for item in value), 80)
    return short(json.dumps(value, ensure_ascii=False, default=str), 80)


def _documents(
    documents: Sequence[Document], update: Mapping[str, Any], memory: Memory
) -> list[Step]:
    before, searched = memory.current, {"search", "web"} & set(update.get("usage") or {})
    memory.take(documents)
    names = ", ".join(memory.name(identifier) for identifier in memory.current)
    if searched:
        where = "on the web" if "web" in searched else "in the index"
        found = count(len(documents), "document")
        return [Step("•" if documents else "✗", f"Found {found} {where}", names)]
    if documents and set(memory.current) < set(before):
        return [Step("•", f"Kept {len(documents)} of {len(before)}", names)]
    return []


def _verdicts(items: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    steps = []
    for item in items or ():
        verdict = verdict_of(item)
        name = memory.name(verdict.document_id)
        if verdict.problem:
            steps.append(Step("?", f"No verdict on {name}", clean(verdict.why)))
        elif verdict.relevant:
            steps.append(Step("✓", f"Relevant: {name}", clean(verdict.why)))
        else:
            steps.append(Step("✗", f"Rejected: {name}", clean(verdict.why)))
    return steps


def _web_query(query: str, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [Step("•", f"Query for the web: “{short(query)}”")] if query else []


def _regenerations(again: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    if not update.get("draft"):
        return []
    cited = count(len(update.get("citations") or ()), "document")
    wrote = f"Wrote it again, regeneration {again}" if again else "Wrote a draft"
    return [Step("•", wrote, f"cites {cited}")]


def _checks(checks: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    steps = []
    for check in checks or ():
        claims = check["unsupported_claims"]
        if check["problem"]:
            steps.append(Step("?", "The check could not be read"))
        elif check["supported"]:
            steps.append(Step("✓", "Every claim is supported"))
        else:
            said = "; ".join(short(claim) for claim in claims)
            steps.append(Step("✗", count(len(claims), "unsupported claim"), said))
    return steps


STEPS: dict[str, Telling] = {
    "documents": _documents,
    "grades": _verdicts,
    "verdicts": _verdicts,
    "gradings": _verdicts,
    "web_query": _web_query,
    "regenerations": _regenerations,
    "checks": _checks,
    **tell_loops.STEPS,
    **tell_self_rag.STEPS,
    **tell_study.STEPS,
}
"""By the name of the field that changed."""

HIDDEN = (
    frozenset(
        "answer citations draft generation invalid_citations left_out question status "
        "stop_reason unsupported_claims usage".split()
    )
    | tell_loops.HIDDEN
    | tell_self_rag.HIDDEN
    | tell_study.HIDDEN
)
"""Fields that are not told as they change: shown at the end, or told by another one."""
