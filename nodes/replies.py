"""End a run: the three ways in which the corrective graph stops."""

from nodes.citations import citations_of
from nodes.claims import remove_claims
from state.corrective import CorrectiveState
from state.outcome import Update

NOT_FOUND = "The answer could not be found in the documents."


def accept(state: CorrectiveState, context: object) -> Update:
    """Return the draft: every claim was found supported."""
    return {
        "answer": state["draft"],
        "status": "answered",
        "stop_reason": "The check found every claim supported.",
        "unsupported_claims": [],
    }


def trim(state: CorrectiveState, context: object) -> Update:
    """Return the last draft without its unsupported claims: the cap was reached."""
    kept = remove_claims(state["draft"], state["unsupported_claims"])
    if not kept:
        why = "No supported claim was left at the cap of regenerations."
        return {
            **not_found({**state, "stop_reason": why}, context),
            "documents": state["documents"],
        }
    return {
        "answer": kept,
        "status": "partly_supported",
        "stop_reason": _at_the_cap(state),
        "citations": citations_of(kept, state["documents"]),
    }


def not_found(state: CorrectiveState, context: object) -> Update:
    """Say that there is no answer, never one from rejected documents."""
    return {
        "answer": NOT_FOUND,
        "status": "not_found",
        "stop_reason": state["stop_reason"],
        "citations": [],
        "documents": [] if not state["draft"] else state["documents"],
    }


def _at_the_cap(state: CorrectiveState) -> str:
    """Say what the last check left open."""
    again = f"after {state['regenerations']} regenerations"
    if state["checks"][-1]["problem"]:
        return f"The check of the answer could not be read {again}; nothing is confirmed."
    count = len(state["unsupported_claims"])
    if not count:
        return f"The check did not pass {again}, and did not say which claim it missed."
    return f"The check did not fully pass {again}; {count} unsupported claim(s) were removed."
