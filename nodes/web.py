"""Search the web with the rewritten query, after asking where that is wanted."""

from typing import Any

from nodes.calls import Steps, ask_person, search_web
from nodes.events import note
from nodes.retriever import distinct
from nodes.rewriter import LONGEST_QUERY
from state.corrective import CorrectiveContext, CorrectiveState
from state.errors import WebSearchFailed
from state.outcome import Update

REFUSED = "The web search was refused."
HOW_TO_RESUME = 'Resume the run with "approve", "refuse", or {"action": "edit", "query": "…"}.'


def approve_search(state: CorrectiveState, context: object) -> Steps[Update]:
    """Show the query before it leaves for the web; alone in its node, so nothing is repaid.

    A decision that cannot be read is asked for again: an error here would leave the run
    stuck, since the reply that caused it is kept with the run and replayed.
    """
    query = state["web_query"]
    decision = read_decision((yield from _ask_for_approval(query)), query)
    while decision is None:
        problem = f"That was not a decision. {HOW_TO_RESUME}"
        decision = read_decision((yield from _ask_for_approval(query, problem=problem)), query)
    note("web_search_approval", approved=bool(decision), query=decision)
    return {"web_query": decision, **({} if decision else {"stop_reason": REFUSED})}


def _ask_for_approval(query: str, **more: str) -> Steps[Any]:
    return ask_person(
        action="web_search",
        query=query,
        choices=["approve", "edit", "refuse"],
        how_to_resume=HOW_TO_RESUME,
        **more,
    )


def read_decision(reply: Any, query: str) -> str | None:
    """Return the query to search for, empty when refused; ``None`` when it is no decision.

    An edited query is taken as it is written, quotes included.
    """
    answer = reply if isinstance(reply, dict) else {"action": reply}
    action, edited = answer.get("action"), answer.get("query")
    if isinstance(action, bool):
        action = "approve" if action else "refuse"
    match action.strip().casefold() if isinstance(action, str) else None:
        case "approve":
            return query
        case "refuse":
            return ""
        case "edit" if isinstance(edited, str) and edited.strip():
            return edited.strip()[:LONGEST_QUERY]
    return None


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
