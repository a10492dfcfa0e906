"""Write an answer from the documents, or again without its unsupported claims."""

from nodes.answering import write_answer
from nodes.calls import Steps
from nodes.groundedness.progress import stale_answer
from state.groundedness import GroundednessState
from state.outcome import Update


def generate(state: GroundednessState, context: object) -> Steps[Update]:
    """Write from the documents of the last search; the question is always the user's own."""
    again = bool(state["answer_grades"]) and state["answer_grades"][-1]["loop"] == "regenerate"
    written = yield from write_answer(
        state["question"],
        state["documents"],
        readers=("generator", "grader"),
        draft=state["draft"],
        unsupported_claims=state["unsupported_claims"],
    )
    return {
        "draft": written.cited.text,
        "citations": written.cited.citations,
        "documents": written.packed.documents,
        "left_out": [*state["left_out"], *written.packed.left_out],
        "invalid_citations": state["invalid_citations"] + written.cited.invalid,
        "loops": state["loops"] + again,
        "regenerations": state["regenerations"] + again,
        "stop_reason": stale_answer(written.cited.text, state["answer_grades"], state["searches"]),
    }
