"""Search the web with the rewritten query, after asking where that is wanted."""

from typing import Any

from nodes.calls import Steps, ask_person, search_web
from nodes.events import note
from nodes.retriever import distinct
from nodes.rewriter import read_query
from state.corrective import CorrectiveContext, CorrectiveState
from state.errors import ConfigError, WebSearchFailed
from state.outcome import Update

REFUSED = "The web search was refused."


def approve_search(state: CorrectiveState, context: object) -> Steps[Update]:
    """Show the query before it leaves for the web; alone in its node, so nothing is repaid."""
    reply = yield from ask_person(
        action="web_search",
        query=state["web_query"],
        choices=["approve", "edit", "refuse"],
        how_to_resume='"approve", "refuse", or {"action": "edit", "query": "…"}',
    )
    query = read_approval(reply, state["web_query"])
    note("web_search_approval", approved=bool(query), query=query)
    return {"web_query": query, **({} if query else {"stop_reason": REFUSED})}


def read_approval(reply: Any, query: str) -> str:
    """Return the query to search for; empty when the person refuses.

    Raises:
        ConfigError: The run was resumed with something else than the three choices.
    """
    answer = reply if isinstance(reply, dict) else {"action": reply}
    action: Any = answer.get("action")
    if isinstance(action, bool):
        action = "approve" if action else "refuse"
    edited = read_query(str(answer.get("query") or ""))
    if action == "approve":
        return query
    if action == "refuse":
        return ""
    if action == "edit" and edited:
        return edited
    raise ConfigError(
        "The run waits for a decision on the web search. Resume it with "
        '"approve", "refuse", or {"action": "edit", "query": "…"}.'
    )


def search_the_web(state: CorrectiveState, context: CorrectiveContext) -> Steps[Update]:
    """Replace the rejected documents by web results; a failure leaves none."""
    try:
        found = yield from search_web(state["web_query"], context.top_k)
    except WebSearchFailed as error:
        note("web_search", query=state["web_query"], outcome="failed", reason=str(error))
        return {"documents": [], "stop_reason": f"The web search failed: {error}"}
    documents = distinct(found)
    note("web_search", query=state["web_query"], outcome="ok", results=len(documents))
    if not documents:
        return {"documents": [], "stop_reason": "The web search found nothing."}
    return {"documents": documents}
