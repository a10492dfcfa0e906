"""State and context of the Self-RAG graph (document 000, second part; Asai et al. 2023)."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from state.context import Context
from state.documents import Document
from state.outcome import LeftOut, Outcome, Usage
from state.reducers import add_usage, collect

Retrieve = Literal["Yes", "No", "Continue"]
IsRel = Literal["Relevant", "Irrelevant"]
IsSup = Literal["Fully", "Partially", "No"]
DecidedBy = Literal["probability", "token", "unreadable"]
"""What decided on retrieval: P(Yes) against the threshold, the emitted token, or neither: no
token could be read, and the index is searched rather than the model's memory trusted."""
ScoredBy = Literal["probabilities", "tokens"]


class Proposal(TypedDict):
    """The next segment as the model writes it without a passage.

    Attributes:
        step: The segment's number, from 0.
        path: The place in the beam of the path that it continues.
        emitted: The Retrieve token that the model wrote; ``None`` when there is none to read.
        p_retrieve: P(Yes) among Yes, No and Continue, in [0, 1]; ``None`` without
            log-probabilities.
        text: The segment that came with it, without reflection tokens.
        is_use: How useful the model found it, 1 to 5; ``None`` when it did not say.
        score: Its score, should it be kept.
        scored_by: Whether token probabilities or the emitted tokens were scored.
        end: Empty, or why the segment ends the answer.
    """

    step: int
    path: int
    emitted: Retrieve | None
    p_retrieve: float | None
    text: str
    is_use: int | None
    score: float
    scored_by: ScoredBy
    end: str


class Decision(TypedDict):
    """Whether the next segment of a path is written from passages.

    Attributes:
        step: The segment's number, from 0.
        path: The place in the beam of the path that it continues.
        retrieve: Search for passages, reuse those at hand, or keep the proposal.
        p_retrieve: What was compared with the threshold.
        decided_by: What the decision rests on.
    """

    step: int
    path: int
    retrieve: Retrieve
    p_retrieve: float | None
    decided_by: DecidedBy


class Candidate(TypedDict):
    """One way to write the next segment.

    Attributes:
        step: The segment's number, from 0.
        path: The place in the beam of the path that it continues.
        rank: The passage's place among those retrieved; 0 without a passage.
        passage: The passage's id; ``None`` for a segment that was written without.
        text: The segment, without reflection tokens.
        is_rel: Whether the model found the passage relevant; ``None`` when it did not say.
        is_sup: How far it found its segment supported by the passage.
        is_use: How useful it found the segment, 1 to 5.
        score: The weighted sum of the three, each in [0, 1]; -1 when the tokens cannot be read.
        scored_by: Whether token probabilities or the emitted tokens were scored.
        problem: Empty, or why there is no score: unreadable tokens, a failed call, or a
            passage that does not fit the model's window.
        end: Empty, or why there is nothing to append: the model ended its answer.
        left_out: What of the passage did not fit.
    """

    step: int
    path: int
    rank: int
    passage: str | None
    text: str
    is_rel: IsRel | None
    is_sup: IsSup | None
    is_use: int | None
    score: float
    scored_by: ScoredBy
    problem: Literal["", "unreadable", "failed", "too long"]
    end: str
    left_out: list[LeftOut]


class Segment(TypedDict):
    """One segment of the answer, with what the model said of it.

    Attributes:
        text: The segment.
        is_rel: Relevance of the passage; ``None`` without one.
        is_sup: Support by the passage; ``None`` when it was written without one.
        is_use: Usefulness, 1 to 5; ``None`` when the model did not say.
        passage: The passage's id; ``None`` without one.
        score: The candidate's score.
        scored_by: Whether token probabilities or the emitted tokens were scored.
        retrieve: Whether passages were retrieved for it, reused, or not wanted.
        p_retrieve: P(Retrieve=Yes), where the model exposes it.
        decided_by: What the decision rests on.
    """

    text: str
    is_rel: IsRel | None
    is_sup: IsSup | None
    is_use: int | None
    passage: str | None
    score: float
    scored_by: ScoredBy
    retrieve: Retrieve
    p_retrieve: float | None
    decided_by: DecidedBy


class Path(TypedDict):
    """One answer in the making.

    Attributes:
        place: Its place in the beam, best first.
        text: The answer so far.
        segments: What it is made of.
        passages: The ids of the passages at hand, best first.
        used: The ids of the passages that its segments were written from.
        score: The mean of its segments' scores, so that length is no merit.
        end: Why it ended; empty while it goes on.
    """

    place: int
    text: str
    segments: list[Segment]
    passages: list[str]
    used: list[str]
    score: float
    end: str


class ProposalTask(TypedDict):
    """Paths that one task continues, one after the other.

    Attributes:
        question: The user's question.
        step: The next segment's number.
        paths: The paths.
    """

    question: str
    step: int
    paths: list[Path]


class Writing(TypedDict):
    """One candidate to write.

    Attributes:
        path: The path that it continues.
        rank: The passage's place among those at hand.
        passage: The passage.
    """

    path: Path
    rank: int
    passage: Document


class WritingTask(TypedDict):
    """Candidates that one task writes, one after the other.

    Attributes:
        question: The user's question.
        step: The segment's number.
        writings: The candidates.
    """

    question: str
    step: int
    writings: list[Writing]


class SelfRagContext(Context):
    """Parameters of the Self-RAG graph."""

    max_segments: int = Field(6, ge=1, le=30, description="Segments of the answer, at most")
    top_k: int = Field(4, ge=1, le=50, description="Passages of each retrieval")
    weight_is_rel: float = Field(1.0, ge=0, le=100, description="Weight of a passage's relevance")
    weight_is_sup: float = Field(1.0, ge=0, le=100, description="Weight of a segment's support")
    weight_is_use: float = Field(0.5, ge=0, le=100, description="Weight of a segment's usefulness")
    retrieve_threshold: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Retrieve when P(Retrieve=Yes) is above it, where the model exposes it",
    )
    beam_width: int = Field(1, ge=1, le=8, description="Answers in the making kept at each step")
    max_concurrency: int = Field(16, ge=1, le=64, description="Candidates written at a time")


class SelfRagState(Outcome):
    """State and output of the Self-RAG graph.

    Attributes:
        step: How many segments the paths have.
        passages: Every passage that was retrieved, once; all else names them by id.
        paths: The beam, best first.
        proposals: One per path and segment, as the model writes it without a passage.
        decisions: One per proposal: whether to retrieve, and what decided.
        candidates: Every candidate segment with its tokens and score, kept or not.
        segments: The answer's segments, each with its IsSup tag.
        retrievals: How often the index was searched.
    """

    usage: Annotated[Usage, add_usage]
    step: int
    passages: Annotated[list[Document], collect]
    paths: list[Path]
    proposals: Annotated[list[Proposal], collect]
    decisions: Annotated[list[Decision], collect]
    candidates: Annotated[list[Candidate], collect]
    segments: list[Segment]
    retrievals: int
