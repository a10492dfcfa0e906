"""State, context and verdicts of the refusal graph (document 002)."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from typing_extensions import TypedDict

from state.context import Context
from state.corrective import Problem
from state.documents import Document
from state.outcome import Outcome, Usage
from state.reducers import add_usage, collect
from state.verdicts import Verdict, read_yes_no

_WORDS = {"relevant": "relevant", "irrelevant": "irrelevant", True: "relevant", False: "irrelevant"}


def _verdict(value: Any) -> Any:
    """Turn ``"Irrelevant."``, ``"not relevant"`` or ``"yes"`` into the verdict it means."""
    if not isinstance(value, str):
        return _WORDS.get(value, value)
    said = " ".join(re.findall(r"\w+", value.casefold())[:2])
    if said.startswith("not relevant"):
        return "irrelevant"
    return _WORDS.get(said.split(" ")[0]) or _WORDS.get(read_yes_no(value), value)


class PassageVerdict(Verdict):
    """Whether one passage helps to answer the question, and why."""

    verdict: Annotated[Literal["relevant", "irrelevant"], BeforeValidator(_verdict)] = Field(
        description="Sharing words or a neighbouring topic is not relevance."
    )
    why: str = Field("No reason was given.", description="One sentence, for either verdict.")

    @model_validator(mode="before")
    @classmethod
    def _accept_a_grade(cls, value: Any) -> Any:
        """Take the reply of a grader that says ``relevant`` and ``reason``."""
        if isinstance(value, Mapping) and "verdict" not in value and "relevant" in value:
            reason = value.get("reason")
            return {"verdict": value["relevant"], **({"why": reason} if reason else {})}
        return value

    @classmethod
    def from_words(cls, text: str) -> Self | None:
        """Read a bare verdict, like ``No - off topic``; what follows it is the reason."""
        head = re.match(r"\W*(?:not\s+relevant|\w+)\W*", text)
        verdict = _verdict(head[0]) if head else None
        if head is None or verdict not in ("relevant", "irrelevant"):
            return None
        why = text[head.end() :].strip()
        return cls(verdict=verdict, **({"why": why} if why else {}))


class GradedPassage(TypedDict):
    """What the grader said of one passage.

    Attributes:
        document_id: The passage.
        title: What to show for it.
        verdict: ``relevant`` only when the grader plainly said so.
        why: One sentence.
        problem: Empty, or why the verdict is missing.
    """

    document_id: str
    title: str
    verdict: Literal["relevant", "irrelevant"]
    why: str
    problem: Problem


class RefusalContext(Context):
    """Parameters of the refusal graph."""

    top_k: int = Field(4, ge=1, le=50, description="Passages retrieved and graded")


class RefusalState(Outcome):
    """State and output of the refusal graph.

    Attributes:
        verdicts: One per retrieved passage, in order of retrieval.
        invalid_citations: Citations of anything but a surviving passage, removed.
    """

    usage: Annotated[Usage, add_usage]
    verdicts: Annotated[list[GradedPassage], collect]
    invalid_citations: int


class PassageTask(TypedDict):
    """What one grader task is sent."""

    question: str
    document: Document
