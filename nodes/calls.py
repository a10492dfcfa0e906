"""What a node may want from the outside.

A node is a plain generator: it *yields* a call, is sent the reply, and returns a partial
update of the state. It does not know whether it runs under ``invoke`` or ``ainvoke``, in
the way that httpx writes an authentication flow once for both of its clients. Failed calls
are raised at the ``yield`` as one of the errors in ``state.errors``.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

from prompts import Prompt
from state.documents import Document
from state.errors import CragError
from state.outcome import LeftOut
from state.verdicts import Verdict

T = TypeVar("T")
M = TypeVar("M", bound=Verdict)


@dataclass(frozen=True, slots=True)
class Reading(Generic[M]):
    """What a role replied.

    Attributes:
        value: The reply in the asked-for shape; ``None`` when it could not be read.
        raw: The reply as it came, for the log.
        model: Who gave it.
    """

    value: M | None
    raw: str
    model: str


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply, with what the model might have said in its place.

    Attributes:
        text: The token.
        logprob: Its natural log-probability, at most 0.
        alternatives: Log-probabilities of the likeliest tokens there, as far as the endpoint
            returns them; a token that is absent was less likely than all of these.
    """

    text: str
    logprob: float
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Text:
    """A reply in plain text.

    Attributes:
        text: The reply without thinking blocks and outer white space.
        model: Who gave it.
        tokens: The reply's tokens with their log-probabilities, where they were asked for and
            the model exposes them; else ``None``.
    """

    text: str
    model: str
    tokens: tuple[Token, ...] | None = None


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """A tool that a model chose to call.

    Attributes:
        name: The tool's name.
        args: Its arguments, as the model gave them.
    """

    name: str
    args: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Packed:
    """Documents cut to what a model can read.

    Attributes:
        documents: In the given order; the last one may be shortened.
        left_out: What was shortened or did not fit.
    """

    documents: list[Document]
    left_out: list[LeftOut]


@dataclass(frozen=True, slots=True)
class Call:
    """Base of all calls.

    Attributes:
        seconds: What the call may take with all of its tries; ``None`` for the settings' limits.
    """

    seconds: float | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Ask(Call):
    """Ask a role.

    The reply is a ``Text``; with a schema, a ``Reading``; with tools, a list of ``ToolChoice``.

    Attributes:
        role: Who is asked.
        prompt: What a model is asked; an evaluator gets the fields alone.
        fields: The prompt's values, and what else an evaluator may want.
        schema: The shape of the reply.
        enforce_tool: Ask for the schema by a forced tool call rather than a JSON schema.
        logprobs: Ask for the log-probabilities of the reply's tokens.
        tools: Schemas of the tools that the model may call; their names are the classes'.
        model: The name of the model to ask, where the settings choose it; empty for theirs.
    """

    role: str
    prompt: Prompt
    fields: Mapping[str, Any]
    schema: type[Verdict] | None = None
    enforce_tool: bool = False
    logprobs: bool = False
    tools: tuple[type[BaseModel], ...] = ()
    model: str = ""


@dataclass(frozen=True, slots=True)
class SearchIndex(Call):
    """Search the document index; the reply is a list of at most ``k`` documents."""

    query: str
    k: int


@dataclass(frozen=True, slots=True)
class SearchWeb(Call):
    """Search the web; the reply is a list of at most ``max_results`` documents."""

    query: str
    max_results: int


@dataclass(frozen=True, slots=True)
class Found:
    """What a source gave.

    Attributes:
        documents: At most as many as were asked for, best first.
        doubt: Empty, or why they may not be all that there is.
    """

    documents: list[Document]
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class SearchSource(Call):
    """Search one of several named sources; the reply is a ``Found``.

    Attributes:
        source: Its name among the backends' sources.
        query: What it is asked.
        k: How many results it may give.
        language: The code of the language to search in, where the source has several.
    """

    source: str
    query: str
    k: int
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Scores:
    """How well texts fit a query.

    Attributes:
        values: One per text, in their order, each in [0, 1] and independent of the others.
        tier: Which tier of the cascade scored.
        model: The model's or service's name.
        scale: What it emits: probabilities, or logits that went through the sigmoid.
        skipped: The tiers above it, each with the reason why it did not score.
    """

    values: list[float]
    tier: str
    model: str
    scale: Literal["probability", "logit"]
    skipped: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Rerank(Call):
    """Score texts against a query; the reply is ``Scores``.

    Attributes:
        query: The query.
        texts: The texts.
        model: The name of the reranker API's model.
    """

    query: str
    texts: tuple[str, ...]
    model: str = ""


@dataclass(frozen=True, slots=True)
class AskPerson(Call):
    """Stop and ask the caller; the reply is what the run is resumed with."""

    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pack(Call):
    """Fit documents into the window of the models that play ``roles``.

    Attributes:
        documents: Best first.
        roles: Roles that are going to read them.
        question: Shares the prompt with them.
        share: How much of the room to use, in (0, 1].
        model: As in ``Ask``.
    """

    documents: Sequence[Document]
    roles: tuple[str, ...]
    question: str
    share: float = 1.0
    model: str = ""


Steps = Generator[Call, Any, T]
"""A node body: yields calls, is sent replies, returns an update."""


@dataclass(frozen=True, slots=True)
class Together(Call):
    """Do several things at the same time within one node.

    The reply is a list in the same order: what each part returned, or the ``CragError`` that
    ended it, so that one failure does not take the others down.
    """

    parts: Sequence[Generator[Call, Any, Any]]


def ask(role: str, prompt: Prompt, **fields: Any) -> Steps[Text]:
    """Ask a role for text."""
    reply: Text = yield Ask(role, prompt, fields)
    return reply


def ask_json(role: str, prompt: Prompt, schema: type[M], **fields: Any) -> Steps[Reading[M]]:
    """Ask a role for a verdict; one call, whatever form the reply takes."""
    reply: Reading[M] = yield Ask(role, prompt, fields, schema)
    return reply


def ask_by_tool(role: str, prompt: Prompt, schema: type[M], **fields: Any) -> Steps[Reading[M]]:
    """Ask a role for a verdict by one forced tool call."""
    reply: Reading[M] = yield Ask(role, prompt, fields, schema, enforce_tool=True)
    return reply


def ask_with_logprobs(role: str, prompt: Prompt, **fields: Any) -> Steps[Text]:
    """Ask a role for text, with its tokens' log-probabilities where the model exposes them."""
    reply: Text = yield Ask(role, prompt, fields, logprobs=True)
    return reply


def choose_tools(
    role: str, prompt: Prompt, tools: Sequence[type[BaseModel]], **fields: Any
) -> Steps[list[ToolChoice]]:
    """Let a role choose tools; empty when it chooses none or cannot be given any."""
    reply: list[ToolChoice] = yield Ask(role, prompt, fields, tools=tuple(tools))
    return reply


def search_index(query: str, k: int) -> Steps[list[Document]]:
    """Search the index for at most ``k`` documents, best first."""
    documents: list[Document] = yield SearchIndex(query, k)
    return documents


def search_web(query: str, max_results: int) -> Steps[list[Document]]:
    """Search the web for at most ``max_results`` documents, best first."""
    documents: list[Document] = yield SearchWeb(query, max_results)
    return documents


def ask_person(**payload: Any) -> Steps[Any]:
    """Interrupt the run and return what it is resumed with."""
    reply = yield AskPerson(payload)
    return reply


def pack(
    documents: Sequence[Document], *roles: str, question: str, share: float = 1.0, model: str = ""
) -> Steps[Packed]:
    """Fit documents into the smallest window among the roles' models."""
    packed: Packed = yield Pack(documents, roles, question, share, model)
    return packed


def together(parts: Iterable[Steps[T]]) -> Steps[list[T | CragError]]:
    """Do several things at the same time; a part that fails gives its error.

    A fan-out that should show in the drawing is LangGraph's ``Send``; this is for a node that
    is one box in its document.
    """
    replies: list[T | CragError] = yield Together(tuple(parts))
    return replies
