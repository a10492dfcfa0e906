"""Retrieve documents for the active query (section 2.1)."""

from collections.abc import Mapping
from typing import Any, cast

from nodes.arsc.history import CALLER_MAY_SET, shown, with_line
from nodes.calls import Steps, search_index
from nodes.intake import fresh
from nodes.retriever import distinct
from state.arsc import ArscContext, ArscStart, ArscState, NextRound
from state.outcome import Update

NO_ANSWER = "No answer was found: no relevant document turned up for any query."


def retriever(state: ArscState | NextRound, context: ArscContext) -> Steps[Update]:
    """Search for the question at first, and for the rewritten query after that."""
    start: Update = {}
    if "rewritten_query" in state:
        query = cast(NextRound, state)["rewritten_query"]
    else:
        start = _start(state, context)
        query = start["question"]
    now: Mapping[str, Any] = {**state, **start}
    found = distinct((yield from search_index(query, context.top_k)))
    line = f'Retrieved {len(found)} document(s) for "{shown(query)}".'
    return {**start, **with_line(now, line, documents=found)}


def _start(state: Mapping[str, Any], context: ArscContext) -> Update:
    """Start clean: keep what the caller set, replace what an earlier run left on the thread."""
    own = state.get("own_values") or {}
    given = {
        name: state[name]
        for name in CALLER_MAY_SET
        if state.get(name) is not None and state[name] != own.get(name)
    }
    values = ArscStart.model_validate({"max_iterations": context.max_iterations, **given})
    outcome = fresh(state)
    return {
        **outcome,
        **values.model_dump(),
        "usage": None,
        "answer": NO_ANSWER,
        "original_question": outcome["question"],
        "generation": "",
        "gradings": [],
        "queries": [outcome["question"]],
        "invalid_citations": 0,
        "own_values": values.model_dump(),
    }
