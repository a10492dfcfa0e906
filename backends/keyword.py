"""Term overlap instead of nearness: a deliberately naive retriever (document 002).

It finds plausible passages by their words alone, so that grading has real work to do, and it
embeds nothing when it is asked.
"""

from collections import Counter

from backends.chroma import ChromaIndex
from backends.chroma.folder import guarded
from backends.chroma.records import document
from backends.chroma.shelf import Shelf
from nodes.text import words
from state.documents import Document

_SHORTEST = 4


class KeywordIndex(ChromaIndex):
    """Searches the documents of a Chroma index by the words that they share with the query.

    What is stored, and how, is ``ChromaIndex``'s; the terms of all chunks are read at the first
    search and kept in memory.
    """

    name = "keyword"
    _terms: tuple[Shelf, int, dict[str, list[str]]] | None = None

    def search(self, query: str, k: int) -> list[Document]:
        """Return at most ``k`` chunks that share a term with the query, most shared first.

        Terms are words of four letters or more, or of any length with a digit or in another
        script. ``metadata["score"]`` is the share of the query's terms that a chunk has, in
        (0, 1]; chunks that have none are not returned. Equal ones are ordered by id.

        Raises:
            IndexFailed: The index is in use by another process, or damaged.
        """
        wanted = terms(query)
        if k < 1 or not wanted or not self._there():
            return []
        shelf = self._borrowed()
        with guarded(self.path), shelf.reading:
            shared = Counter(i for term in wanted for i in self._chunks_with(shelf).get(term, ()))
            best = sorted(shared.items(), key=lambda found: (-found[1], found[0]))[:k]
            rows = shelf.read([identifier for identifier, _ in best])
            return [
                document(identifier, *row, round(count / len(wanted), 6))
                for row, (identifier, count) in zip(rows, best, strict=True)
            ]

    def _chunks_with(self, shelf: Shelf) -> dict[str, list[str]]:
        """Return which chunks have a term."""
        if self._terms is None or self._terms[:2] != (shelf, shelf.version):
            self._terms = (shelf, shelf.version, _postings(shelf))
        return self._terms[2]


def terms(text: str) -> set[str]:
    """Return the words of a text that count: short English ones do not."""
    return {word for word in words(text) if len(word) >= _SHORTEST or not _is_plain(word)}


def _is_plain(word: str) -> bool:
    return word.isascii() and word.isalpha()


def _postings(shelf: Shelf) -> dict[str, list[str]]:
    ids = shelf.ledger.ids("live")
    postings: dict[str, list[str]] = {}
    for identifier, (content, metadata) in zip(ids, shelf.read(ids), strict=True):
        for term in terms(content) | terms(metadata["source"]):
            postings.setdefault(term, []).append(identifier)
    return postings
