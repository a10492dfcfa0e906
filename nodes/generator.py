"""Write a draft from the documents, with citations."""

from nodes.abstention import abstains
from nodes.answering import Written, write_answer
from nodes.calls import Steps
from state.corrective import CorrectiveState
from state.errors import ContextOverflow
from state.outcome import Update

DOES_NOT_SAY = "The documents do not contain the answer."
DOES_NOT_FIT = "The documents do not fit the model's window."


def generate(state: CorrectiveState, context: object) -> Steps[Update]:
    """Write a draft, or write it again without the claims that were not supported.

    The stop reason is set when there is no draft to check.
    """
    again = {"regenerations": state["regenerations"] + bool(state["checks"])}
    try:
        written = yield from _write(state)
    except ContextOverflow as error:
        return {"draft": "", "citations": [], "stop_reason": f"{DOES_NOT_FIT} {error}", **again}
    draft, packed = written.cited.text, written.packed
    return {
        "draft": draft,
        "citations": written.cited.citations,
        **({"documents": packed.documents} if packed.left_out else {}),
        "left_out": [*state["left_out"], *packed.left_out],
        "invalid_citations": state["invalid_citations"] + written.cited.invalid,
        "stop_reason": DOES_NOT_SAY if abstains(draft) else "",
        **again,
    }


def _write(state: CorrectiveState) -> Steps[Written]:
    return write_answer(
        state["question"],
        state["documents"],
        readers=("generator", "checker"),
        draft=state["draft"],
        unsupported_claims=state["unsupported_claims"],
        earlier_drafts=len(state["checks"]),
        withheld=[grade["document_id"] for grade in state["grades"]],
    )
