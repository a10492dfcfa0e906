"""Which of the ranked chunks are read, and under which number."""

from collections.abc import Sequence

from state.documents import Document
from state.study import Chunk, StudyContext


def worth_reading(ranked: Sequence[Chunk], context: StudyContext) -> list[Chunk]:
    """Return the ranked chunks over the low threshold, best first.

    What scored lower would be read, and made into an answer, by a model that is asked to
    answer from it; a pin keeps a chunk in the ranking, not in the prompt.
    """
    return [chunk for chunk in ranked if (chunk["score"] or 0.0) > context.low_threshold]


def numbered(chunks: Sequence[Chunk]) -> list[Document]:
    """Return chunks as documents whose ids are ``1``, ``2``, … in order, for short marks."""
    return [
        {"id": str(n), "content": chunk["content"], "metadata": chunk["metadata"]}
        for n, chunk in enumerate(chunks, 1)
    ]
