"""Read the verdict on one document, in the words of whichever graph gave it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Judged:
    """What was said of one document.

    Attributes:
        document_id: The document.
        relevant: Whether it was kept.
        why: The reason, or the confidence where no reason is given.
        problem: Empty, or why there is no verdict.
    """

    document_id: str
    relevant: bool
    why: str
    problem: str


def verdict_of(item: Mapping[str, Any]) -> Judged:
    """Read a grade (``relevant``), a verdict (``verdict``) or a grading (``binary_score``)."""
    said = item.get("relevant", item.get("verdict", item.get("binary_score")))
    why = item.get("reason") or item.get("why")
    if not why and "confidence" in item:
        why = f"confidence {item['confidence']:.2f}"
    return Judged(
        document_id=str(item.get("document_id", "")),
        relevant=said in (True, "relevant", "yes"),
        why=str(why or ""),
        problem=str(item.get("problem") or ""),
    )


VERDICT_FIELDS = ("grades", "verdicts", "gradings")
"""The output fields that hold them."""
