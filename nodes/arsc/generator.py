"""Write the answer from the relevant documents (section 2.4)."""

from nodes.abstention import abstains
from nodes.answering import write_answer
from nodes.arsc.history import with_line
from nodes.calls import Steps
from nodes.replies import NOT_FOUND
from state.arsc import ArscContext, ArscState
from state.outcome import Status, Update


def generator(state: ArscState, context: ArscContext) -> Steps[Update]:
    """Answer the user's own question; the run ends here."""
    written = yield from write_answer(
        state["original_question"],
        state["documents"],
        withheld=[grading["document_id"] for grading in state["gradings"]],
    )
    text = written.cited.text.strip()
    status: Status = "not_found" if not text or abstains(text) else "answered"
    answer = text if status == "answered" else NOT_FOUND
    line = f"Generated an answer from {len(written.packed.documents)} document(s)."
    if status == "not_found":
        line = "The relevant documents do not contain the answer."
    return with_line(
        state,
        line,
        generation=answer,
        answer=answer,
        status=status,
        stop_reason=line,
        citations=written.cited.citations if status == "answered" else [],
        documents=written.packed.documents,
        left_out=written.packed.left_out,
        invalid_citations=written.cited.invalid,
    )
