"""Remember what was read from documents, without holding on to many large ones."""

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

LARGE = 20_000
"""Characters from which a document is a large one; what is read from a text takes about 20 times
its space, so 256 small and 4 large ones of a million characters stay under 200 MB."""


def remembered(read: Callable[[str], T]) -> Callable[[str], T]:
    """Keep a function's results for the 256 small and the 4 large texts used last."""
    small, large = lru_cache(maxsize=256)(read), lru_cache(maxsize=4)(read)

    def recall(text: str) -> T:
        return (small if len(text) < LARGE else large)(text)

    return recall
