"""Rewrite the query when the answer missed the question."""

from nodes.calls import Steps, ask
from nodes.events import note
from nodes.groundedness.progress import stale_query
from nodes.marks import without_marks
from nodes.rewriter import read_query
from prompts import load
from state.groundedness import GroundednessState
from state.outcome import Update


def rewrite(state: GroundednessState, context: object) -> Steps[Update]:
    """Ask for one query that would find what is missing; it serves the search alone."""
    reply = yield from ask(
        "rewriter",
        load("search_query_rewriter"),
        question=state["question"],
        answer=without_marks(state["draft"], [d["id"] for d in state["documents"]]),
    )
    query = read_query(reply.text)
    why = stale_query(query, state["searches"])
    note("rewritten_query", question=state["question"], query=query, stopped=why, model=reply.model)
    return {"query": query, "stop_reason": why}
