"""State, context and records of the corrective graph (document 000, first part)."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from state.context import Context
from state.documents import Document
from state.outcome import Citation, LeftOut, Outcome, Usage
from state.reducers import add_usage, collect

Problem = Literal["", "unreadable", "failed"]
"""Why a verdict is missing: the reply could not be read, or none came."""


class Grade(TypedDict):
    """What the grader said of one document.

    Attributes:
        document_id: The document.
        relevant: Whether it counts as relevant; never without a readable verdict.
        reason: One sentence.
        problem: Empty, or why the verdict is missing.
    """

    document_id: str
    relevant: bool
    reason: str
    problem: Problem


class Check(TypedDict):
    """What one answer check found.

    Attributes:
        supported: Whether every claim of the draft is supported.
        unsupported_claims: The claims that are not.
        problem: Empty, or why the verdict is missing; then ``supported`` is false.
    """

    supported: bool
    unsupported_claims: list[str]
    problem: Problem


class CorrectiveContext(Context):
    """Parameters of the corrective graph."""

    top_k: int = Field(4, ge=1, le=50, description="Documents retrieved, and web results asked for")
    max_regenerations: int = Field(
        2, ge=0, le=10, description="How often a draft with unsupported claims is written again"
    )
    web_search: Literal["auto", "ask", "off"] = Field(
        "auto",
        description="Search the web when no document is relevant: at once, after asking, or never",
    )


class QuestionInput(TypedDict):
    """What a caller gives."""

    question: str


class CorrectiveState(Outcome):
    """State and output of the corrective graph.

    Attributes:
        grades: One per retrieved document, in order of retrieval.
        web_query: The rewritten query; empty when the web was not needed.
        draft: The latest draft, not checked yet or not passed.
        checks: One per draft, in order.
        regenerations: How often a draft was written again.
        invalid_citations: Citations of documents that were not given, removed so far.
    """

    usage: Annotated[Usage, add_usage]
    grades: Annotated[list[Grade], collect]
    web_query: str
    draft: str
    checks: Annotated[list[Check], collect]
    regenerations: int
    invalid_citations: int


class GradingTask(TypedDict):
    """What one grader task is sent."""

    question: str
    document: Document


__all__ = [
    "Check",
    "Citation",
    "CorrectiveContext",
    "CorrectiveState",
    "Grade",
    "GradingTask",
    "LeftOut",
    "Problem",
    "QuestionInput",
]
