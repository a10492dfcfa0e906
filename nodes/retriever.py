"""Retrieve documents from the index."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Protocol

from nodes.calls import Steps, search_index
from nodes.text import normalise
from state.documents import Document
from state.outcome import Outcome, Update


class Retrieving(Protocol):
    """A context that says how many documents to retrieve."""

    @property
    def top_k(self) -> int:
        """Documents retrieved."""


def retrieve(state: Outcome, context: Retrieving) -> Steps[Update]:
    """Retrieve the documents nearest to the question."""
    found = yield from search_index(state["question"], context.top_k)
    return {"documents": distinct(found)}


def distinct(documents: Sequence[Document]) -> list[Document]:
    """Keep the first of documents with the same text, and the sources of all of them.

    The same paragraph in two files would else be graded, paid for and cited twice. Documents
    without text go, since nothing can stand on them; a second text under an id that is taken
    gets an id of its own, since citations and grades go by it.
    """
    kept: dict[str, Document] = {}
    for document in documents:
        text = normalise(document["content"])
        if text:
            kept[text] = _joined(kept[text], document) if text in kept else document
    return _with_own_ids(kept.values())


def _with_own_ids(documents: Iterable[Document]) -> list[Document]:
    own: dict[str, Document] = {}
    for document in documents:
        names = (f"{document['id']}-{n}" for n in count(2))
        name = (
            document["id"] if document["id"] not in own else next(n for n in names if n not in own)
        )
        own[name] = document if name == document["id"] else {**document, "id": name}
    return list(own.values())


def _joined(first: Document, second: Document) -> Document:
    source = second["metadata"].get("source")
    known = [first["metadata"].get("source"), *first["metadata"].get("also_in", [])]
    if source is None or source in known:
        return first
    also_in = [*first["metadata"].get("also_in", []), source]
    return {**first, "metadata": {**first["metadata"], "also_in": also_in}}
