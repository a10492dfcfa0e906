"""Start and end a run of the groundedness graph."""

from collections.abc import Mapping
from typing import Any

from nodes.intake import fresh
from state.groundedness import GroundednessState
from state.outcome import Update

NO_SUPPORTED_ANSWER = "No supported answer was found in the documents."


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
    """Say that no supported answer was found; the last documents come with it."""
    return {"answer": NO_SUPPORTED_ANSWER, "status": "no_answer", "citations": []}
