"""Write a draft from the documents, with citations."""

from nodes.abstention import abstains
from nodes.answering import write_answer
from nodes.calls import Steps
from state.corrective import CorrectiveState
from state.outcome import Update

DOES_NOT_SAY = "The documents do not contain the answer."


def generate(state: CorrectiveState, context: object) -> Steps[Update]:
    """Write a draft, or write it again without the claims that were not supported."""
    written = yield from write_answer(
        state["question"],
        state["documents"],
        readers=("generator", "checker"),
        draft=state["draft"],
        unsupported_claims=state["unsupported_claims"],
    )
    draft = written.cited.text
    return {
        "draft": draft,
        "citations": written.cited.citations,
        "documents": written.packed.documents,
        "left_out": [*state["left_out"], *written.packed.left_out],
        "invalid_citations": state["invalid_citations"] + written.cited.invalid,
        "regenerations": state["regenerations"] + bool(state["checks"]),
        "stop_reason": DOES_NOT_SAY if abstains(draft) else "",
    }
