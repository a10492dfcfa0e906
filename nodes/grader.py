"""Grade documents one by one, and keep the relevant ones."""

from nodes.calls import Steps
from nodes.events import note
from nodes.judging import judge, no_verdict_at_all
from state.corrective import CorrectiveState, Grade, GradingTask
from state.outcome import Update
from state.verdicts import DocumentGrade


def grade(state: GradingTask, context: object) -> Steps[Update]:
    """Judge one document on its own, so that a bad one cannot hide in a batch.

    A verdict that cannot be had counts as "not relevant": the other documents still count.
    """
    document = state["document"]
    judged = yield from judge(state["question"], document, "document_grader", DocumentGrade)
    verdict: Grade = {
        "document_id": document["id"],
        "relevant": bool(judged.verdict and judged.verdict.relevant),
        "reason": judged.verdict.reason if judged.verdict else judged.why,
        "problem": judged.problem,
    }
    note("grade", **verdict, **judged.said)
    return {"grades": [verdict]}


def select(state: CorrectiveState, context: object) -> Update:
    """Keep the documents that were graded relevant; grades come in the documents' order.

    Raises:
        ModelError: No document could be graded at all; an outage is not "not found".
    """
    grades = state["grades"]
    if grades:
        no_verdict_at_all([verdict["problem"] for verdict in grades], grades[-1]["reason"])
    judged = zip(state["documents"], grades, strict=True)
    relevant = [document for document, verdict in judged if verdict["relevant"]]
    if not relevant:
        return {"stop_reason": _nothing_relevant(len(grades))}
    return {"documents": relevant} if len(relevant) < len(grades) else {}


def _nothing_relevant(graded: int) -> str:
    if not graded:
        return "The index has no document for this question."
    return f"None of the {graded} retrieved documents was graded relevant."
