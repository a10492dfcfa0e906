"""Keep the best continuations: whole paths, each with its own text, passages and score."""

from collections.abc import Iterable, Sequence

from nodes.events import note
from nodes.self_rag.continuation import append
from nodes.text import normalise
from state.errors import ModelUnavailable
from state.outcome import Update
from state.self_rag import Candidate, Decision, Path, Segment, SelfRagContext, SelfRagState

NOTHING_FOUND = "The index has no passage for this question."
UNREADABLE = "No candidate's reflection tokens could be read."
TOO_LONG = "No passage fits the model's window."
FAILED = "Every call for a candidate failed."
IRRELEVANT = "The model found none of the passages relevant."


def select(state: SelfRagState, context: SelfRagContext) -> Update:
    """Continue every path by its candidates and keep the best ``beam_width`` of all.

    A path that has ended stays as it is and competes by its score. Ties go to the better
    path, then to the passage that was retrieved first.

    Raises:
        ModelUnavailable: No candidate could be written at all.
    """
    candidates = [c for c in state["candidates"] if c["step"] == state["step"]]
    if candidates and all(c["problem"] == "failed" for c in candidates):
        raise ModelUnavailable("No candidate segment could be written; every call failed.")
    decisions = {d["path"]: d for d in state["decisions"] if d["step"] == state["step"]}
    grown: list[Path] = []
    for path in state["paths"]:
        if path["end"]:
            grown.append(path)
        else:
            own = [c for c in candidates if c["path"] == path["place"]]
            grown.extend(_continued(path, own, decisions[path["place"]]))
    kept = _best(grown, context.beam_width)
    note("selection", step=state["step"], paths=[_summary(path) for path in kept])
    return {"step": state["step"] + 1, "paths": kept}


def _continued(path: Path, own: Sequence[Candidate], decision: Decision) -> list[Path]:
    """Return a path's continuations, or the path itself, ended, when there is none."""
    ordered = sorted(own, key=lambda candidate: candidate["rank"])
    usable = [c for c in ordered if not c["problem"] and not c["end"]]
    if usable:
        return [_grow(path, candidate, decision) for candidate in usable]
    return [{**path, "end": _why_ended(ordered)}]


def _why_ended(own: Sequence[Candidate]) -> str:
    if not own:
        return NOTHING_FOUND
    ends = [candidate["end"] for candidate in own if candidate["end"]]
    if ends:
        return IRRELEVANT if all(c["is_rel"] == "Irrelevant" for c in own) else ends[0]
    problems = {candidate["problem"] for candidate in own}
    if problems == {"too long"}:
        return TOO_LONG
    return FAILED if problems == {"failed"} else UNREADABLE


def _grow(path: Path, candidate: Candidate, decision: Decision) -> Path:
    segment: Segment = {
        "text": candidate["text"],
        "is_rel": candidate["is_rel"],
        "is_sup": candidate["is_sup"],
        "is_use": candidate["is_use"],
        "passage": candidate["passage"],
        "score": candidate["score"],
        "scored_by": candidate["scored_by"],
        "retrieve": decision["retrieve"],
        "p_retrieve": decision["p_retrieve"],
        "decided_by": decision["decided_by"],
    }
    segments = [*path["segments"], segment]
    used = [*path["used"], *([candidate["passage"]] if candidate["passage"] else [])]
    return {
        **path,
        "text": append(path["text"], candidate["text"]),
        "segments": segments,
        "used": list(dict.fromkeys(used)),
        "score": round(sum(s["score"] for s in segments) / len(segments), 6),
    }


def _best(paths: Iterable[Path], width: int) -> list[Path]:
    """Keep the best paths; of those with the same text, the better one."""
    # An ended path without any text has nothing to show, whatever else is there.
    ordered = sorted(paths, key=lambda path: (not path["segments"], -path["score"]))
    distinct: dict[str, Path] = {}
    for path in ordered:
        distinct.setdefault(normalise(path["text"]), path)
    kept = list(distinct.values())[:width]
    return [{**path, "place": place} for place, path in enumerate(kept)]


def _summary(path: Path) -> dict[str, object]:
    return {"text": path["text"], "score": path["score"], "end": path["end"]}
