"""End the two short paths with their ready reply (document 003, nodes 2 and 3)."""

from state.outcome import Update
from state.study import StudyState


def reply_chitchat(state: StudyState, context: object) -> Update:
    """Answer a greeting, thanks or small talk; nothing was searched."""
    return _ready(state) | {
        "status": "answered",
        "stop_reason": "This is small talk, so nothing was searched.",
    }


def reply_refusal(state: StudyState, context: object) -> Update:
    """Refuse what is out of bounds; nothing was searched."""
    why = f"The question is out of bounds ({state['topic'] or 'unsafe'}), so nothing was searched."
    return _ready(state) | {"status": "refused", "stop_reason": why}


def _ready(state: StudyState) -> Update:
    return {"answer": state["reply"] or "", "citations": [], "low_confidence": False}
