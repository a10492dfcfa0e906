"""Grade an answer: by the checker's rule for its claims, by nearness for whether it answers."""

from collections.abc import Sequence
from typing import Any

from backends.embedded.checker import Checker
from backends.embedded.evidence import Question, score
from backends.embedded.grader import Grader
from state.documents import Document


class AnyGrader:
    """Grades a document, or an answer with the documents that it was written from."""

    name = Grader.name

    def __call__(
        self,
        question: str,
        doc: Document | None = None,
        docs: Sequence[Document] = (),
        answer: str | None = None,
    ) -> dict[str, Any]:
        """Return the fields of ``DocumentGrade``; with an answer, those of ``AnswerGrade``."""
        if answer is not None:
            return grade_answer(question, docs, answer)
        if doc is None:
            raise TypeError("There is nothing to grade: pass doc, or answer and docs.")
        return Grader()(question, doc)


def grade_answer(question: str, docs: Sequence[Document], answer: str) -> dict[str, Any]:
    """Hold an answer against its documents, and against the question.

    It answers when one of its sentences is as near to the question as a relevant document's.
    The sentence is compared where it stands in its document, since a quote alone can be bare of
    the words around it.
    """
    check = Checker()(docs, answer)
    asked = Question(question)
    itself: Document = {"id": "answer", "content": answer, "metadata": {}}
    near = [
        scored.unit.quote.strip()
        for place in [*docs, itself]
        for scored in score(asked, place)
        if scored.score >= asked.threshold
    ]
    return {
        "grounded": check["supported"],
        "answers_question": any(quote and quote in answer for quote in near),
        "unsupported_claims": check["unsupported_claims"],
    }
