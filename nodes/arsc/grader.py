"""Grade all retrieved documents by one enforced tool call (section 2.2)."""

from collections.abc import Sequence

from nodes.arsc.history import with_line
from nodes.calls import Steps, ask_by_tool, pack, together
from nodes.events import note
from prompts import load
from state.arsc import ArscContext, ArscState, GradingItem, GradingResult, GradingResults
from state.documents import Document
from state.errors import CragError, ModelError
from state.outcome import Update


def grader(state: ArscState, context: ArscContext) -> Steps[Update]:
    """Grade against the user's own question; keep the relevant documents when there are any.

    Raises:
        ModelError: No batch could be graded; an outage is not "irrelevant".
    """
    documents = state["documents"]
    items = yield from _grade_all(state["original_question"], documents, context.grading_batch)
    gradings = [_result(document["id"], items, context.min_confidence) for document in documents]
    for grading in gradings:
        note("grading", **grading)
    yes = {grading["document_id"] for grading in gradings if grading["binary_score"] == "yes"}
    kept = [document for document in documents if document["id"] in yes]
    line = f"Graded {len(documents)} document(s): {len(kept)} relevant. " + (
        "Decision: generate." if kept else "Decision: all documents are irrelevant."
    )
    return with_line(
        state,
        line,
        documents=kept or documents,
        gradings=gradings,
        stop_reason=_exhausted(state) if not kept else "",
    )


def _grade_all(question: str, documents: Sequence[Document], size: int) -> Steps[list[GradingItem]]:
    """Grade in batches of what a model grades reliably, at the same time."""
    batches = [documents[i : i + size] for i in range(0, len(documents), size)]
    replies = yield from together(_grade_batch(question, batch) for batch in batches)
    errors = [reply for reply in replies if isinstance(reply, CragError)]
    for error in errors:
        note("grading_failed", reason=str(error))
    if errors and len(errors) == len(replies):
        raise ModelError(f"No document could be graded. {errors[0]}")
    items = [item for reply in replies if not isinstance(reply, CragError) for item in reply]
    _note_invented(items, documents)
    return items


def _grade_batch(question: str, batch: Sequence[Document]) -> Steps[list[GradingItem]]:
    packed = yield from pack(batch, "grader", question=question)
    reading = yield from ask_by_tool(
        "grader",
        load("arsc_grader"),
        GradingResults,
        question=question,
        documents=packed.documents,
    )
    if reading.value is None:
        note("unreadable_grading", model=reading.model, raw=reading.raw)
        return []
    return reading.value.results


def _result(document_id: str, items: Sequence[GradingItem], min_confidence: float) -> GradingResult:
    """Return a document's grade; left out, contradicted or too unsure, it is a "no"."""
    own = [item for item in items if item.document_id == document_id]
    if len({item.binary_score for item in own}) != 1:
        return {"document_id": document_id, "binary_score": "no", "confidence": 0.0}
    confidence = min(item.confidence for item in own)
    sure = own[0].binary_score == "yes" and confidence >= min_confidence
    return {
        "document_id": document_id,
        "binary_score": "yes" if sure else "no",
        "confidence": confidence,
    }


def _note_invented(items: Sequence[GradingItem], documents: Sequence[Document]) -> None:
    known = {document["id"] for document in documents}
    invented = sorted({item.document_id for item in items} - known)
    if invented:
        note("invented_ids", ids=invented)


def _exhausted(state: ArscState) -> str:
    """Say why the run ends, should this have been the last round."""
    return (
        f"No relevant document after {state['iteration_count']} rewrite(s), of "
        f"{state['max_iterations']} allowed."
    )
