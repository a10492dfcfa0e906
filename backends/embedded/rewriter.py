"""Turn a question into a search query: its informative words, in their order."""

import re

from backends.embedded.wording import asks_only, stem
from nodes.text import fold

MOST_TERMS = 24

_PIECE = re.compile(r"[\"“«]([^\"”»]+)[\"”»]|(\w+(?:(?:[.'’+#/&-]|(?<=\d),(?=\d))+\w+)*[+#]*)")
_POSSESSIVE = re.compile(r"['’]s$")


class Rewriter:
    """Keeps names, numbers, quoted phrases and other words that say what is asked."""

    name = "embedded extractive"

    def __call__(self, question: str) -> str:
        """Return at most 24 terms; the question itself when none of its words is informative."""
        terms: dict[str, str] = {}
        for number, (quoted, word) in enumerate(_PIECE.findall(question)):
            plain = _POSSESSIVE.sub("", word)
            if quoted:
                terms.setdefault(fold(quoted), f'"{quoted.strip()}"')
            elif not asks_only(fold(plain)) or (number and _is_name(plain)):
                terms.setdefault(stem(fold(plain)), plain)
        return " ".join(list(terms.values())[:MOST_TERMS]) or question.strip()


def _is_name(word: str) -> bool:
    """Tell WHO, IT and set A from who, it and a, anywhere but at the start."""
    return word[0].isupper() and word != "I"
