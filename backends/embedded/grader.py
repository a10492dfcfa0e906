"""Grade a document by its sentence that is nearest to the question."""

from typing import Any

from backends.embedded.evidence import Question, score
from state.documents import Document

_LONGEST_SPAN = 240


class Grader:
    """Calls a document relevant when one of its sentences is near enough to the question.

    It tells apart what is on the topic and what is not; it cannot tell whether a sentence on
    the topic holds the answer (``docs/embedded.md`` has the numbers).
    """

    name = "embedded extractive"

    def __call__(self, question: str, doc: Document) -> dict[str, Any]:
        """Return the fields of ``DocumentGrade``; the reason quotes the sentence and its score."""
        asked = Question(question)
        best = max(score(asked, doc), key=lambda scored: scored.score, default=None)
        if best is None:
            return {"relevant": False, "reason": "The document has no text."}
        relevant = best.score >= asked.threshold
        says = "The nearest sentence" if relevant else "Even the nearest sentence"
        return {
            "relevant": relevant,
            "reason": f"{says} scores {best.score:.2f} where {asked.threshold:.2f} is needed: "
            f"“{_span(best.unit.text)}”",
        }


def _span(text: str) -> str:
    return text if len(text) <= _LONGEST_SPAN else text[:_LONGEST_SPAN].rstrip() + "…"
