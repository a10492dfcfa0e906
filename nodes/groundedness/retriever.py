"""Retrieve documents for the question, and again for each rewritten query."""

from nodes.calls import Steps, search_index
from nodes.events import note
from nodes.groundedness.progress import nothing_new
from nodes.retriever import distinct
from state.documents import Document
from state.errors import IndexFailed
from state.groundedness import GroundednessContext, GroundednessState, Search
from state.outcome import Update


def retrieve(state: GroundednessState, context: GroundednessContext) -> Steps[Update]:
    """Search for the query; a failure or an empty result ends the run with the last documents."""
    again = bool(state["searches"])
    why, documents = yield from _search(state["query"], context.top_k)
    ids = [document["id"] for document in documents]
    search: Search = {
        "query": state["query"],
        "document_ids": ids,
        "nothing_new": nothing_new(ids, state["searches"]),
    }
    note("retrieval", **search, stopped=why)
    return {
        "searches": [search],
        "loops": state["loops"] + again,
        "reretrievals": state["reretrievals"] + again,
        **({"stop_reason": why} if why else {"documents": documents, "draft": ""}),
        "unsupported_claims": [],
    }


def _search(query: str, k: int) -> Steps[tuple[str, list[Document]]]:
    try:
        found = yield from search_index(query, k)
    except IndexFailed as error:
        return f"The search of the index failed: {error}", []
    documents = distinct(found)
    return ("" if documents else "The index has no document for this query."), documents
