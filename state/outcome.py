"""How a run ends: the fields that every graph's output has."""

from typing import Any, Literal

from typing_extensions import TypedDict

from state.documents import Document

Status = Literal[
    "answered",
    "partly_supported",
    "not_found",
    "refused",
    "no_answer",
    "low_confidence",
]
"""``answered``: every claim was found supported. ``partly_supported``: a cap was
reached, the unsupported claims were removed. ``not_found``: no evidence.
``refused``: evidence was retrieved and rejected, or the question is out of bounds.
``no_answer``: a loop was exhausted. ``low_confidence``: a fallback answered."""


class Citation(TypedDict):
    """A document that the answer stands on.

    Attributes:
        id: The document's identifier, as it stands in the answer's ``[id]``.
        source: Where the document came from: a path or a URL.
        title: What to show for it.
    """

    id: str
    source: str
    title: str


class LeftOut(TypedDict):
    """A document that did not fit a model's window, or only in part.

    Attributes:
        id: The document's identifier.
        tokens: The document's length in tokens.
        kept_tokens: How many of them the model was shown; 0 when none.
    """

    id: str
    tokens: int
    kept_tokens: int


class RoleUsage(TypedDict):
    """What one role cost in a run.

    Attributes:
        calls: Attempts that reached the outside, failed ones included.
        failed: Attempts of those that failed.
        input_tokens: Tokens sent, as far as the endpoint counts them.
        output_tokens: Tokens received.
        seconds: Time spent in calls, added up (parallel calls count each).
        models: Names of the models or evaluators that played the role.
    """

    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    seconds: float
    models: list[str]


Usage = dict[str, RoleUsage]
"""Usage by role, ``search`` and ``web`` among them."""


class Outcome(TypedDict):
    """The fields that every graph's output has.

    Attributes:
        question: The user's own question, never a rewritten one.
        answer: The text to show; never empty.
        status: How the run ended.
        stop_reason: One sentence that says why it stopped.
        documents: What the answer was written from; else the last retrieved.
        citations: The documents that the answer cites, in order of first mention.
        unsupported_claims: Claims that the last check did not find in the documents.
        left_out: Documents that did not fit the model's window.
        usage: Receipts of the run's calls, summed up by role.
    """

    question: str
    answer: str
    status: Status
    stop_reason: str
    documents: list[Document]
    citations: list[Citation]
    unsupported_claims: list[str]
    left_out: list[LeftOut]
    usage: Usage


Update = dict[str, Any]
"""A node's partial update of the state: new values only, nothing mutated."""
