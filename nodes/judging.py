"""Judge one document on its own: what every grader of single documents shares."""

from dataclasses import dataclass
from typing import Generic

from nodes.calls import M, Reading, Steps, ask_json, pack
from prompts import load
from state.corrective import Problem
from state.documents import Document
from state.errors import ContextOverflow, ModelError


@dataclass(frozen=True, slots=True)
class Judged(Generic[M]):
    """A verdict on one document, or why there is none.

    Attributes:
        verdict: ``None`` when it cannot be had; the document then counts as not relevant.
        problem: Empty with a verdict.
        why: Says what the problem is.
        said: Who judged and, when that cannot be read, what it replied; for the log.
    """

    verdict: M | None
    problem: Problem
    why: str
    said: dict[str, str]


def judge(question: str, document: Document, prompt: str, schema: type[M]) -> Steps[Judged[M]]:
    """Ask the grader about one document.

    A failure is a missing verdict and not an error: the other documents still count.
    """
    try:
        reading = yield from _ask(question, document, prompt, schema)
    except ModelError as error:
        return Judged(None, "failed", f"The grader gave no verdict: {error}", {})
    if reading.value is None:
        said = {"model": reading.model, "raw": reading.raw}
        return Judged(None, "unreadable", "The grader's reply could not be read.", said)
    return Judged(reading.value, "", "", {"model": reading.model})


def _ask(question: str, document: Document, prompt: str, schema: type[M]) -> Steps[Reading[M]]:
    packed = yield from pack([document], "grader", question=question)
    if not packed.documents:
        raise ContextOverflow("The question leaves no room for a document in its window.")
    shown = packed.documents[0]
    return (yield from ask_json("grader", load(prompt), schema, question=question, doc=shown))


def no_verdict_at_all(problems: list[Problem], why: str) -> None:
    """Raise when no document could be judged: an outage is not "nothing relevant".

    Raises:
        ModelError: Every verdict is missing because the grader failed.
    """
    if all(problem == "failed" for problem in problems):
        raise ModelError(f"No document could be graded. {why}")
