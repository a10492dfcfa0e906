"""Which words carry a question or a claim, brought to their stems."""

import threading
from functools import cache, lru_cache
from typing import Any

from nodes.evidence import content_words
from nodes.text import language, words

_ASKING = frozenset(
    words(
        "please tell give say explain describe know want need many much long often kind type sort "
        "exactly actually any some about me my mine must should could "
        "ما ماذا من متى أين كم هل كيف لماذا أي أية في على إلى عن مع هو هي هم كان كانت أن إن أو "
        "ثم قد لم لا لن هذا هذه ذلك تلك التي الذي الذين يكون تكون يتم تم بين بعد قبل عند كل"
    )
)
"""Words that ask, in English and Arabic (folded): they say nothing about what is asked."""

_STEMMERS = {"ar": "arabic", "en": "english"}
_lock = threading.Lock()


def stems(text: str) -> frozenset[str]:
    """Return the stems of all words of a text."""
    return frozenset(stem(word) for word in words(text))


def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that carry meaning."""
    return frozenset(stem(word) for word in content_words(text))


def question_terms(question: str) -> frozenset[str]:
    """Return the stems of what a question is about; of all its words when nothing else is left."""
    terms = frozenset(stem(word) for word in content_words(question) if word not in _ASKING)
    return terms or stems(question)


def asks_only(word: str) -> bool:
    """Return whether a folded word only serves to ask, and says nothing of what is asked."""
    return word in _ASKING or not content_words(word)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a folded word's stem; Arabic and English have rules, other words stay."""
    stemmer = _stemmer(_STEMMERS.get(language(word), "")) if word.isalpha() else None
    if stemmer is None:
        return word
    with _lock:
        found: str = stemmer.stemWord(word)
        return found


@cache
def _stemmer(name: str) -> Any:
    """Load a Snowball stemmer; it works on itself, so it must not be used by two at a time."""
    if not name:
        return None
    import snowballstemmer  # type: ignore[import-untyped]

    return snowballstemmer.stemmer(name)
