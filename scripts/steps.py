"""Tell what a run does, one line a step, from its events.

Each field of a node's update has a small function that words it; a field that has none is
worded by ``by_name``, so that a new graph is told without a change here. Add to ``STEPS`` to
word a field better.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nodes.citations import citation
from scripts.console import clean, short
from scripts.verdicts import verdict_of
from state.documents import Document


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened.

    Attributes:
        mark: ``✓``, ``✗``, ``?`` or ``•``.
        text: What happened.
        more: Why, or about what.
    """

    mark: str
    text: str
    more: str = ""


@dataclass
class Memory:
    """What was seen of a run so far.

    Attributes:
        documents: Every document by its id.
        current: The ids of the documents at hand.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    current: list[str] = field(default_factory=list)

    def take(self, documents: Sequence[Document]) -> None:
        """Remember documents, and that these are now the ones at hand."""
        self.documents |= {document["id"]: document for document in documents}
        self.current = [document["id"] for document in documents]

    def name(self, identifier: str) -> str:
        """Return a document's title; its first words too where another has the same title."""
        document = self.documents.get(identifier)
        if document is None:
            return clean(identifier)
        title = short(citation(document)["title"], 60)
        same = [d for d in self.documents.values() if short(citation(d)["title"], 60) == title]
        return title if len(same) < 2 else f"{title} “{short(document['content'], 40)}”"


Telling = Callable[[Any, Mapping[str, Any], Memory], Iterable[Step]]

HIDDEN = frozenset(
    "answer citations context_history draft generation invalid_citations left_out "
    "original_question own_values queries question status stop_reason unsupported_claims "
    "usage".split()
)
"""Fields that are not told as they change: shown at the end, or told by another one."""


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
        count = _count(len(documents), "document")
        return [Step("•" if documents else "✗", f"Found {count} {where}", names)]
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


def _active_query(count: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    """A loop that counts its rewrites overwrites the question with the new query."""
    return [Step("•", f"New query: “{short(update.get('question'))}”")] if count else []


def _regenerations(count: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    if not update.get("draft"):
        return []
    again = f"Wrote it again, regeneration {count}" if count else "Wrote a draft"
    cited = len(update.get("citations") or ())
    return [Step("•", again, f"cites {_count(cited, 'document')}")]


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
            steps.append(Step("✗", _count(len(claims), "unsupported claim"), said))
    return steps


def _count(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


STEPS: dict[str, Telling] = {
    "documents": _documents,
    "grades": _verdicts,
    "verdicts": _verdicts,
    "gradings": _verdicts,
    "web_query": _web_query,
    "iteration_count": _active_query,
    "regenerations": _regenerations,
    "checks": _checks,
}
"""By the name of the field that changed."""
