"""The rows of the corrective graph: what the gateway and the nodes add to the calls."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from scripts.bench.measure import Pair, Row, Scale, Timed

_CALL = 0.3
_SHORT_CALL = 0.05
_CALLS_ON_THE_CRITICAL_PATH = 3  # the grades at the same time, the draft, the check
_MANY = 200


def rows() -> list[Row]:
    """Return the rows."""
    path = "full run, 300 ms a call, ÷ its critical path"
    instant = "instant model, ÷ bare LangGraph"
    return [
        Row(f"{path} (invoke)", 1.10, lambda scale: _critical_path("invoke", scale)),
        Row(f"{path} (ainvoke)", 1.05, lambda scale: _critical_path("ainvoke", scale)),
        Row("one-call-at-a-time grading ÷ full run", 1.9, _one_at_a_time, faster=True),
        Row("200 runs at once, 50 ms a call, ÷ bare LangGraph", 1.3, _many_at_once),
        Row(f"{instant} (invoke)", 1.5, lambda scale: _instant("invoke", scale), repeats=15),
        Row(f"{instant} (ainvoke)", 1.5, lambda scale: _instant("ainvoke", scale), repeats=15),
    ]


def _critical_path(colour: str, scale: Scale) -> Pair:
    seconds = 0.01 if scale.quick else _CALL

    def floor() -> None:
        for _ in range(_CALLS_ON_THE_CRITICAL_PATH):
            time.sleep(seconds)

    async def afloor() -> None:
        for _ in range(_CALLS_ON_THE_CRITICAL_PATH):
            await asyncio.sleep(seconds)

    if colour == "invoke":
        return Pair(_timed(floor), _timed(_run(_ours(seconds))))
    return Pair(_atimed(afloor), _atimed(_arun(_ours(seconds))))


def _one_at_a_time(scale: Scale) -> Pair:
    from scripts.bench import bare
    from scripts.bench.model import Sleeper

    seconds = 0.01 if scale.quick else _CALL
    floor = bare.build(Sleeper(seconds=seconds), one_by_one=True)
    return Pair(_timed(_run(floor)), _timed(_run(_ours(seconds))))


def _many_at_once(scale: Scale) -> Pair:
    from scripts.bench import bare
    from scripts.bench.model import Sleeper

    runs = scale.of(_MANY, 5)
    floor = bare.build(Sleeper(seconds=_SHORT_CALL), colour="ainvoke")

    def at_once(graph: Any) -> Callable[[], Any]:
        run = _arun(graph)

        async def gather() -> None:
            await asyncio.gather(*[run() for _ in range(runs)])

        return gather

    # As many calls at a time as the floor makes, which knows no limit.
    ours = _ours(_SHORT_CALL, max_concurrency=4 * _MANY)
    return Pair(_atimed(at_once(floor)), _atimed(at_once(ours)))


def _instant(colour: str, scale: Scale) -> Pair:
    from scripts.bench import bare
    from scripts.bench.model import Sleeper

    runs = scale.of(20, 1)
    floor = bare.build(Sleeper(), colour=colour)

    def one_after_the_other(graph: Any) -> Timed:
        if colour == "invoke":
            return _timed(_run(graph), runs)
        return _atimed(_arun(graph), runs)

    return Pair(one_after_the_other(floor), one_after_the_other(_ours(0.0)))


class _Index:
    """Four documents, at once."""

    def search(self, query: str, k: int) -> list[Any]:
        """Return them."""
        from scripts.bench.bare import DOCUMENTS

        return DOCUMENTS

    async def asearch(self, query: str, k: int) -> list[Any]:
        """Return them."""
        return self.search(query, k)


def _ours(seconds: float, **settings: Any) -> Any:
    from backends import Backends, Settings
    from graphs import corrective
    from scripts.bench.model import Sleeper

    model, own = Sleeper(seconds=seconds), Settings(_env_file=None, **settings)
    return corrective.build(Backends(model=model, index=_Index(), settings=own)).compile()


def _run(graph: Any) -> Callable[[], None]:
    from scripts.bench.bare import DOCUMENTS, QUESTION

    def run() -> None:
        out = graph.invoke({"question": QUESTION})
        assert len(out["grades"]) == len(DOCUMENTS)  # noqa: S101 - a benchmark of wrong work is none
        assert out["answer"]  # noqa: S101

    return run


def _arun(graph: Any) -> Callable[[], Any]:
    from scripts.bench.bare import DOCUMENTS, QUESTION

    async def run() -> None:
        out = await graph.ainvoke({"question": QUESTION})
        assert len(out["grades"]) == len(DOCUMENTS)  # noqa: S101
        assert out["answer"]  # noqa: S101

    return run


def _timed(run: Callable[[], Any], times: int = 1) -> Timed:
    def timed() -> float:
        started = time.perf_counter()
        for _ in range(times):
            run()
        return time.perf_counter() - started

    return timed


def _atimed(run: Callable[[], Any], times: int = 1) -> Timed:
    """Time it within one event loop, without the loop's start and end."""

    async def timed() -> float:
        started = time.perf_counter()
        for _ in range(times):
            await run()
        return time.perf_counter() - started

    return lambda: asyncio.run(timed())
