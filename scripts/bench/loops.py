"""The rows of Self-RAG and of the groundedness loop: full runs against their critical paths."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from scripts.bench.measure import Pair, Row, Scale

_CALL = 0.3
_QUESTION = "Who runs payroll?"
_SEGMENTS = 3
_PASSAGES = 4
_SELF_RAG_PATH = 2 * _SEGMENTS  # for each segment a proposal, then its candidates at the same time
_GROUNDEDNESS_PATH = 7  # three answers, three grades and a rewrite: each needs the one before
_NOT_GROUNDED = '{"grounded": false, "answers_question": true, "unsupported_claims": ["x"]}'
_BESIDE = '{"grounded": true, "answers_question": false}'
_BOTH = '{"grounded": true, "answers_question": true}'


def rows() -> list[Row]:
    """Return the rows."""
    self_rag = "Self-RAG, 4 candidates × 3 segments, 300 ms a call, ÷ its critical path"
    grounded = "groundedness loop, both loops, 300 ms a call, ÷ its critical path"
    return [
        Row(f"{self_rag} (invoke)", 1.10, lambda scale: _pair(_self_rag, "invoke", scale), 5),
        Row(f"{self_rag} (ainvoke)", 1.10, lambda scale: _pair(_self_rag, "ainvoke", scale), 5),
        Row(f"{grounded} (invoke)", 1.10, lambda scale: _pair(_grounded, "invoke", scale), 5),
        Row(f"{grounded} (ainvoke)", 1.10, lambda scale: _pair(_grounded, "ainvoke", scale), 5),
    ]


class Scripted(BaseChatModel):
    """Answers with a function of the prompt, after some seconds.

    Attributes:
        reply: From the prompt to the reply.
        seconds: How long a call takes.
    """

    reply: Callable[[str], str]
    seconds: float

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        time.sleep(self.seconds)
        return self._result(messages)

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return self._result(messages)

    def _result(self, messages: list[BaseMessage]) -> ChatResult:
        message = AIMessage(self.reply(str(messages[-1].text)))
        return ChatResult(generations=[ChatGeneration(message=message)])


class _Index:
    """Gives documents of its own for every query, at once."""

    def search(self, query: str, k: int) -> list[Any]:
        """Return ``k`` documents."""
        texts = (f"{n}: Acme runs payroll; found by {query}." for n in range(k))
        return [{"id": text, "content": text, "metadata": {}} for text in texts]

    async def asearch(self, query: str, k: int) -> list[Any]:
        """Return the same."""
        return self.search(query, k)


def _pair(running: Callable[[str, float], Pair], colour: str, scale: Scale) -> Pair:
    return running(colour, 0.01 if scale.quick else _CALL)


def _self_rag(colour: str, seconds: float) -> Pair:
    from graphs import self_rag

    def reply(prompt: str) -> str:
        if "<passage>" not in prompt:
            return "[Retrieve=Yes]"
        number = prompt.count("Part") + 1
        return f"[IsRel=Relevant] Part {number}. [IsSup=Fully] [IsUse=5]"

    def ours() -> float:
        model = Scripted(reply=reply, seconds=seconds)
        context = {"max_segments": _SEGMENTS, "top_k": _PASSAGES}
        took, out = _run(self_rag, {"model": model}, colour, context)
        assert len(out["segments"]) == _SEGMENTS  # noqa: S101 - a benchmark of wrong work is none
        assert len(out["candidates"]) == _SEGMENTS * _PASSAGES  # noqa: S101
        return took

    return Pair(lambda: _sleep(_SELF_RAG_PATH, seconds), ours)


def _grounded(colour: str, seconds: float) -> Pair:
    from graphs import groundedness

    def ours() -> float:
        grades, drafts = iter([_NOT_GROUNDED, _BESIDE, _BOTH]), iter(["One.", "Two.", "Three."])
        roles = {
            "grader": Scripted(reply=lambda _: next(grades), seconds=seconds),
            "generator": Scripted(reply=lambda _: next(drafts), seconds=seconds),
            "rewriter": Scripted(reply=lambda _: "payroll vendor contract", seconds=seconds),
        }
        took, out = _run(groundedness, roles, colour, {})
        assert (out["answer"], out["loops"]) == ("Three.", 2)  # noqa: S101
        return took

    return Pair(lambda: _sleep(_GROUNDEDNESS_PATH, seconds), ours)


def _run(graph: Any, roles: Any, colour: str, context: Any) -> tuple[float, Any]:
    """Make one full run; building the graph is not timed."""
    from backends import Backends, Settings

    backends = Backends(index=_Index(), settings=Settings(_env_file=None), **roles)
    compiled = graph.build(backends).compile()
    inputs = {"question": _QUESTION}
    if colour == "invoke":
        started = time.perf_counter()
        out = compiled.invoke(inputs, context=context)
        return time.perf_counter() - started, out

    async def arun() -> tuple[float, Any]:
        started = time.perf_counter()
        out = await compiled.ainvoke(inputs, context=context)
        return time.perf_counter() - started, out

    return asyncio.run(arun())


def _sleep(calls: int, seconds: float) -> float:
    started = time.perf_counter()
    for _ in range(calls):
        time.sleep(seconds)
    return time.perf_counter() - started
