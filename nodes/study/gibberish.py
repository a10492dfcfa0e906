"""Tell keyboard mashing from words, numbers, formulas and names."""

import re

_WORD = re.compile(r"[^\W\d_]+")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "ضصثقفغعهخحجد", "شسيبلاتنمكط", "ئءؤرلاىةوزظ")
_RUN = 5
_VOWELS = re.compile(r"[aeiouy\u00c0-\u024f]")
_REPEATED = re.compile(r"(.{1,3})\1{3,}", re.DOTALL)
_FEWEST_VOWELS = 10
"""Words have at least one vowel in ten letters: "strengths" has one in nine."""
_FEW = 6
_LOOKED_AT = 40


def is_gibberish(text: str) -> bool:
    """Return whether a text has no meaning that a reader could find.

    All of its words must look typed at random: a row of the keyboard, one syllable over and
    over, or lower-case consonants almost without a vowel. A text without words is gibberish unless
    it has digits, since ``2 + 2 = ?`` is a question.
    """
    words = _WORD.findall(text)
    if not words:
        return not any(c.isdigit() for c in text)
    return len(words) <= _FEW and not any(c.isdigit() for c in text) and all(map(_random, words))


def _random(word: str) -> bool:
    if word != word.lower() and not word.istitle():
        return False  # an acronym, a formula, a product's name
    lower = word.lower()[:_LOOKED_AT]
    if _on_one_row(lower) or _REPEATED.fullmatch(lower[:-1]) or _REPEATED.fullmatch(lower):
        return len(lower) > _RUN - 1
    if not lower.isascii():
        return False
    return len(lower) > _RUN and _FEWEST_VOWELS * len(_VOWELS.findall(lower)) < len(lower)


def _on_one_row(word: str) -> bool:
    """Return whether a word is a run along the keyboard, or several of them."""
    if len(word) < _RUN:
        return False
    for row in _ROWS:
        for line in (row, row[::-1]):
            if any(word == (line[i : i + len(word)]) for i in range(len(line))):
                return True
            if len(word) > _RUN and _made_of_runs(word, line):
                return True
    return False


def _made_of_runs(word: str, line: str) -> bool:
    runs = 0
    while word:
        size = next((n for n in range(len(word), 2, -1) if word[:n] in line), 0)
        if not size:
            return False
        word, runs = word[size:], runs + 1
    return runs > 0
