"""Play Self-RAG's model: quote one sentence a segment, with the tokens a model would emit.

The grader gives IsRel, the checker gives IsSup, and nearness to the question gives IsUse, so
the tokens mean what they mean everywhere in the embedded default.
"""

from collections.abc import Sequence

from backends.embedded.checker import Checker
from backends.embedded.evidence import Question, Scored, score
from backends.embedded.generator import Generator
from backends.embedded.grader import Grader
from backends.embedded.wording import content_stems
from nodes.text import sentences
from state.documents import Document

_MARGIN = 0.15
"""How far below the best sentence of the answer a further one may score."""
_SAME = 0.8
_BANDS = (0.0, 0.1, 0.2, 0.3)
"""How far above the threshold a sentence must score for IsUse 2, 3, 4 and 5."""


class AnyGenerator:
    """Writes an answer from documents, or the next segment of one from a passage."""

    name = Generator.name

    def __call__(
        self,
        question: str,
        docs: Sequence[Document] = (),
        unsupported_claims: Sequence[str] = (),
        answer: str | None = None,
        passage: Document | None = None,
    ) -> str:
        """Return quotes with citations; given the answer so far, a segment with tokens."""
        if answer is None:
            return Generator()(question, docs, unsupported_claims)
        if passage is not None:
            return _segment(question, answer, passage)
        # Extracts need a document: first a search, then what else its passages say.
        return "[Retrieve=Continue]" if answer else "[Retrieve=Yes]"


def _segment(question: str, answer: str, passage: Document) -> str:
    """Quote the nearest sentence that the answer does not have; nothing when there is none."""
    if not Grader()(question, passage)["relevant"]:
        return "[Retrieve=Yes] [IsRel=Irrelevant] [IsUse=1]"
    asked = Question(question)
    said = [content_stems(sentence) for sentence in sentences(answer)]
    least = max(asked.threshold, _best(asked, answer) - _MARGIN)
    new = [s for s in score(asked, passage) if s.score >= least and not _is_said(s, said)]
    if not new:
        return "[Retrieve=No] [IsRel=Relevant] [IsSup=Fully] [IsUse=1]"
    best = max(new, key=lambda scored: scored.score)
    quote = best.unit.quote.strip()
    supported = Checker()([passage], quote)["supported"]
    use = 1 + sum(best.score >= asked.threshold + band for band in _BANDS)
    return (
        f"[Retrieve=Yes] [IsRel=Relevant] {quote} "
        f"[IsSup={'Fully' if supported else 'No'}] [IsUse={use}]"
    )


def _best(asked: Question, answer: str) -> float:
    """Return how near the answer so far is to the question; without one, as far as can be."""
    so_far: Document = {"id": "answer", "content": answer, "metadata": {}}
    return max((scored.score for scored in score(asked, so_far)), default=-1.0)


def _is_said(scored: Scored, said: Sequence[frozenset[str]]) -> bool:
    words = content_stems(scored.unit.quote)
    return any(len(words & other) >= _SAME * max(1, len(words)) for other in said)
