"""Start and end a run of the groundedness graph."""

from collections.abc import Mapping
from typing import Any

from nodes.intake import fresh
from nodes.text import language
from state.groundedness import GroundednessState
from state.outcome import Update

NO_SUPPORTED_ANSWER = "No supported answer was found in the documents."
OUT_OF_STEPS = "The run's recursion limit left no steps for another loop."
_NO_SUPPORTED_ANSWER = {
    "ar": "لم يُعثر في المستندات على إجابة مدعومة.",
    "ja": "文書に裏付けのある回答は見つかりませんでした。",
    "zh": "在文档中未能找到有依据的答案。",
}


def start(state: Mapping[str, Any], context: object) -> Update:
    """Reset what a run collects; the first query is the question."""
    clean = fresh(state)
    return {
        **clean,
        "usage": None,
        "query": clean["question"],
        "searches": None,
        "draft": "",
        "answer_grades": None,
        "loops": 0,
        "regenerations": 0,
        "reretrievals": 0,
        "invalid_citations": 0,
    }


def accept(state: GroundednessState, context: object) -> Update:
    """Return the answer: both checks passed."""
    return {
        "answer": state["draft"],
        "status": "answered",
        "stop_reason": "The grader found the answer grounded and to the point.",
    }


def give_up(state: GroundednessState, context: object) -> Update:
    """Say, in the question's script, that no supported answer was found.

    The last documents come with it.
    """
    return {
        "answer": _NO_SUPPORTED_ANSWER.get(language(state["question"]), NO_SUPPORTED_ANSWER),
        "status": "no_answer",
        "stop_reason": state["stop_reason"] or OUT_OF_STEPS,
        "citations": [],
    }
