"""Word the fields of the Self-RAG graph: decisions, candidates, and the segments' support."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from scripts.console import clean, short
from scripts.memory import Detail, Memory, Step, Telling, count, section

SUPPORT = {
    "Fully": ("✓", "green", "fully supported"),
    "Partially": ("?", "yellow", "partly supported"),
    "No": ("✗", "red", "not supported"),
}
_UNSAID = ("?", "red", "support not stated")
_WITHOUT = ("•", "dim", "written without a document")
_DECISIONS = {"Yes": "search", "No": "write without a document", "Continue": "same passages"}


def _decisions(decisions: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [_decision(decision) for decision in decisions or ()]


def _decision(decision: Mapping[str, Any]) -> Step:
    chance = decision["p_retrieve"]
    why = decision["decided_by"] if chance is None else f"P(retrieve) {chance:.2f}"
    what = _DECISIONS[decision["retrieve"]]
    return Step("•", f"Segment {decision['step'] + 1}: {what}", why)


def _candidates(candidates: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [_candidate(candidate, memory) for candidate in candidates or ()]


def _candidate(candidate: Mapping[str, Any], memory: Memory) -> Step:
    passage = candidate["passage"]
    name = f"Candidate from {memory.name(passage)}" if passage else "Candidate"
    if candidate["problem"]:
        return Step("?", name, candidate["problem"])
    use = candidate["is_use"]
    supported = support(candidate)[2] if candidate["is_rel"] != "Irrelevant" else None
    said = [candidate["is_rel"], supported, f"usefulness {use}" if use else None]
    judged = ", ".join(word.lower() for word in said if word)
    return Step("•", f"{name} scored {candidate['score']:.2f}", judged)


def _passages(passages: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    """Tell the passages of a search that were not there before."""
    if passages is None:
        return []
    memory.take(passages)
    names = ", ".join(memory.name(passage["id"]) for passage in passages)
    found = f"Found {count(len(passages), 'new passage')} in the index"
    return [Step("•" if passages else "✗", found, names)]


def _paths(paths: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    """Tell the segment that the best path got."""
    best = paths[0] if paths else {"segments": []}
    if not best["segments"] or best["end"]:
        return []
    last = best["segments"][-1]
    return [Step(support(last)[0], f"Kept “{short(last['text'])}”", support(last)[2])]


def support(segment: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the mark, the colour and the words for how far a segment is supported."""
    if segment["passage"] is None:
        return _WITHOUT
    return SUPPORT.get(segment["is_sup"], _UNSAID)


def _segments(
    segments: Sequence[Mapping[str, Any]], output: Mapping[str, Any], memory: Memory
) -> Iterator[Text]:
    """Show each segment in the colour of its support, with the words that explain it."""
    lines = (
        Text.assemble(
            (f"  {mark} ", colour),
            (clean(segment["text"].strip()), colour),
            (f" — {words}{_source(segment, memory)}", "dim"),
        )
        for segment in segments
        for mark, colour, words in [support(segment)]
    )
    return section("Segments", lines)


def _source(segment: Mapping[str, Any], memory: Memory) -> str:
    return f", {memory.name(segment['passage'])}" if segment["passage"] else ""


STEPS: dict[str, Telling] = {
    "decisions": _decisions,
    "candidates": _candidates,
    "passages": _passages,
    "paths": _paths,
}
DETAILS: dict[str, Detail] = {"segments": _segments}
HIDDEN = frozenset("decisions proposals segments passages paths candidates step retrievals".split())
