"""Start and end a run of the Self-RAG graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from nodes.abstention import abstains
from nodes.citations import citation
from nodes.events import note
from nodes.intake import fresh
from nodes.replies import NOT_FOUND
from nodes.self_rag.beam import FAILED, IRRELEVANT, NOTHING_FOUND, TOO_LONG, UNREADABLE
from state.outcome import LeftOut, Status, Update
from state.self_rag import Path, Segment, SelfRagContext, SelfRagState

NO_ANSWER = "No answer could be written."
_BROKEN_OFF = (FAILED, NOTHING_FOUND, TOO_LONG, UNREADABLE)


def start(state: Mapping[str, Any], context: object) -> Update:
    """Reset what a run collects; the beam starts with one empty path."""
    empty: Path = {
        "place": 0,
        "text": "",
        "segments": [],
        "passages": [],
        "used": [],
        "score": 0.0,
        "end": "",
    }
    return {
        **fresh(state),
        "usage": None,
        "step": 0,
        "paths": [empty],
        "proposals": None,
        "decisions": None,
        "candidates": None,
        "segments": [],
        "retrievals": 0,
    }


def finish(state: SelfRagState, context: SelfRagContext) -> Update:
    """Return the best path's answer, each segment with its IsSup tag."""
    best = state["paths"][0]
    segments = best["segments"]
    why = best["end"] or f"The cap of {context.max_segments} segment(s) was reached."
    left_out = {left["id"]: left for c in state["candidates"] for left in c["left_out"]}
    note("answer", segments=len(segments), score=best["score"], stopped=why)
    if not segments or abstains(best["text"]):
        return _without_answer(best, why, list(left_out.values()))
    return {
        "answer": best["text"],
        "status": _status(segments, best["end"]),
        "stop_reason": f"{why} {_support(segments)}",
        "segments": segments,
        "documents": best["used"],
        "citations": [citation(d) for d in best["used"] if d["id"] in _supporting(segments)],
        "unsupported_claims": [s["text"] for s in segments if s["is_sup"] == "No"],
        "left_out": list(left_out.values()),
    }


def _without_answer(best: Path, why: str, left_out: list[LeftOut]) -> Update:
    found_none = best["end"] in (NOTHING_FOUND, IRRELEVANT) or bool(best["segments"])
    return {
        "answer": NOT_FOUND if found_none else NO_ANSWER,
        "status": "not_found" if found_none else "no_answer",
        "stop_reason": why,
        "segments": best["segments"],
        "documents": best["passages"],
        "left_out": left_out,
    }


def _status(segments: Sequence[Segment], end: str) -> Status:
    """Say how far the model itself found the answer supported.

    ``answered``: no segment is less than fully supported by its passage (segments that were
    written without one have no tag). ``partly_supported``: some are, or the answer broke off.
    ``low_confidence``: no passage supports any of it.
    """
    tags = [segment["is_sup"] for segment in segments if segment["passage"] is not None]
    if tags and all(tag in ("No", None) for tag in tags):
        return "low_confidence"
    whole = end not in _BROKEN_OFF and all(tag == "Fully" for tag in tags)
    return "answered" if whole else "partly_supported"


def _supporting(segments: Sequence[Segment]) -> set[str | None]:
    return {s["passage"] for s in segments if s["is_sup"] in ("Fully", "Partially")}


def _support(segments: Sequence[Segment]) -> str:
    """Count the segments by what supports them."""
    counts = {
        "fully supported": sum(s["is_sup"] == "Fully" for s in segments),
        "partly supported": sum(s["is_sup"] == "Partially" for s in segments),
        "not supported": sum(
            s["is_sup"] in ("No", None) and s["passage"] is not None for s in segments
        ),
        "written without a document": sum(s["passage"] is None for s in segments),
    }
    listed = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    return f"Segments: {listed}."
