"""State, context and records of the study graph (document 003)."""

from typing import Annotated, Literal

from pydantic import Field, model_validator
from typing_extensions import TypedDict

from state.context import Context
from state.documents import Document
from state.outcome import Outcome, Usage
from state.reducers import add_usage, collect

Intent = Literal["chitchat", "unsafe", "simple", "complex"]
SourceName = Literal["curated", "wikipedia", "arxiv", "web"]
EvidenceVerdict = Literal["correct", "ambiguous", "incorrect"]
Cause = Literal["none", "bad_query"]
Language = Literal["en", "ar"]
Topic = Literal["", "gibberish", "adult", "politics", "religion", "harm"]

ALL_SOURCES: tuple[SourceName, ...] = ("curated", "wikipedia", "arxiv", "web")
"""In order of trust: the document index first (reading 11: it stands for Supabase)."""

MISTRAL_MODEL = "ministral-8b-latest"
JINA_MODEL = "jina-reranker-v2-base-multilingual"


class StudyContext(Context):
    """Parameters of the study graph: the constants of document 003, section 5, and a few more."""

    high_threshold: float = Field(
        0.8, ge=0, le=1, description="Complex: a top score from here on answers without evaluator"
    )
    low_threshold: float = Field(
        0.2, ge=0, le=1, description="Complex: a top score up to here retries without evaluator"
    )
    simple_threshold: float = Field(
        0.35, ge=0, le=1, description="Simple: a top score above this answers, others retry"
    )
    keep_threshold: float = Field(
        0.5, ge=0, le=1, description="Score from which a chunk is carried into the next pass"
    )
    max_retries: int = Field(2, ge=0, le=10, description="Corrective passes before the fallback")
    top_k: int = Field(5, ge=1, le=50, description="Base number of results of a source")
    retrieve_multiplier: int = Field(
        3, ge=1, le=10, description="A source is asked for top_k times this many results"
    )
    final_context_n: int = Field(
        8, ge=1, le=50, description="Best chunks that are judged and written from"
    )
    pool_max: int = Field(50, ge=1, le=500, description="Most chunks in the pool over all passes")
    carry_max: int = Field(4, ge=0, le=50, description="Most chunks carried into the next pass")
    triage_timeout_s: float = Field(
        15.0, gt=0, le=300, description="Seconds for the triage model, then the complex path"
    )
    max_subqueries: int = Field(
        3, ge=1, le=10, description="Most sub-questions of a complex question"
    )
    llm_model: str = Field(
        MISTRAL_MODEL, min_length=1, description="Model, at Mistral when MISTRAL_API_KEY is set"
    )
    reranker_model: str = Field(
        JINA_MODEL, min_length=1, description="Model of the reranker API, when JINA_API_KEY is set"
    )
    source_timeout_s: float = Field(
        20.0, gt=0, le=300, description="Seconds for one search of a source, retries included"
    )
    chunk_chars: int = Field(
        1200, ge=200, le=8000, description="Longest chunk that long results are cut into"
    )
    pinned_curated: int = Field(
        2, ge=0, le=50, description="Best chunks of the document index kept whatever the others"
    )
    language: Literal["auto", "en", "ar"] = Field(
        "auto", description="Language of every reply; auto is the question's"
    )
    allowed_sources: list[SourceName] = Field(
        list(ALL_SOURCES), min_length=1, description="Sources that a question may be sent to"
    )
    on_no_evidence: Literal["model_knowledge", "refuse"] = Field(
        "model_knowledge", description="Fallback without evidence: labelled knowledge, or none"
    )
    citation_marks: bool = Field(False, description="Keep the marks [1], [2] in the answer shown")

    @model_validator(mode="after")
    def _thresholds_in_order(self) -> "StudyContext":
        """Refuse thresholds that would make a gate unreachable."""
        if not self.low_threshold < self.high_threshold:
            raise ValueError(
                f"low_threshold ({self.low_threshold:g}) must be under high_threshold "
                f"({self.high_threshold:g})."
            )
        if not self.low_threshold < self.simple_threshold <= self.high_threshold:
            raise ValueError(
                f"simple_threshold ({self.simple_threshold:g}) must be over low_threshold "
                f"({self.low_threshold:g}) and at most high_threshold ({self.high_threshold:g})."
            )
        return self

    @model_validator(mode="after")
    def _sizes_in_order(self) -> "StudyContext":
        """Refuse sizes that cannot all hold."""
        if self.final_context_n > self.pool_max:
            raise ValueError(
                f"final_context_n ({self.final_context_n}) must be at most pool_max "
                f"({self.pool_max})."
            )
        return self


class Chunk(Document):
    """A piece of a result, as it is pooled, scored and written from.

    Attributes:
        origin: The source that gave it.
        rank: Its place among that source's results, from 0.
        score: The reranker's score in [0, 1]; ``None`` before it was scored.
    """

    origin: SourceName
    rank: int
    score: float | None


class RawResult(TypedDict):
    """What one search of one source gave, before it is cleaned up.

    Attributes:
        source: The source.
        documents: Its results, best first.
    """

    source: SourceName
    documents: list[Document]


class SourceReport(TypedDict):
    """How one search of one source went.

    Attributes:
        source: The source.
        query: What it was asked.
        attempt: The pass, from 0.
        asked: How many results it was asked for.
        results: How many it gave.
        outcome: ``hits``, ``no_hits``, or ``failed``, which is never the same.
        error: Why it failed, or what is doubtful about its results; else empty.
        seconds: How long it took.
    """

    source: SourceName
    query: str
    attempt: int
    asked: int
    results: int
    outcome: Literal["hits", "no_hits", "failed"]
    error: str
    seconds: float


class SkippedTier(TypedDict):
    """A tier of the reranker cascade that did not score, and why."""

    tier: str
    reason: str


class RerankReport(TypedDict):
    """Who scored one pass.

    Attributes:
        attempt: The pass, from 0.
        tier: ``given``, ``jina``, ``cross_encoder``, ``embedded``, or empty for an empty pool.
        model: The model's or service's name.
        scale: What it emits: ``probability`` is taken as it is, ``logit`` through the sigmoid.
        skipped: The tiers above it.
        scored: How many chunks were scored.
        top_score: The best score; 0 for an empty pool.
    """

    attempt: int
    tier: str
    model: str
    scale: Literal["", "probability", "logit"]
    skipped: list[SkippedTier]
    scored: int
    top_score: float


class Evaluation(TypedDict):
    """What the evaluator said of one pass.

    Attributes:
        attempt: The pass, from 0.
        verdict: Its verdict; ``ambiguous`` when the reply could not be read.
        likely_cause: ``bad_query`` when asking differently may help.
        missing: What the evidence lacks.
        problem: Empty, or why the verdict is missing.
    """

    attempt: int
    verdict: EvidenceVerdict
    likely_cause: Cause
    missing: str
    problem: Literal["", "unreadable", "failed"]


class StudyState(Outcome):
    """State and output of the study graph; the fields are those of document 003, section 3.

    Attributes:
        intent: The triage's class.
        topic: Why a question is unsafe; else empty.
        triage_tier: 0 when the rules decided, 1 when the model did.
        language: The language of the replies.
        sub_questions: Non-empty only for a complex question.
        reply: The ready reply of the short paths; else ``None``.
        original_q: The validated question.
        sources_to_use: The sources of the current pass.
        search_query: Keywords of the current pass.
        tool_queries: What each source is asked in the current pass.
        raw_results: What the sources gave in the current pass.
        new_chunks: The same, cleaned up and cut.
        tried_sources: Every source that was asked.
        pool: The chunks that may be written from.
        ranked: The best of them, scored, best first.
        verdict: The evaluator's last verdict; ``None`` when it was not asked.
        likely_cause: The evaluator's cause.
        missing: What the evaluator found missing.
        retries: Passes that did not suffice.
        low_confidence: Whether the fallback answered.
        sources: One report per search.
        rerankings: One report per pass.
        evaluations: One per evaluator call.
        invalid_citations: Marks of chunks that were not given, removed.
    """

    usage: Annotated[Usage, add_usage]
    intent: Intent
    topic: Topic
    triage_tier: Literal[0, 1]
    language: Language
    sub_questions: list[str]
    reply: str | None
    original_q: str
    sources_to_use: list[SourceName]
    search_query: str
    tool_queries: dict[SourceName, list[str]]
    raw_results: list[RawResult]
    new_chunks: list[Chunk]
    tried_sources: list[SourceName]
    pool: list[Chunk]
    ranked: list[Chunk]
    verdict: EvidenceVerdict | None
    likely_cause: Cause
    missing: str
    retries: int
    low_confidence: bool
    sources: Annotated[list[SourceReport], collect]
    rerankings: Annotated[list[RerankReport], collect]
    evaluations: Annotated[list[Evaluation], collect]
    invalid_citations: int


def top_score(state: StudyState) -> float:
    """Return the best score of the current pass; 0 when nothing was found."""
    ranked = state["ranked"]
    return (ranked[0]["score"] or 0.0) if ranked else 0.0
