"""Start and end a run of the Self-RAG graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from nodes.abstention import abstains
from nodes.citations import citation
from nodes.events import note
from nodes.generator import DOES_NOT_SAY
from nodes.intake import fresh
from nodes.replies import not_found_reply
from nodes.self_rag.beam import FAILED, IRRELEVANT, NOTHING_FOUND, TOO_LONG, UNREADABLE
from nodes.text import language
from state.outcome import Status, Update
from state.self_rag import Path, Segment, SelfRagContext, SelfRagState

NO_ANSWER = "No answer could be written."
OUT_OF_STEPS = "The run's recursion limit left no steps for another segment."
_NO_ANSWER = {
    "ar": "تعذّرت كتابة إجابة.",
    "ja": "回答を作成できませんでした。",
    "zh": "未能写出答案。",
}
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
        "passages": None,
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
    capped = state["step"] >= context.max_segments
    cap = f"The cap of {context.max_segments} segment(s) was reached."
    why = best["end"] or (cap if capped else OUT_OF_STEPS)
    left_out = {left["id"]: left for c in state["candidates"] for left in c["left_out"]}
    note("answer", segments=len(segments), score=best["score"], stopped=why)
    shown = {document["id"]: document for document in state["passages"]}
    if not segments or abstains(best["text"]):
        last = [shown[i] for i in best["passages"]]
        return {
            **_without_answer(state["question"], best, why),
            "documents": last,
            "left_out": [*left_out.values()],
        }
    used = [shown[i] for i in best["used"]]
    return {
        "answer": best["text"],
        "status": _status(segments, best["end"]),
        "stop_reason": f"{why} {_support(segments)}",
        "segments": segments,
        "documents": used,
        "citations": [citation(d) for d in used if d["id"] in _supporting(segments)],
        "unsupported_claims": [s["text"] for s in segments if s["is_sup"] == "No"],
        "left_out": list(left_out.values()),
    }


def _without_answer(question: str, best: Path, why: str) -> Update:
    found_none = best["end"] in (NOTHING_FOUND, IRRELEVANT) or bool(best["segments"])
    written = _NO_ANSWER.get(language(question), NO_ANSWER)
    return {
        "answer": not_found_reply(question) if found_none else written,
        "status": "not_found" if found_none else "no_answer",
        "stop_reason": DOES_NOT_SAY if best["segments"] else why,
        "segments": best["segments"],
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
