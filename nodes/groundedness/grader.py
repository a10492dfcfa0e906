"""Grade an answer: is it grounded, does it answer, and which loop does that trigger?"""

from nodes.abstention import abstains
from nodes.calls import Steps, ask_json
from nodes.events import note
from nodes.groundedness.progress import SAME_DOCUMENTS
from nodes.marks import without_marks
from prompts import load
from state.groundedness import (
    AnswerGrade,
    GradedAnswer,
    GroundednessContext,
    GroundednessState,
    Loop,
)
from state.outcome import Update

_ATTEMPTS = 2


def grade_answer(state: GroundednessState, context: GroundednessContext) -> Steps[Update]:
    """Grade the answer, and record the loop that the grade triggers."""
    graded = yield from _grade(state)
    graded["loop"], why = _loop(graded, state, context)
    note("answer_grade", **graded, loops=state["loops"])
    return {
        "answer_grades": [graded],
        "unsupported_claims": graded["unsupported_claims"],
        "stop_reason": why,
    }


def _grade(state: GroundednessState) -> Steps[GradedAnswer]:
    """Ask the grader; two verdicts are settled in code, whatever it says.

    An answer without documents or without text is never grounded, and no call is made. An
    answer that says "not in the documents" claims nothing, so it is grounded, and it does
    not answer; the loop for it is another search, never a regeneration.
    """
    draft = without_marks(state["draft"], [d["id"] for d in state["documents"]])
    graded: GradedAnswer = {
        "answer": state["draft"],
        "grounded": False,
        "answers_question": False,
        "unsupported_claims": [],
        "abstains": False,
        "problem": "",
        "reason": "There is no text or no document, so nothing is grounded.",
        "loop": "none",
    }
    if not state["documents"] or not draft.strip():
        return graded
    verdict = yield from _ask(state, draft)
    if abstains(state["draft"]):
        why = "It only says that the documents do not have the answer."
        return {**graded, "abstains": True, "grounded": True, "reason": why}
    if verdict is None:
        why = "The grader's reply could not be read twice, so nothing is confirmed."
        return {**graded, "problem": "unreadable", "reason": why}
    return {**graded, **verdict.model_dump(), "reason": _reason(verdict)}  # type: ignore[typeddict-item]


def _ask(state: GroundednessState, draft: str) -> Steps[AnswerGrade | None]:
    """Ask; once more when the reply cannot be read."""
    for _ in range(_ATTEMPTS):
        reading = yield from ask_json(
            "grader",
            load("answer_grader"),
            AnswerGrade,
            question=state["question"],
            docs=state["documents"],
            answer=draft,
        )
        if reading.value is not None:
            return reading.value
        note("unreadable_answer_grade", model=reading.model, raw=reading.raw)
    return None


def _reason(verdict: AnswerGrade) -> str:
    if not verdict.grounded:
        count = len(verdict.unsupported_claims)
        return f"{count or 'Some'} claim(s) are not stated in the documents."
    if not verdict.answers_question:
        return "It is grounded, but it does not answer the question."
    return "It is grounded and answers the question."


def _loop(
    graded: GradedAnswer, state: GroundednessState, context: GroundednessContext
) -> tuple[Loop, str]:
    """Return which loop a grade triggers; at a cap, that the run stops, and why."""
    if graded["grounded"] and graded["answers_question"]:
        return "none", ""
    if state["loops"] >= context.max_loops:
        return "stop", f"No answer passed within the cap of {context.max_loops} loop(s)." + (
            f" {graded['reason']}"
        )
    if not graded["grounded"]:
        return "regenerate", ""
    if state["reretrievals"] >= context.max_reretrievals:
        return "stop", (
            f"The question was still not answered at the cap of {context.max_reretrievals} "
            "re-retrieval(s)."
        )
    if state["searches"][-1]["nothing_new"]:
        return "stop", SAME_DOCUMENTS
    return "retrieve", ""
