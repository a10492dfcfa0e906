"""Write the answer from the ranked chunks (document 003, node 12)."""

from nodes.abstention import abstains
from nodes.calls import Steps
from nodes.study.evidence import worth_reading
from nodes.study.replies import NOT_FOUND
from nodes.study.writing import write
from state.outcome import Update
from state.study import StudyContext, StudyState, top_score


def generate(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Answer from what scored well and from nothing else; the sources cited are listed."""
    evidence = worth_reading(state["ranked"], context)
    written = yield from write("study_answer", state["original_q"], evidence, context)
    update: Update = {
        "low_confidence": False,
        "documents": written.documents,
        "left_out": written.left_out,
        "invalid_citations": written.invalid,
    }
    if not written.text or abstains(written.text):
        return update | {
            "answer": NOT_FOUND[state["language"]],
            "citations": [],
            "status": "not_found",
            "stop_reason": "The model did not find the answer in the chunks it was given.",
        }
    return update | {
        "answer": written.text,
        "citations": written.citations,
        "status": "answered",
        "stop_reason": _why(state),
    }


def _why(state: StudyState) -> str:
    best = f"The best chunk scored {top_score(state):.2f}"
    judged = [e for e in state["evaluations"] if e["attempt"] == state["retries"]]
    return f"{best}, and the evaluator found the evidence sufficient." if judged else f"{best}."
