"""Write an answer from the documents, or again without its unsupported claims."""

from nodes.answering import Written, write_answer
from nodes.calls import Steps
from nodes.generator import DOES_NOT_FIT
from nodes.groundedness.progress import failed_before, stale_answer
from state.errors import ContextOverflow
from state.groundedness import GroundednessState
from state.outcome import Update


def generate(state: GroundednessState, context: object) -> Steps[Update]:
    """Write from the documents of the last search; the question is always the user's own."""
    again = bool(state["answer_grades"]) and state["answer_grades"][-1]["loop"] == "regenerate"
    counts = {
        "loops": state["loops"] + again,
        "regenerations": state["regenerations"] + again,
    }
    try:
        written = yield from _write(state)
    except ContextOverflow as error:
        return {**counts, "stop_reason": f"{DOES_NOT_FIT} {error}"}
    packed = written.packed
    return {
        **counts,
        "draft": written.cited.text,
        "citations": written.cited.citations,
        # A checkpoint stores a field again whenever it is written.
        **({"documents": packed.documents} if packed.left_out else {}),
        "left_out": [*state["left_out"], *packed.left_out],
        "invalid_citations": state["invalid_citations"] + written.cited.invalid,
        "stop_reason": stale_answer(written.cited.text, state["answer_grades"], state["searches"]),
    }


def _write(state: GroundednessState) -> Steps[Written]:
    return write_answer(
        state["question"],
        state["documents"],
        readers=("generator", "grader"),
        draft=state["draft"],
        unsupported_claims=state["unsupported_claims"],
        earlier_drafts=len(failed_before(state["answer_grades"], state["searches"])),
    )
