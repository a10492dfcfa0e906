"""Join new chunks with what was carried over (document 003, node 8)."""

from collections.abc import Iterable, Sequence
from typing import Any

from nodes.study.duplicates import Shape, near, shape_of
from state.outcome import Update
from state.study import ALL_SOURCES, Chunk, StudyContext, StudyState


def merge_pool(state: StudyState, context: StudyContext) -> Update:
    """Carry the best scored chunks over, add the new ones, drop duplicates, cap the pool.

    A chunk is carried when its score is at least ``keep_threshold``, at most ``carry_max`` of
    them. What comes out does not depend on the order in which the sources answered.
    """
    carried = [c for c in state["ranked"] if (c["score"] or 0.0) >= context.keep_threshold]
    candidates = [*carried[: context.carry_max], *state["new_chunks"]]
    return {"pool": distinct(candidates)[: context.pool_max]}


def distinct(chunks: Iterable[Chunk]) -> list[Chunk]:
    """Keep the best of chunks with the same or nearly the same text, with all their sources.

    Best is the highest score, then the source's rank, then the more trusted source.
    """
    kept: list[Chunk] = []
    shapes: list[Shape] = []
    for chunk in sorted(chunks, key=_order):
        shape = shape_of(chunk["content"])
        twin = next((i for i, other in enumerate(shapes) if near(shape, other)), None)
        if twin is None:
            kept.append(chunk)
            shapes.append(shape)
        else:
            kept[twin] = _joined(kept[twin], chunk)
    return kept


def _order(chunk: Chunk) -> tuple[Any, ...]:
    scored = chunk["score"] is not None
    return (
        not scored,
        -(chunk["score"] or 0.0),
        chunk["rank"],
        ALL_SOURCES.index(chunk["origin"]),
        chunk["id"],
        sorted(map(str, chunk["metadata"].items())),
    )


def _joined(first: Chunk, second: Chunk) -> Chunk:
    """Keep the source of a duplicate; a curated copy makes the chunk a curated one."""
    origin = min(first["origin"], second["origin"], key=ALL_SOURCES.index)
    sources = _sources([first, second])
    also_in = [source for source in sources if source != first["metadata"].get("source")]
    metadata = first["metadata"] | ({"also_in": also_in} if also_in else {})
    return {**first, "origin": origin, "metadata": metadata}


def _sources(chunks: Sequence[Chunk]) -> list[str]:
    named = [
        source
        for chunk in chunks
        for source in (chunk["metadata"].get("source"), *chunk["metadata"].get("also_in", []))
        if source
    ]
    return list(dict.fromkeys(named))
