"""Grade documents one by one, and keep the relevant ones."""

from nodes.calls import Steps, ask_json, pack
from nodes.events import note
from prompts import load
from state.corrective import CorrectiveState, Grade, GradingTask, Problem
from state.errors import ModelUnavailable
from state.outcome import Update
from state.verdicts import DocumentGrade


def grade(state: GradingTask, context: object) -> Steps[Update]:
    """Judge one document on its own, so that a bad one cannot hide in a batch."""
    question, document = state["question"], state["document"]
    packed = yield from pack([document], "grader", question=question)
    try:
        reading = yield from ask_json(
            "grader",
            load("document_grader"),
            DocumentGrade,
            question=question,
            doc=packed.documents[0],
        )
    except ModelUnavailable as error:
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
    """Keep the documents that were graded relevant.

    Raises:
        ModelUnavailable: No document could be graded at all; an outage is not "not found".
    """
    grades = state["grades"]
    if grades and all(verdict["problem"] == "failed" for verdict in grades):
        raise ModelUnavailable(f"No document could be graded. {grades[-1]['reason']}")
    relevant = {verdict["document_id"] for verdict in grades if verdict["relevant"]}
    if relevant:
        return {"documents": [d for d in state["documents"] if d["id"] in relevant]}
    return {"stop_reason": _nothing_relevant(len(grades))}


def _missing(document_id: str, problem: Problem, reason: str) -> Grade:
    """Count a verdict that cannot be had as "not relevant", and say so."""
    return {"document_id": document_id, "relevant": False, "reason": reason, "problem": problem}


def _nothing_relevant(graded: int) -> str:
    if not graded:
        return "The index has no document for this question."
    return f"None of the {graded} retrieved documents was graded relevant."
