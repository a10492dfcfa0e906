"""Score the pool against the question and keep the best (document 003, node 9)."""

from collections.abc import Sequence

from nodes.calls import Rerank, Scores, Steps
from nodes.events import note
from state.outcome import Update
from state.study import Chunk, RerankReport, StudyContext, StudyState


def rerank(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Score every chunk on its own; keep the best and the best of the curated ones."""
    pool = state["pool"]
    if not pool:
        return _reported([], _report(state, None, []))
    texts = tuple(chunk["content"] for chunk in pool)
    scores: Scores = yield Rerank(state["original_q"], texts, model=context.reranker_model)
    scored = [
        Chunk(**{**chunk, "score": score}) for chunk, score in zip(pool, scores.values, strict=True)
    ]
    ranked = select(scored, context.final_context_n, context.pinned_curated)
    return _reported(ranked, _report(state, scores, ranked))


def select(chunks: Sequence[Chunk], most: int, pinned: int) -> list[Chunk]:
    """Return the best chunks by descending score; ties go by id.

    The best curated ones have a place whatever the others score, so that an answer keeps to
    the course material. Their scores stay what they are: the gates are not lifted by a pin.
    """
    by_score = sorted(chunks, key=lambda chunk: (-(chunk["score"] or 0.0), chunk["id"]))
    pins = [chunk["id"] for chunk in by_score if chunk["origin"] == "curated"][:pinned]
    pins = pins[:most]
    others = [chunk["id"] for chunk in by_score if chunk["id"] not in pins]
    kept = {*pins, *others[: most - len(pins)]}
    return [chunk for chunk in by_score if chunk["id"] in kept]


def _reported(ranked: list[Chunk], report: RerankReport) -> Update:
    note("rerank", **report)
    return {"ranked": ranked, "rerankings": [report]}


def _report(state: StudyState, scores: Scores | None, ranked: Sequence[Chunk]) -> RerankReport:
    return {
        "attempt": state["retries"],
        "tier": scores.tier if scores else "",
        "model": scores.model if scores else "",
        "scale": scores.scale if scores else "",
        "skipped": [{"tier": t, "reason": why} for t, why in scores.skipped] if scores else [],
        "scored": len(state["pool"]),
        "top_score": (ranked[0]["score"] or 0.0) if ranked else 0.0,
    }
