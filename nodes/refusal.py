"""Grade each passage, answer from the survivors, or refuse (document 002)."""

from nodes.abstention import abstains
from nodes.answering import write_answer
from nodes.calls import Steps
from nodes.citations import citation
from nodes.events import note
from nodes.intake import fresh
from nodes.judging import judge, no_verdict_at_all
from state.outcome import Update
from state.refusal import GradedPassage, PassageTask, PassageVerdict, RefusalState

NOTHING_RETRIEVED = "No passage matches the question, so there is nothing to answer it from."
DO_NOT_SAY = "The passages that were kept do not contain the answer."


def start_refusal(state: RefusalState, context: object) -> Update:
    """Reset what a run collects."""
    return {**fresh(state), "usage": None, "verdicts": None, "invalid_citations": 0}


def grade_passage(state: PassageTask, context: object) -> Steps[Update]:
    """Judge one passage on its own, so that a bad one cannot hide in a batch."""
    passage = state["document"]
    judged = yield from judge(state["question"], passage, "passage_verdict", PassageVerdict)
    graded: GradedPassage = {
        "document_id": passage["id"],
        "title": citation(passage)["title"],
        "verdict": judged.verdict.verdict if judged.verdict else "irrelevant",
        "why": judged.verdict.why if judged.verdict else judged.why,
        "problem": judged.problem,
    }
    note("passage_verdict", **graded, **judged.said)
    return {"verdicts": [graded]}


def discard(state: RefusalState, context: object) -> Update:
    """Keep the relevant passages only.

    Raises:
        ModelError: No passage could be graded at all; an outage is not a refusal.
    """
    verdicts = state["verdicts"]
    no_verdict_at_all([graded["problem"] for graded in verdicts], verdicts[-1]["why"])
    kept = {graded["document_id"] for graded in verdicts if graded["verdict"] == "relevant"}
    return {"documents": [d for d in state["documents"] if d["id"] in kept]}


def answer(state: RefusalState, context: object) -> Steps[Update]:
    """Answer from the surviving passages; a citation of any other is removed."""
    withheld = [graded["document_id"] for graded in state["verdicts"]]
    written = yield from write_answer(state["question"], state["documents"], withheld=withheld)
    text = written.cited.text.strip()
    found = {
        "documents": written.packed.documents,
        "left_out": written.packed.left_out,
        "invalid_citations": written.cited.invalid,
    }
    if not text or abstains(text):
        return {**found, "answer": DO_NOT_SAY, "status": "refused", "stop_reason": DO_NOT_SAY}
    kept = len(written.packed.documents)
    return {
        **found,
        "answer": text,
        "status": "answered",
        "stop_reason": f"Answered from {kept} of {len(state['verdicts'])} retrieved passage(s).",
        "citations": written.cited.citations,
    }


def refuse(state: RefusalState, context: object) -> Update:
    """Refuse: nothing was retrieved, or nothing survived grading; both are results."""
    verdicts = state["verdicts"]
    if not verdicts:
        return {"answer": NOTHING_RETRIEVED, "status": "refused", "stop_reason": NOTHING_RETRIEVED}
    why = (
        f"All {len(verdicts)} retrieved passages were graded irrelevant, so the question is not "
        "answered."
    )
    reasons = "".join(f"\n- {graded['title']}: {graded['why']}" for graded in verdicts)
    return {"answer": why + reasons, "status": "refused", "stop_reason": why}
