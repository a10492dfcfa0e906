"""Rewrite the query when no document is relevant (section 2.3)."""

from nodes.arsc.history import shown, with_line
from nodes.calls import Steps, ask, pack
from nodes.events import note
from nodes.rewriter import read_query
from nodes.text import words
from prompts import load
from state.arsc import ArscContext, ArscState
from state.outcome import Update

_REASONS = ["The documents that were found do not help to answer the question."]


def rewriter(state: ArscState, context: ArscContext) -> Steps[Update]:
    """Write a new query for the user's own question; it becomes the active one."""
    original = state["original_question"]
    packed = yield from pack(state["documents"], "rewriter", question=original)
    reply = yield from ask(
        "rewriter",
        load("arsc_rewriter"),
        original_question=original,
        irrelevant_documents=packed.documents,
        queries=state["queries"],
        question=original,
        reasons=_REASONS,
    )
    query = read_query(reply.text) or state["question"]
    note("rewritten_query", question=original, query=query, model=reply.model)
    queries = [*state["queries"], query]
    update = {
        "question": query,
        "iteration_count": state["iteration_count"] + 1,
        "queries": queries,
    }
    if is_new_query(queries):
        return with_line(state, f'Rewrote the query to "{shown(query)}".', **update)
    why = f'The rewriter returned a query that was tried already: "{shown(query)}".'
    return with_line(state, f"{why} Decision: stop.", **update, stop_reason=why)


def is_new_query(queries: list[str]) -> bool:
    """Return whether the last query has other words than all before it."""
    last = frozenset(words(queries[-1]))
    return all(frozenset(words(query)) != last for query in queries[:-1])
