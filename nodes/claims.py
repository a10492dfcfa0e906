"""Remove unsupported claims from an answer (reading 3 of the specification)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nodes.evidence import content_words
from nodes.marks import cited_sentences, marks, without_marks
from nodes.text import normalise, numbers, words

_CARRIES = 0.7
_BEST_GUESS = 0.4
_PART_OF_CLAIM = 0.9
_CODE = r"^[ \t]*```[\s\S]*?(?:^[ \t]*```[^\n]*\n?|\Z)"
_BULLET = r"(?:[-*+•]|\d+[.)])[ \t]"
_ITEM = rf"^[ \t]*{_BULLET}[^\n]*\n?(?:[ \t]+(?!{_BULLET})\S[^\n]*\n?)*"
_WHOLE = re.compile(rf"{_CODE}|{_ITEM}", re.MULTILINE)
_LEADS_IN = re.compile(r"\s*#|.*:\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Trimmed:
    """An answer without its unsupported claims.

    Attributes:
        text: What is left, word for word; empty when only headings and lead-ins are.
        unplaced: The claims that no sentence carries, so that nothing was removed for them.
    """

    text: str
    unplaced: list[str]


def remove_claims(answer: str, claims: Sequence[str]) -> Trimmed:
    """Take out the sentences or list items that carry one of the claims."""
    units = list(_units(answer))
    plain = [_read(without_marks(unit, marks(unit))) for unit in units]
    doomed: set[int] = set()
    unplaced: list[str] = []
    for claim in filter(str.strip, claims):
        carriers = _carriers(plain, _read(claim))
        doomed.update(carriers)
        if not carriers:
            unplaced.append(claim)
    left = [i for i in range(len(units)) if i not in doomed]
    says_something = any(plain[i].content and not _LEADS_IN.match(plain[i].text) for i in left)
    return Trimmed("".join(units[i] for i in left).strip() if says_something else "", unplaced)


def _units(answer: str) -> Iterator[str]:
    """Split into sentences; list items with their further lines and code stay whole."""
    end = 0
    for block in _WHOLE.finditer(answer):
        yield from cited_sentences(answer[end : block.start()])
        yield block[0]
        end = block.end()
    yield from cited_sentences(answer[end:])


class _Read(NamedTuple):
    text: str
    words: str
    content: frozenset[str]
    numbers: frozenset[str]


def _read(text: str) -> _Read:
    found = f" {' '.join(words(text)) or normalise(text)} "
    return _Read(text, found, frozenset(content_words(text)), frozenset(numbers(text)))


def _carriers(units: Sequence[_Read], claim: _Read) -> list[int]:
    """Return the places that carry a claim, or its parts; else the likeliest one."""
    if not claim.words.strip():
        return []
    scores = [_carries(unit, claim) for unit in units]
    whole = [i for i, score in enumerate(scores) if score >= _CARRIES]
    found = whole or [i for i, unit in enumerate(units) if _is_part(unit, claim)]
    if found or not scores:
        return found
    best = max(range(len(scores)), key=scores.__getitem__)
    return [best] if scores[best] >= _BEST_GUESS else []


def _carries(unit: _Read, claim: _Read) -> float:
    """Return how far a unit carries the claim, in [0, 1]; a missing number is never sure."""
    if claim.words in unit.words:
        return 1.0
    if not claim.content:
        return 0.0
    recall = len(unit.content & claim.content) / len(claim.content)
    return recall if claim.numbers <= unit.numbers else min(recall, _CARRIES - 0.01)


def _is_part(unit: _Read, claim: _Read) -> bool:
    """Tell whether a claim says all that a unit says: it spans several sentences."""
    shared = len(unit.content & claim.content)
    return shared > 1 and shared / len(unit.content) >= _PART_OF_CLAIM
