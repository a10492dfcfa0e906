"""Tell a loop that gets somewhere from one that goes round; no model is asked."""

from collections.abc import Sequence
from itertools import takewhile

from nodes.text import normalise, words
from state.groundedness import GradedAnswer, Search

SAME_ANSWER = "The regeneration returned the same answer, so a further one would too."
SAME_DOCUMENTS = "The rewritten query found no other documents than before, and they do not answer."


def stale_query(query: str, searches: Sequence[Search]) -> str:
    """Return why a query is no progress: the same words in any order and case were tried."""
    if not query:
        return "The rewriter gave no query, so there was nothing new to search for."
    wanted = set(words(query))
    if any(wanted == set(words(search["query"])) for search in searches):
        return f"The rewriter gave a query that was already tried: “{query}”."
    return ""


def nothing_new(document_ids: Sequence[str], searches: Sequence[Search]) -> bool:
    """Return whether an earlier search had found all of these documents."""
    return any(set(document_ids) <= set(search["document_ids"]) for search in searches)


def stale_answer(draft: str, grades: Sequence[GradedAnswer], searches: Sequence[Search]) -> str:
    """Return why an answer is no progress: the documents at hand gave it before, and it failed.

    After a search that brought other documents it is progress even when it reads the same,
    since it may be grounded in those.
    """
    failed = {normalise(graded["answer"]) for graded in failed_before(grades, searches)}
    if normalise(draft) not in failed:
        return ""
    return SAME_ANSWER if grades[-1]["loop"] == "regenerate" else SAME_DOCUMENTS


def failed_before(grades: Sequence[GradedAnswer], searches: Sequence[Search]) -> list[GradedAnswer]:
    """Return the grades of the answers that the documents at hand have given."""
    if searches[-1]["nothing_new"]:
        return list(grades)
    return list(takewhile(lambda graded: graded["loop"] != "retrieve", reversed(grades)))
