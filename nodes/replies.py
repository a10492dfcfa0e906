"""End a run: the three ways in which the corrective graph stops."""

from nodes.citations import citations_of
from nodes.claims import remove_claims
from nodes.text import language
from state.corrective import CorrectiveContext, CorrectiveState
from state.outcome import Update

NOT_FOUND = "The answer could not be found in the documents."
_NOT_FOUND = {
    "ar": "لم يُعثر على الإجابة في المستندات.",
    "ja": "文書の中に回答は見つかりませんでした。",
    "zh": "在文档中未能找到答案。",
}


def accept(state: CorrectiveState, context: object) -> Update:
    """Return the draft: every claim was found supported."""
    return {
        "answer": state["draft"],
        "status": "answered",
        "stop_reason": "The check found every claim supported.",
        "unsupported_claims": [],
    }


def trim(state: CorrectiveState, context: CorrectiveContext) -> Update:
    """Return the last draft without its unsupported claims: the cap was reached."""
    kept = remove_claims(state["draft"], state["unsupported_claims"])
    when = _when(state, context)
    if not kept.text:
        why = f"No supported claim was left {when}."
        return not_found({**state, "stop_reason": why}, context)
    return {
        "answer": kept.text,
        "status": "partly_supported",
        "stop_reason": _why_not_passed(state, len(kept.unplaced), when),
        "citations": citations_of(kept.text, state["documents"]),
    }


def not_found(state: CorrectiveState, context: object) -> Update:
    """Say that there is no answer, never one from rejected documents."""
    return {
        "answer": not_found_reply(state["question"]),
        "status": "not_found",
        "stop_reason": state["stop_reason"],
        "citations": [],
        **({} if state["draft"] or state["checks"] else {"documents": []}),
    }


def not_found_reply(question: str) -> str:
    """Return the reply in the question's script: Arabic, Japanese or Chinese, else English."""
    return _NOT_FOUND.get(language(question), NOT_FOUND)


def _when(state: CorrectiveState, context: CorrectiveContext) -> str:
    """Say which limit was reached."""
    done = state["regenerations"]
    again = f"after {done} regeneration{'' if done == 1 else 's'}"
    out_of_steps = done < context.max_regenerations
    return f"{again}, where the run's recursion limit ended it" if out_of_steps else again


def _why_not_passed(state: CorrectiveState, unplaced: int, when: str) -> str:
    """Say what the last check left open."""
    if state["checks"][-1]["problem"]:
        return f"The check of the answer could not be read {when}; nothing is confirmed."
    count = len(state["unsupported_claims"])
    if not count:
        return f"The check did not pass {when}, and did not say which claim it missed."
    left = f"; {unplaced} more could not be placed in it, so it may still hold them"
    return (
        f"The check did not fully pass {when}; {count - unplaced} unsupported claim(s) were "
        f"removed from the answer{left if unplaced else ''}."
    )
