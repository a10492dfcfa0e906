"""State, context and verdicts of the groundedness graph (document 000, third part)."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import TypedDict

from state.context import Context
from state.corrective import Problem
from state.outcome import Outcome, Usage
from state.reducers import add_usage, collect
from state.verdicts import Claims, Verdict, YesNo

Loop = Literal["none", "regenerate", "retrieve", "stop"]
"""What a grade triggers: nothing (it passed), one of the two loops, or the end at a cap."""


class AnswerGrade(Verdict):
    """Whether an answer is grounded and answers the question."""

    grounded: YesNo = Field(description="Whether every claim is stated in the documents.")
    answers_question: YesNo = Field(description="Whether the answer addresses the question.")
    unsupported_claims: Claims = Field(
        default_factory=list, description="The claims that no document states."
    )

    @model_validator(mode="after")
    def _a_listed_claim_is_not_grounded(self) -> "AnswerGrade":
        """Take the list at its word when it contradicts the flag."""
        if self.unsupported_claims:
            self.grounded = False
        return self


class GradedAnswer(TypedDict):
    """What was found of one answer.

    Attributes:
        answer: The answer.
        grounded: Whether every claim counts as stated in the documents; never without a
            readable verdict.
        answers_question: Whether it addresses the question.
        unsupported_claims: The claims that no document states.
        abstains: Whether the answer only says that the documents do not have it.
        problem: Empty, or why the verdict is missing.
        reason: One sentence.
        loop: What the grade triggers.
    """

    answer: str
    grounded: bool
    answers_question: bool
    unsupported_claims: list[str]
    abstains: bool
    problem: Problem
    reason: str
    loop: Loop


class Search(TypedDict):
    """One search of the index.

    Attributes:
        query: What was searched for.
        document_ids: What came back, best first.
        nothing_new: Whether an earlier search of the run had found all of it.
    """

    query: str
    document_ids: list[str]
    nothing_new: bool


class GroundednessContext(Context):
    """Parameters of the groundedness graph."""

    top_k: int = Field(4, ge=1, le=50, description="Documents retrieved by each search")
    max_loops: int = Field(
        3, ge=0, le=10, description="Regenerations and re-retrievals together, at most"
    )
    max_reretrievals: int = Field(
        2, ge=0, le=10, description="Searches with a rewritten query, at most"
    )


class GroundednessState(Outcome):
    """State and output of the groundedness graph.

    Attributes:
        query: What the index is searched for next: the question, then rewritten queries.
        searches: One per retrieval, in order; the first has the question.
        draft: The latest answer, not graded yet or not passed.
        answer_grades: One per answer, in order, each with the loop that it triggered.
        loops: Regenerations and re-retrievals together.
        regenerations: How often an answer was written again from the same documents.
        reretrievals: How often the index was searched again.
        invalid_citations: Citations of documents that were not given, removed so far.
    """

    usage: Annotated[Usage, add_usage]
    query: str
    searches: Annotated[list[Search], collect]
    draft: str
    answer_grades: Annotated[list[GradedAnswer], collect]
    loops: int
    regenerations: int
    reretrievals: int
    invalid_citations: int
