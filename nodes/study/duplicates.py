"""Tell near-duplicates: the same passage as two sites print it."""

from dataclasses import dataclass

from nodes.text import numbers, words

_SHINGLE = 3
_SAME = 0.85


@dataclass(frozen=True, slots=True)
class Shape:
    """What texts are compared by.

    Attributes:
        words: All words in order, folded.
        shingles: Each run of three words.
        numbers: The numbers; texts with different ones are never the same.
    """

    words: tuple[str, ...]
    shingles: frozenset[tuple[str, ...]]
    numbers: frozenset[str]


def shape_of(text: str) -> Shape:
    """Return a text's shape."""
    all_words = tuple(words(text))
    runs = (all_words[i : i + _SHINGLE] for i in range(len(all_words) - _SHINGLE + 1))
    return Shape(all_words, frozenset(runs), frozenset(numbers(text)))


def near(left: Shape, right: Shape) -> bool:
    """Return whether two texts are the same but for their layout or a few words.

    At least 85 % of the runs of three words are shared, and the numbers are equal: two years
    of one statistic read alike and are not the same.
    """
    if left.numbers != right.numbers:
        return False
    if left.words == right.words:
        return bool(left.words)
    shorter, longer = sorted((len(left.shingles), len(right.shingles)))
    if not shorter or shorter < _SAME * longer:
        return False
    shared = len(left.shingles & right.shingles)
    return shared >= _SAME * (shorter + longer - shared)
