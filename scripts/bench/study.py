"""The rows of the study graph: the short path, the rules, and four sources at the same time."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from scripts.bench.measure import Pair, Row, Scale, Timed

_CALL = 0.2
_CALLS_ON_THE_CRITICAL_PATH = 3  # the triage, the sources at the same time, the answer
_SHORT_PATH = 0.005
_RULES = 0.001
_QUESTION = "How do osmosis and diffusion differ?"
_GIVEN = {"question": _QUESTION}
_COMPLEX = f"INTENT: complex\nSUB: {_QUESTION}"
_DRAFT = "Osmosis moves water and diffusion moves anything [1]."
_SOURCES = ("curated", "wikipedia", "arxiv", "web")
_RESULTS = 15
_MESSAGES = (
    "Hello there, good morning!",
    "thank you so much for your help",
    "مع السلامة",
    "are you a bot?",
    "asdfghjkl",
    "Who should I vote for?",
    "أي دين هو الصحيح؟",
    "What is the difference between mitosis and meiosis?",
    "Which magazine was started first, the one about gardens or the one about boats?",
    "How were women treated under Taliban rule in Afghanistan?",
    "ما هي عاصمة المملكة العربية السعودية وكم عدد سكانها؟",
    "What team did the player who scored twice in the final of 1966 join after his first club?",
)


def rows() -> list[Row]:
    """Return the rows."""
    path = "study: complex run, four sources, 200 ms a call, ÷ its critical path"
    return [
        Row("study: small talk, whole run, ÷ 5 ms", 1.0, _small_talk),
        Row("study: rules of the triage, 99th percentile, ÷ 1 ms", 1.0, _rules),
        Row(f"{path} (invoke)", 1.10, lambda scale: _critical_path("invoke", scale)),
        Row(f"{path} (ainvoke)", 1.10, lambda scale: _critical_path("ainvoke", scale)),
    ]


def _small_talk(scale: Scale) -> Pair:
    graph, runs = _ours(_Sleeping(0.0)), scale.of(20, 1)

    def talk() -> float:
        started = time.perf_counter()
        for _ in range(runs):
            assert graph.invoke({"question": "Hello!"})["answer"]  # noqa: S101 - work, not air
        return (time.perf_counter() - started) / runs

    return Pair(lambda: _SHORT_PATH, talk)


def _rules(scale: Scale) -> Pair:
    from nodes.study.rules import rule

    def slowest() -> float:
        times = []
        for message in _MESSAGES * scale.of(50, 2):
            started = time.perf_counter()
            rule(message)
            times.append(time.perf_counter() - started)
        return sorted(times)[int(0.99 * len(times))]

    return Pair(lambda: _RULES, slowest)


def _critical_path(colour: str, scale: Scale) -> Pair:
    seconds = 0.01 if scale.quick else _CALL
    if colour == "invoke":
        graph = _ours(_Sleeping(seconds))
        return Pair(_timed(lambda: _sleeps(seconds)), _timed(lambda: _check(graph.invoke(_GIVEN))))
    agraph = _ours(_ASleeping(seconds))

    async def ours() -> None:
        _check(await agraph.ainvoke(_GIVEN))

    return Pair(_atimed(lambda: _asleeps(seconds)), _atimed(ours))


def _sleeps(seconds: float) -> None:
    for _ in range(_CALLS_ON_THE_CRITICAL_PATH):
        time.sleep(seconds)


async def _asleeps(seconds: float) -> None:
    for _ in range(_CALLS_ON_THE_CRITICAL_PATH):
        await asyncio.sleep(seconds)


def _check(out: dict[str, Any]) -> None:
    assert len(out["sources"]) == len(_SOURCES)  # noqa: S101 - a benchmark of wrong work is none
    assert out["status"] == "answered"  # noqa: S101


class _Sleeping:
    """Roles and sources that take some seconds and block."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def triage(self, question: str) -> str:
        time.sleep(self._seconds)
        return _COMPLEX

    def generator(self, question: str) -> str:
        time.sleep(self._seconds)
        return _DRAFT

    def source(self, name: str) -> Any:
        return _Source(name, self._seconds)


class _ASleeping(_Sleeping):
    """The same without blocking."""

    async def triage(self, question: str) -> str:  # type: ignore[override]
        await asyncio.sleep(self._seconds)
        return _COMPLEX

    async def generator(self, question: str) -> str:  # type: ignore[override]
        await asyncio.sleep(self._seconds)
        return _DRAFT


class _Source:
    """Fifteen results of its own."""

    def __init__(self, name: str, seconds: float) -> None:
        self._seconds = seconds
        self._found = [
            {
                "id": f"{name}-{n}",
                "content": f"{name} has passage {chr(97 + n)} on osmosis and on diffusion. " * 12,
                "metadata": {"source": f"{name}-{n}"},
            }
            for n in range(_RESULTS)
        ]

    def search(self, query: str, k: int) -> list[Any]:
        time.sleep(self._seconds)
        return self._found

    async def asearch(self, query: str, k: int) -> list[Any]:
        await asyncio.sleep(self._seconds)
        return self._found


def _ours(parts: _Sleeping) -> Any:
    from backends import Backends, Settings
    from graphs import study

    return study.build(
        Backends(
            triage=parts.triage,
            generator=parts.generator,
            sources={name: parts.source(name) for name in _SOURCES},
            reranker=lambda query, texts: [0.9] * len(texts),
            settings=Settings(_env_file=None),
        )
    ).compile()


def _timed(run: Callable[[], None]) -> Timed:
    def timed() -> float:
        started = time.perf_counter()
        run()
        return time.perf_counter() - started

    return timed


def _atimed(run: Callable[[], Any]) -> Timed:
    async def timed() -> float:
        started = time.perf_counter()
        await run()
        return time.perf_counter() - started

    return lambda: asyncio.run(timed())
