"""Check every claim of a draft against the documents it was written from."""

from nodes.calls import Steps, ask_json
from nodes.events import note
from nodes.marks import without_marks
from prompts import load
from state.corrective import Check, CorrectiveState
from state.outcome import Update
from state.verdicts import AnswerCheck

_ATTEMPTS = 2


def check(state: CorrectiveState, context: object) -> Steps[Update]:
    """Check the draft; a reply that cannot be read is asked for once more.

    It then counts as not passed (reading 4). An empty draft has nothing to support, and
    without documents nothing is supported: neither passes, and nobody is asked.
    """
    draft = without_marks(state["draft"], [d["id"] for d in state["documents"]])
    found: Check = {"supported": False, "unsupported_claims": [], "problem": ""}
    if draft.strip() and state["documents"]:
        found = yield from _ask(state, draft)
    note("check", **found)
    return {"checks": [found], "unsupported_claims": found["unsupported_claims"]}


def _ask(state: CorrectiveState, draft: str) -> Steps[Check]:
    for _ in range(_ATTEMPTS):
        reading = yield from ask_json(
            "checker", load("answer_check"), AnswerCheck, docs=state["documents"], answer=draft
        )
        if reading.value is not None:
            return {**reading.value.model_dump(), "problem": ""}  # type: ignore[typeddict-item]
        note("unreadable_check", model=reading.model, raw=reading.raw)
    return {"supported": False, "unsupported_claims": [], "problem": "unreadable"}
