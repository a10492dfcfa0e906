"""Stub models, indexes and web searches that keep what they heard.

A stub's reply is a function of the prompt it was given, not of its place in a queue, so that
calls made at the same time cannot take each other's replies::

    grader = chat(lambda prompt: grade("Sirius" in field(prompt, "document")))
    backends = Backends(grader=grader, index=StubIndex([document("d1", "Sirius …")]))
    ...
    assert len(grader.prompts) == 1

They are real chat models (both colours, streaming, token counts, tools in ``ToolChat``), so
what passes with them passes through everything that a hosted model passes through.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field, PrivateAttr

from prompts import load
from state.documents import Document

Reply = str | dict[str, Any] | BaseMessage | BaseException
"""Text; a mapping, sent as JSON (or as the arguments of the tool that was asked for); a whole
message; or what the endpoint raises."""
Answering = Callable[[str], Reply]
Delay = float | Callable[[str], float]


class StubChat(BaseChatModel):
    """A chat model that answers with a function of the prompt.

    Attributes:
        reply: From the prompt's text to the reply.
        delay: Seconds that a reply takes, or a function from the prompt to them.
        model: The name that receipts show.
        prompts: Every prompt heard, in order of arrival.
        requests: The keyword arguments of each call (``stop``, ``tools``, ``tool_choice`` …).
        most_at_once: The largest number of calls in flight at the same time.
    """

    reply: Answering
    delay: Delay = 0.0
    model: str = "stub"
    prompts: list[str] = Field(default_factory=list)
    requests: list[dict[str, Any]] = Field(default_factory=list)
    most_at_once: int = 0
    _in_flight: int = PrivateAttr(default=0)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "stub"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **request: Any,
    ) -> ChatResult:
        prompt = self._arrive(messages, request)
        try:
            _sleep(self.delay, prompt)
            return _result(self._message(prompt, request))
        finally:
            self._leave()

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **request: Any,
    ) -> ChatResult:
        prompt = self._arrive(messages, request)
        try:
            await asyncio.sleep(_seconds(self.delay, prompt))
            return _result(self._message(prompt, request))
        finally:
            self._leave()

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **request: Any,
    ) -> Iterator[ChatGenerationChunk]:
        """Stream word by word, as endpoints do."""
        result = self._generate(messages, stop, None, **request)
        for chunk in _chunks(result.generations[0].message):
            if run_manager:
                run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **request: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        result = await self._agenerate(messages, stop, None, **request)
        for chunk in _chunks(result.generations[0].message):
            if run_manager:
                await run_manager.on_llm_new_token(str(chunk.text), chunk=chunk)
            yield chunk

    def _arrive(self, messages: list[BaseMessage], request: dict[str, Any]) -> str:
        prompt = "\n".join(str(message.text) for message in messages)
        with self._lock:
            self.prompts.append(prompt)
            self.requests.append(request)
            self._in_flight += 1
            self.most_at_once = max(self.most_at_once, self._in_flight)
        return prompt

    def _leave(self) -> None:
        with self._lock:
            self._in_flight -= 1

    def _message(self, prompt: str, request: dict[str, Any]) -> AIMessage:
        reply = self.reply(prompt)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, AIMessage):
            return reply
        message = _said(reply, request)
        words = len(str(reply).split())
        message.usage_metadata = {
            "input_tokens": len(prompt.split()),
            "output_tokens": words,
            "total_tokens": len(prompt.split()) + words,
        }
        return message


class ToolChat(StubChat):
    """A stub that can be given tools; a mapping is then sent as the call of the tool."""

    def bind_tools(self, tools: Sequence[Any], **request: Any) -> Runnable[Any, AIMessage]:
        """Bind tools as a hosted model does: they arrive with each call."""
        return self.bind(tools=list(tools), **request)


def chat(reply: Answering | Reply, *, tools: bool = False, delay: Delay = 0.0) -> StubChat:
    """Make a stub from a function of the prompt, or from one reply to everything."""
    kind = ToolChat if tools else StubChat
    return kind(reply=reply if callable(reply) else lambda _: reply, delay=delay)


def in_turn(*replies: Reply) -> Answering:
    """Reply with one after the other; for roles that are asked one call at a time.

    Asking more often than there are replies fails the test.
    """
    left = iter(replies)
    lock = threading.Lock()

    def reply(prompt: str) -> Reply:
        with lock:
            for found in left:
                return found
        return AssertionError(f"Asked more than {len(replies)} times; now: {prompt[:200]}")

    return reply


def by_prompt(**replies: Answering | Reply) -> Answering:
    """Let one model play every role: choose the reply by the prompt file that was rendered."""
    openings = {name: load(name).template.splitlines()[0] for name in replies}

    def reply(prompt: str) -> Reply:
        for name, opening in openings.items():
            if prompt.startswith(opening):
                found = replies[name]
                return found(prompt) if callable(found) else found
        return AssertionError(f"No reply was planned for: {prompt[:200]}")

    return reply


def field(prompt: str, tag: str) -> str:
    """Return what a rendered prompt holds between a tag's first opening and last closing."""
    return prompt.split(f"<{tag}>", 1)[1].rsplit(f"</{tag}>", 1)[0]


def grade(relevant: bool, reason: str = "A reason.") -> dict[str, Any]:
    """Return a grader's verdict."""
    return {"relevant": relevant, "reason": reason}


def checked(*unsupported: str) -> dict[str, Any]:
    """Return a checker's verdict; supported when no claim is named."""
    return {"supported": not unsupported, "unsupported_claims": list(unsupported)}


def document(identifier: str, content: str = "", **metadata: Any) -> Document:
    """Make a document; its source is a file named after it unless one is given."""
    return {
        "id": identifier,
        "content": content or f"Content of {identifier}.",
        "metadata": {"id": identifier, "source": f"{identifier}.md", **metadata},
    }


def documents(*identifiers: str) -> list[Document]:
    """Make documents with contents of their own."""
    return [document(identifier) for identifier in identifiers]


class _Source:
    """What is searched: replies with documents, or with whatever else it is given.

    Args:
        found: What every search returns; a function of the query; or what it raises.
        delay: Seconds that a search takes.

    Attributes:
        heard: Every query and how many results were asked for, in order of arrival.
    """

    name = "stub source"

    def __init__(self, found: Any = (), *, delay: float = 0.0) -> None:
        self.heard: list[tuple[str, int]] = []
        self._found = list(found) if isinstance(found, tuple) else found
        self._delay = delay

    def search(self, query: str, k: int) -> Any:
        """Search, blocking."""
        self.heard.append((query, k))
        time.sleep(self._delay)
        return self._reply(query)

    def _reply(self, query: str) -> Any:
        found = self._found(query) if callable(self._found) else self._found
        if isinstance(found, BaseException):
            raise found
        return found

    @property
    def queries(self) -> list[str]:
        """The queries heard."""
        return [query for query, _ in self.heard]


class StubIndex(_Source):
    """A document index with a blocking ``search(query, k)``."""

    name = "stub index"


class StubWeb(_Source):
    """A web search with a blocking ``search(query, max_results)``."""

    name = "stub web"


class _Async(_Source):
    async def asearch(self, query: str, k: int) -> Any:
        """Search without blocking."""
        self.heard.append((query, k))
        await asyncio.sleep(self._delay)
        return self._reply(query)


class AsyncIndex(_Async, StubIndex):
    """An index with an ``asearch`` of its own."""


class AsyncWeb(_Async, StubWeb):
    """A web search with an ``asearch`` of its own."""


def _said(reply: Any, request: dict[str, Any]) -> AIMessage:
    """Say text, or a mapping as the call of the tool that was asked for, else as JSON."""
    tools = request.get("tools")
    if isinstance(reply, dict) and tools:
        name = tools[0]["function"]["name"]
        return AIMessage("", tool_calls=[{"name": name, "args": reply, "id": "call-1"}])
    return AIMessage(reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))


def _result(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunks(message: BaseMessage) -> list[ChatGenerationChunk]:
    """Cut a message into one chunk a word, with tool calls and usage in the last one."""
    words = str(message.text).split(" ")
    parts = [AIMessageChunk(content=f"{word} ") for word in words[:-1]]
    last = AIMessageChunk(
        content=words[-1],
        tool_calls=getattr(message, "tool_calls", []),
        usage_metadata=getattr(message, "usage_metadata", None),
    )
    return [ChatGenerationChunk(message=part) for part in [*parts, last]]


def _seconds(delay: Delay, prompt: str) -> float:
    return delay(prompt) if callable(delay) else delay


def _sleep(delay: Delay, prompt: str) -> None:
    seconds = _seconds(delay, prompt)
    if seconds:
        time.sleep(seconds)
