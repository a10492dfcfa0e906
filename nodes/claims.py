"""Remove unsupported claims from an answer (reading 3 of the specification)."""

import re
from collections.abc import Sequence

from nodes.evidence import content_words
from nodes.marks import cited_sentences, marks, without_marks
from nodes.text import normalise, numbers

_CARRIES = 0.7
_BEST_GUESS = 0.4
_PART_OF_CLAIM = 0.9
_LIST_ITEM = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+")


def remove_claims(answer: str, claims: Sequence[str]) -> str:
    """Take out the sentences or list items that carry one of the claims.

    Everything else stays word for word. Returns an empty text when nothing is left.
    """
    units = _units(answer)
    plain = [without_marks(unit, marks(unit)) for unit in units]
    doomed: set[int] = set()
    for claim in claims:
        doomed.update(_carriers(plain, claim))
    kept = "".join(unit for i, unit in enumerate(units) if i not in doomed).strip()
    return kept if content_words(without_marks(kept, marks(kept))) else ""


def _units(answer: str) -> list[str]:
    """Split into sentences, list items whole."""
    units: list[str] = []
    for line in answer.splitlines(keepends=True):
        units.extend([line] if _LIST_ITEM.match(line) else cited_sentences(line))
    return units


def _carriers(units: Sequence[str], claim: str) -> list[int]:
    """Return the places that carry a claim; the likeliest one when none plainly does."""
    scores = [_carries(unit, claim) for unit in units]
    sure = [i for i, score in enumerate(scores) if score >= _CARRIES]
    if sure or not scores:
        return sure
    best = max(range(len(scores)), key=scores.__getitem__)
    return [best] if scores[best] >= _BEST_GUESS else []


def _carries(unit: str, claim: str) -> float:
    """Return how far a unit carries the claim, in [0, 1]."""
    in_unit, in_claim = normalise(unit).strip(" ."), normalise(claim).strip(" .")
    if not in_unit or not in_claim:
        return 0.0
    if in_claim in in_unit:
        return 1.0
    unit_words, claim_words = set(content_words(unit)), set(content_words(claim))
    shared = unit_words & claim_words
    if not shared:
        return 0.0
    if len(shared) / len(unit_words) >= _PART_OF_CLAIM and len(shared) > 1:
        return 1.0
    recall = len(shared) / len(claim_words)
    return recall if numbers(claim) <= numbers(unit) else min(recall, _CARRIES - 0.01)
