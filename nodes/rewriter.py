"""Rewrite the question into a search query."""

import re

from nodes.calls import Steps, ask
from nodes.events import note
from prompts import load
from state.corrective import CorrectiveState
from state.outcome import Update

LONGEST_QUERY = 400
"""Characters that search services accept."""
_LABEL = re.compile(
    r"^(?:\*\*)?(?:[\w ]{0,20}\s)?quer(?:y|ies)(?:\*\*)?\s*:\s*(?:\*\*)?\s*", re.IGNORECASE
)
_BULLET = re.compile(r"^[-*•]\s+")
_WRAPPINGS = ("**", "**"), ("`", "`"), ('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»")


def rewrite_for_web(state: CorrectiveState, context: object) -> Steps[Update]:
    """Turn the question and the reasons for rejection into one web query."""
    reasons = [grade["reason"] for grade in state["grades"] if not grade["problem"]]
    reply = yield from ask(
        "rewriter",
        load("web_query_rewriter"),
        question=state["question"],
        reasons=reasons or [state["stop_reason"]],
    )
    query = read_query(reply.text) or state["question"][:LONGEST_QUERY]
    note("rewritten_query", question=state["question"], query=query, model=reply.model)
    return {"web_query": query}


def read_query(reply: str) -> str:
    """Read the one query of a reply that may have a label, quotes or a fence around it.

    Quotes inside stay: they ask a search service for the exact phrase. At most 400 characters.
    """
    lines = [line.strip() for line in reply.splitlines()]
    lines = [line for line in lines if line.strip("`") and not line.startswith("```")]
    queries = [line for line in lines if not _unwrapped(line).endswith(":")]
    if not queries:
        return ""
    query = _LABEL.sub("", _unwrapped(_BULLET.sub("", queries[0])))
    query = _unwrapped(query)[:LONGEST_QUERY].strip()
    return query if re.search(r"\w", query) else ""


def _unwrapped(text: str) -> str:
    """Take off what is around the whole text."""
    text = text.strip()
    for start, end in _WRAPPINGS:
        inner = text[len(start) : -len(end)].strip()
        if text.startswith(start) and text.endswith(end) and inner and start not in inner:
            return _unwrapped(inner)
    return text
