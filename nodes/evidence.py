"""How far a text states a claim, by its words; a rule, not a judge."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from nodes.text import numbers, words
from state.documents import Document

_FUNCTION_WORDS = frozenset(
    "a an and are as at be been but by can did do does for from had has have he her his how i if "
    "in into is it its no not of on or our she so than that the their them then there these they "
    "this those to was we were what when where which who why will with would you your".split()
)


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning, folded."""
    return [word for word in words(text) if word not in _FUNCTION_WORDS]


def support(claim: str, text: str) -> float:
    """Return the share of the claim's content words that the text has, in [0, 1].

    A number that the text does not have makes it 0: a swapped figure is the commonest
    way for a claim to look supported.
    """
    wanted, stated = frozenset(content_words(claim)), _facts(text)
    if not wanted or not numbers(claim) <= stated.numbers:
        return 0.0
    return len(wanted & stated.words) / len(wanted)


class _Facts(NamedTuple):
    words: frozenset[str]
    numbers: frozenset[str]


@lru_cache(maxsize=64)
def _facts(text: str) -> _Facts:
    """Read a text once for all the claims that are held against it."""
    return _Facts(frozenset(words(text)), frozenset(numbers(text)))


def best_support(claim: str, documents: Sequence[Document]) -> tuple[Document, float] | None:
    """Return the document that states most of the claim, the first one on a tie."""
    scored = [(document, support(claim, document["content"])) for document in documents]
    return max(scored, key=lambda pair: pair[1], default=None)
