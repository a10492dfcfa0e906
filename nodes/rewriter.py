"""Rewrite the question into a search query."""

import re

from nodes.calls import Steps, ask
from nodes.events import note
from prompts import load
from state.corrective import CorrectiveState
from state.outcome import Update

_LONGEST_QUERY = 400
_LABEL = re.compile(r"^(?:[\w ]{0,20}\s)?quer(?:y|ies)\s*:\s*", re.IGNORECASE)
_WRAPPING = " \t\"'`“”‘’«»*"


def rewrite_for_web(state: CorrectiveState, context: object) -> Steps[Update]:
    """Turn the question and the reasons for rejection into one web query."""
    reasons = [grade["reason"] for grade in state["grades"]]
    reply = yield from ask(
        "rewriter",
        load("web_query_rewriter"),
        question=state["question"],
        reasons=reasons or ["Nothing was retrieved."],
    )
    query = read_query(reply.text) or state["question"][:_LONGEST_QUERY]
    note("rewritten_query", question=state["question"], query=query, model=reply.model)
    return {"web_query": query}


def read_query(reply: str) -> str:
    """Read the one query of a reply that may have a label, quotes or a fence around it.

    At most 400 characters, which is what search services accept.
    """
    lines = [line.strip() for line in reply.splitlines()]
    lines = [line for line in lines if line.strip("`") and not line.startswith("```")]
    queries = [line for line in lines if not line.endswith(":")]
    if not queries:
        return ""
    return _LABEL.sub("", queries[0].strip(_WRAPPING)).strip(_WRAPPING)[:_LONGEST_QUERY].strip()
