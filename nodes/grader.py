"""Grade documents one by one, and keep the relevant ones."""

from nodes.calls import Reading, Steps, ask_json, pack
from nodes.events import note
from prompts import load
from state.corrective import CorrectiveState, Grade, GradingTask, Problem
from state.documents import Document
from state.errors import ContextOverflow, ModelError
from state.outcome import Update
from state.verdicts import DocumentGrade


def grade(state: GradingTask, context: object) -> Steps[Update]:
    """Judge one document on its own, so that a bad one cannot hide in a batch.

    A verdict that cannot be had counts as "not relevant": the other documents still count.
    """
    document = state["document"]
    try:
        reading = yield from _ask(state["question"], document)
    except ModelError as error:
        verdict = _missing(document["id"], "failed", f"The grader gave no verdict: {error}")
        note("grade", **verdict)
        return {"grades": [verdict]}
    if reading.value is None:
        verdict = _missing(document["id"], "unreadable", "The grader's reply could not be read.")
        note("grade", **verdict, model=reading.model, raw=reading.raw)
        return {"grades": [verdict]}
    verdict = {
        "document_id": document["id"],
        "relevant": reading.value.relevant,
        "reason": reading.value.reason,
        "problem": "",
    }
    note("grade", **verdict, model=reading.model)
    return {"grades": [verdict]}


def select(state: CorrectiveState, context: object) -> Update:
    """Keep the documents that were graded relevant; grades come in the documents' order.

    Raises:
        ModelError: No document could be graded at all; an outage is not "not found".
    """
    grades = state["grades"]
    if grades and all(verdict["problem"] == "failed" for verdict in grades):
        raise ModelError(f"No document could be graded. {grades[-1]['reason']}")
    judged = zip(state["documents"], grades, strict=True)
    relevant = [document for document, verdict in judged if verdict["relevant"]]
    if not relevant:
        return {"stop_reason": _nothing_relevant(len(grades))}
    return {"documents": relevant} if len(relevant) < len(grades) else {}


def _ask(question: str, document: Document) -> Steps[Reading[DocumentGrade]]:
    packed = yield from pack([document], "grader", question=question)
    if not packed.documents:
        raise ContextOverflow("The question leaves no room for a document in its window.")
    reading = yield from ask_json(
        "grader",
        load("document_grader"),
        DocumentGrade,
        question=question,
        doc=packed.documents[0],
    )
    return reading


def _missing(document_id: str, problem: Problem, reason: str) -> Grade:
    """Count a verdict that cannot be had as "not relevant", and say so."""
    return {"document_id": document_id, "relevant": False, "reason": reason, "problem": problem}


def _nothing_relevant(graded: int) -> str:
    if not graded:
        return "The index has no document for this question."
    return f"None of the {graded} retrieved documents was graded relevant."
