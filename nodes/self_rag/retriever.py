"""Search the index for the paths that want new passages."""

from nodes.calls import Steps, search_index, together
from nodes.events import note
from nodes.retriever import distinct
from state.documents import Document
from state.errors import CragError
from state.outcome import Update
from state.self_rag import Path, SelfRagContext, SelfRagState


def retrieve(state: SelfRagState, context: SelfRagContext) -> Steps[Update]:
    """Search with the question plus the answer so far, at the same time for every path.

    Raises:
        IndexFailed: A search failed, which is not the same as finding nothing.
    """
    wanting = places_that_retrieve(state)
    queries = {
        path["place"]: f"{state['question']} {path['text']}".strip()
        for path in state["paths"]
        if path["place"] in wanting
    }
    distinct_queries = list(dict.fromkeys(queries.values()))
    replies = yield from together(search_index(q, context.top_k) for q in distinct_queries)
    found: dict[str, list[Document]] = {}
    for query, reply in zip(distinct_queries, replies, strict=True):
        if isinstance(reply, CragError):
            raise reply
        found[query] = distinct(reply)
        note("retrieval", query=query, document_ids=[d["id"] for d in found[query]])
    paths: list[Path] = [
        {**path, "passages": [d["id"] for d in found[queries[path["place"]]]]}
        if path["place"] in queries
        else path
        for path in state["paths"]
    ]
    known = {document["id"] for document in state["passages"]}
    new = {d["id"]: d for documents in found.values() for d in documents if d["id"] not in known}
    return {
        # A checkpoint stores a field again whenever it is written.
        **({"passages": list(new.values())} if new else {}),
        "paths": paths,
        "retrievals": state["retrievals"] + len(found),
    }


def places_that_retrieve(state: SelfRagState) -> set[int]:
    """Return which paths want new passages for the next segment."""
    return {
        decision["path"]
        for decision in state["decisions"]
        if decision["step"] == state["step"] and decision["retrieve"] == "Yes"
    }


def places_with_passages(state: SelfRagState) -> set[int]:
    """Return which paths have their next segment written from passages."""
    return {
        decision["path"]
        for decision in state["decisions"]
        if decision["step"] == state["step"] and decision["retrieve"] != "No"
    }
