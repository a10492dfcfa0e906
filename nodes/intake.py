"""Take the question in and start clean."""

from collections.abc import Mapping
from typing import Any

from state.errors import BadQuestion
from state.outcome import Outcome, Update


def valid_question(question: object) -> str:
    """Return the question, or say what is wrong with it.

    Raises:
        BadQuestion: It is missing, not text, blank, or not valid Unicode.
    """
    if not isinstance(question, str):
        raise BadQuestion('No question was given. Pass it as {"question": "…"}.')
    if not question.strip():
        raise BadQuestion("The question is empty. Ask something, like “How long is the warranty?”.")
    try:
        question.encode()
    except UnicodeEncodeError as error:
        raise BadQuestion(
            "The question has a broken character (a lone surrogate) at position "
            f"{error.start}. Remove it and ask again."
        ) from error
    return question


def fresh(state: Mapping[str, Any]) -> Outcome:
    """Return the outcome fields as a run starts with them, whatever the thread held before."""
    return {
        "question": valid_question(state.get("question")),
        "answer": "",
        "status": "no_answer",
        "stop_reason": "",
        "documents": [],
        "citations": [],
        "unsupported_claims": [],
        "left_out": [],
        "usage": {},
    }


def start_clean(state: Mapping[str, Any], context: object) -> Update:
    """Reset what a corrective run collects."""
    return {
        **fresh(state),
        "usage": None,
        "grades": None,
        "web_query": "",
        "draft": "",
        "checks": None,
        "regenerations": 0,
        "invalid_citations": 0,
    }
