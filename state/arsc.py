"""State, context and verdicts of the ARSC graph (document 001, sections 1 and 2)."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Self

from pydantic import BaseModel, BeforeValidator, Field, StrictInt, ValidationError, model_validator
from typing_extensions import TypedDict

from state.context import Context
from state.outcome import Outcome, Usage
from state.reducers import add_usage
from state.verdicts import DocumentGrade, Verdict, read_yes_no


def _binary(value: Any) -> Any:
    """Turn ``"Yes."`` and ``true`` into the schema's ``yes``."""
    return {True: "yes", False: "no"}.get(verdict := read_yes_no(value), verdict)


class GradingItem(BaseModel):
    """One document's grade, as document 001 section 2.2 shapes it."""

    document_id: str = Field(description="The id of the graded document, exactly as given.")
    binary_score: Annotated[Literal["yes", "no"], BeforeValidator(_binary)] = Field(
        description="Whether the document is relevant to the question."
    )
    confidence: float = Field(ge=0.0, le=1.0, description="Confidence in the score, 0 to 1.")


class GradingResults(Verdict):
    """The grades of a list of documents; what is not a valid grade is left out."""

    each = DocumentGrade
    results: list[GradingItem] = Field(description="One grade for every document.")

    @model_validator(mode="before")
    @classmethod
    def _read_any_list(cls, value: Any) -> Any:
        """Accept a bare list, one grade, or a list under another name."""
        if isinstance(value, Mapping):
            lists = [v for v in value.values() if isinstance(v, list)]
            value = [value] if "document_id" in value else lists[0] if len(lists) == 1 else None
        if not isinstance(value, list):
            raise ValueError("No list of grades.")  # noqa: TRY004 - what pydantic reads as invalid
        return {"results": [item for item in value if _is_grade(item)]}

    @classmethod
    def joined(cls, verdicts: Sequence[Self]) -> Self | None:
        """Put the lists of several tool calls together."""
        return cls(results=[item for verdict in verdicts for item in verdict.results])

    @classmethod
    def from_each(cls, verdicts: Mapping[str, DocumentGrade]) -> Self:
        """Build the list from grades of single documents, which are sure of themselves."""
        items = {i: "yes" if grade.relevant else "no" for i, grade in verdicts.items()}
        return cls.model_validate(
            [{"document_id": i, "binary_score": s, "confidence": 1.0} for i, s in items.items()]
        )


def _is_grade(item: Any) -> bool:
    try:
        GradingItem.model_validate(item)
    except ValidationError:
        return False
    return True


class GradingResult(TypedDict):
    """One entry of the grader's output.

    Attributes:
        document_id: A document that was given.
        binary_score: ``yes`` only when the grader plainly said so.
        confidence: In [0, 1]; 0 where the grader gave no valid grade.
    """

    document_id: str
    binary_score: Literal["yes", "no"]
    confidence: float


class ArscContext(Context):
    """Parameters of the ARSC graph."""

    top_k: int = Field(4, ge=1, le=50, description="Documents retrieved for each query")
    max_iterations: int = Field(
        3, ge=1, le=20, description="Rewrites allowed; the input's max_iterations wins"
    )
    min_confidence: float = Field(
        0.0, ge=0.0, le=1.0, description='Confidence below which a "yes" does not count'
    )
    grading_batch: int = Field(
        8, ge=1, le=32, description="Documents in one grading call; more are graded in parallel"
    )


class ArscInput(TypedDict):
    """What a caller gives; all but the question can be left out.

    Attributes:
        question: The question.
        iteration_count: Rewrites already made, 0.
        max_iterations: Rewrites allowed, 3.
        context_history: What happened before, [].
    """

    question: str
    iteration_count: NotRequired[int]
    max_iterations: NotRequired[int]
    context_history: NotRequired[list[str]]


class ArscState(Outcome):
    """State and output of the ARSC graph; conforms to ``state/arsc_schema.json``.

    Attributes:
        question: The active query; the rewriter overwrites it (section 2.3).
        original_question: The user's own question; the grader and the generator get this one.
        generation: The answer; empty until there is one.
        iteration_count: Rewrites made.
        max_iterations: Rewrites allowed.
        context_history: One readable line a step.
        gradings: The last grading, one entry a document.
        queries: Every query that was searched for, in order.
        invalid_citations: Citations of documents that were not given, removed.
        own_values: What the graph itself last wrote to the fields that a caller may set, so
            that a second run on one thread tells them from a caller's.
    """

    usage: Annotated[Usage, add_usage]
    original_question: str
    generation: str
    iteration_count: int
    max_iterations: int
    context_history: list[str]
    gradings: list[GradingResult]
    queries: list[str]
    invalid_citations: int
    own_values: dict[str, Any]


class NextRound(TypedDict):
    """What the rewriter sends to the retriever.

    The rewritten query travels with the message and not in the state, so that a new question
    on a thread whose last run was broken off is never taken for the next round of that run.
    """

    rewritten_query: str
    original_question: str
    queries: list[str]
    iteration_count: int
    max_iterations: int
    context_history: list[str]
    own_values: dict[str, Any]


class ArscStart(BaseModel):
    """The fields that a caller may set, with their bounds (section 1.1)."""

    iteration_count: StrictInt = Field(0, ge=0)
    max_iterations: StrictInt = Field(3, ge=1)
    context_history: list[str] = Field(default_factory=list)
