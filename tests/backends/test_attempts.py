"""Calls are limited in number and time, tried again when it may help, and each is receipted."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from tenacity import RetryCallState

from backends import Backends, Settings, threads
from backends.attempts import Attempts
from backends.jobs import Job
from backends.limiter import Limiter
from backends.threads import begin, in_thread, plainly, within
from nodes.calls import ask, together
from prompts import Prompt
from state.errors import FormFault, ModelError, ModelUnavailable
from tests.backends.asking import answer, asking, returning, run
from tests.openai_server import OpenAIServer, error, said

colours = pytest.mark.parametrize("colour", ["sync", "async"])


def settings(**fields: Any) -> Settings:
    return Settings(_env_file=None, **{"min_wait": 0.0, "max_wait": 1.0} | fields)


def attempts(limit: int = 8, **fields: Any) -> tuple[Attempts, list[dict[str, Any]]]:
    told: list[dict[str, Any]] = []
    return Attempts(settings(**fields), Limiter(limit), "node", told.append), told


def job(call: Any, **rest: Any) -> Job:
    """Make a job whose two sides make the same call."""

    async def arun() -> Any:
        return call()

    def timed_out(seconds: float) -> ModelUnavailable:
        return ModelUnavailable(f"Nothing within {seconds:g} s.")

    return Job("grader", "m", "d1", call, arun, timed_out, **rest)


async def make(colour: str, attempts: Attempts, job: Job, **limits: Any) -> Any:
    if colour == "async":
        return await attempts.amake(job, **limits)
    return attempts.make(job, **limits)


def failing(times: int, error: Exception, then: Any = "ok") -> Any:
    left = [error] * times

    def call() -> Any:
        if left:
            raise left.pop()
        return then

    return call


# --- tries ----------------------------------------------------------------------------------


@colours
async def test_a_failure_that_may_pass_is_tried_again_and_each_try_has_a_receipt(
    colour: str,
) -> None:
    made, told = attempts(max_attempts=3)
    call = failing(2, ModelUnavailable("busy"))
    assert await make(colour, made, job(call, tokens=lambda reply: (3, 2))) == "ok"
    outcomes = [receipt.facts["outcome"] for receipt in made.receipts]
    assert outcomes == ["ModelUnavailable", "ModelUnavailable", "ok"]
    assert [receipt.facts["attempt"] for receipt in made.receipts] == [1, 2, 3]
    assert [event["type"] for event in told] == ["call", "receipt"] * 3
    last = told[-1]
    assert (last["input_tokens"], last["output_tokens"]) == (3, 2)
    assert last["seconds"] >= 0
    assert {"node", "role", "model", "subject"} <= told[0].keys() & last.keys()
    assert told[1]["error"] == "busy"


@colours
async def test_a_failure_that_stays_is_not_tried_again(colour: str) -> None:
    made, _ = attempts(max_attempts=5)
    with pytest.raises(ModelError, match="no"):
        await make(colour, made, job(failing(9, ModelError("no"))))
    assert len(made.receipts) == 1


@colours
@pytest.mark.parametrize(("tries", "expected"), [(1, 1), (2, 2), (None, 4), (9, 4)])
async def test_a_job_may_ask_for_fewer_tries(colour: str, tries: int | None, expected: int) -> None:
    made, _ = attempts(max_attempts=4)
    with pytest.raises(ModelUnavailable):
        await make(colour, made, job(failing(9, ModelUnavailable("x")), tries=tries))
    assert len(made.receipts) == expected


@colours
async def test_a_form_that_may_be_at_fault_is_tried_twice(colour: str) -> None:
    made, _ = attempts(max_attempts=4)
    with pytest.raises(FormFault):
        await make(colour, made, job(failing(9, FormFault("x"))))
    assert len(made.receipts) == 2


# --- waits ----------------------------------------------------------------------------------


def wait_of(settings: Settings, number: int, error: Exception) -> float:
    made = Attempts(settings, Limiter(1), "node", lambda event: None)
    state = RetryCallState(retry_object=None, fn=None, args=(), kwargs={})  # type: ignore[arg-type]
    state.attempt_number = number
    state.set_exception((type(error), error, None))
    return made._wait(state)


def test_waits_grow_with_jitter_up_to_the_longest() -> None:
    chosen = settings(min_wait=0.5, max_wait=4.0)
    for number, most in ((1, 0.5), (2, 1.0), (3, 2.0), (4, 4.0), (9, 4.0)):
        waits = [wait_of(chosen, number, ModelUnavailable("x")) for _ in range(200)]
        assert all(0 <= wait <= most for wait in waits)
        assert len(set(waits)) > 100
        assert max(waits) > most / 2


def test_the_wait_that_a_server_asks_for_is_kept_with_jitter_on_top() -> None:
    chosen = settings(min_wait=0.5, max_wait=30)
    waits = [wait_of(chosen, 1, ModelUnavailable("x", retry_after=7)) for _ in range(100)]
    assert all(7 <= wait <= 7.5 for wait in waits)
    assert len(set(waits)) > 50
    at_once = [wait_of(chosen, 3, ModelUnavailable("x", retry_after=0)) for _ in range(100)]
    assert max(at_once) > 0.5


@colours
async def test_a_wait_longer_than_is_allowed_ends_the_call_at_once(colour: str) -> None:
    made, _ = attempts(max_attempts=4, max_wait=5)
    with pytest.raises(ModelUnavailable):
        await make(colour, made, job(failing(9, ModelUnavailable("x", retry_after=5.1))))
    assert len(made.receipts) == 1


@colours
@pytest.mark.parametrize("header", ["retry-after-ms", "retry-after"])
async def test_the_wait_of_a_real_response_is_kept(
    openai_server: OpenAIServer, colour: str, header: str
) -> None:
    asked = {"retry-after-ms": "300", "retry-after": "0.3"}[header]
    arrived: list[float] = []

    def reply(heard: Any) -> Any:
        arrived.append(time.monotonic())
        return "ok" if len(arrived) > 1 else error(429, headers={header: asked})

    openai_server.answer = reply
    await run(colour, Backends(settings=openai_server.settings()), answer)
    assert arrived[1] - arrived[0] >= 0.3


@colours
async def test_a_real_response_that_asks_too_much_ends_the_call(
    openai_server: OpenAIServer, colour: str
) -> None:
    openai_server.answer = error(429, headers={"retry-after": "3600"})
    with pytest.raises(ModelUnavailable, match="asks to wait 3600 s"):
        await run(colour, Backends(settings=openai_server.settings()), answer)
    assert len(openai_server.heard) == 1


# --- time -----------------------------------------------------------------------------------


@colours
async def test_a_model_that_never_returns_is_given_up(colour: str) -> None:
    ended = threading.Event()
    backends = Backends(
        model=lambda question: ended.wait(), settings=settings(timeout=0.1, max_attempts=2)
    )
    with pytest.raises(ModelUnavailable, match=r"no reply within 0\.1 s"):
        await run(colour, backends, answer)
    ended.set()


@colours
async def test_all_tries_together_keep_to_a_limit_where_there_is_one(colour: str) -> None:
    ended = threading.Event()
    made, _ = attempts(max_attempts=10, timeout=60)

    def slow() -> Any:
        ended.wait()

    async def aslow() -> Any:
        await in_thread(slow)

    never = Job("grader", "m", "d1", slow, aslow, lambda s: ModelUnavailable(f"Not in {s:g} s."))
    with pytest.raises(ModelUnavailable):
        await make(colour, made, never, seconds=0.1)
    ended.set()
    assert len(made.receipts) == 1


@colours
async def test_no_call_goes_out_when_the_limit_is_used_up(colour: str) -> None:
    made, told = attempts()
    with pytest.raises(ModelUnavailable, match="Nothing within 0 s"):
        await make(colour, made, job(lambda: "ok"), seconds=0.0)
    assert told == []


HANGING = """
import asyncio, threading
from backends import Backends, Settings
from nodes.calls import search_index, together
from state.errors import CragError
from tests.backends.asking import answer, grade, run
from langchain_core.language_models import GenericFakeChatModel

never = threading.Event()

class Hanging(GenericFakeChatModel):
    def _generate(self, *args, **kwargs):
        never.wait()

class Index:
    def search(self, query, k):
        never.wait()

settings = Settings(_env_file=None, timeout=0.2, max_attempts=1)
backends = Backends(
    model=Hanging(messages=iter([])), grader=lambda doc: never.wait(), index=Index(),
    settings=settings,
)
steps = lambda: together([answer(), grade(), search_index("q", 1)])
for colour in ("sync", "async"):
    out = asyncio.run(run(colour, backends, steps))
    print(colour, [type(error).__name__ for error in out["reply"]])
"""


def test_what_never_returns_does_not_keep_the_program_from_ending() -> None:
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", HANGING],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    errors = "['ModelUnavailable', 'ModelUnavailable', 'IndexFailed']"
    assert ended.stdout.splitlines() == [f"sync {errors}", f"async {errors}"], ended.stderr
    assert ended.returncode == 0


# --- how many at a time ---------------------------------------------------------------------


class Counting:
    """An evaluator that keeps how many of its calls ran at the same time."""

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()

    def _enter(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)

    def _leave(self) -> None:
        with self._lock:
            self._now -= 1

    def sync(self, question: str) -> str:
        self._enter()
        time.sleep(0.02)
        self._leave()
        return "ok"

    async def coroutine(self, question: str) -> str:
        self._enter()
        await asyncio.sleep(0.02)
        self._leave()
        return "ok"


def many(count: int = 12) -> Any:
    prompt = Prompt("p", "")
    return lambda: together(ask("generator", prompt, question=str(i)) for i in range(count))


@colours
@pytest.mark.parametrize("side", ["sync", "coroutine"])
async def test_at_most_so_many_calls_run_at_a_time(colour: str, side: str) -> None:
    counting = Counting()
    backends = Backends(model=getattr(counting, side), settings=settings(max_concurrency=3))
    out = await run(colour, backends, many())
    assert [text.text for text in out["reply"]] == ["ok"] * 12
    assert counting.most == 3


def test_the_limit_holds_over_threads_and_event_loops_together() -> None:
    counting = Counting()
    backends = Backends(
        model=counting.sync, rewriter=counting.coroutine, settings=settings(max_concurrency=3)
    )
    graph = asking(backends, returning(many()))
    runs = [lambda: graph.invoke({})] * 2 + [lambda: asyncio.run(graph.ainvoke({}))] * 2
    threads = [threading.Thread(target=one) for one in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counting.most == 3


@colours
async def test_calls_to_a_server_keep_to_the_limit(
    openai_server: OpenAIServer, colour: str
) -> None:
    openai_server.answer = said("ok", delay=0.03)
    await run(colour, Backends(settings=openai_server.settings(max_concurrency=2)), many(6))
    assert openai_server.most_at_once == 2


def test_a_slot_is_free_again_after_a_failure() -> None:
    made, _ = attempts(limit=1, max_attempts=1)
    for _ in range(3):
        with pytest.raises(ModelError):
            made.make(job(failing(1, ModelError("x"))))
    assert made.make(job(lambda: "ok")) == "ok"


async def test_who_is_cancelled_while_waiting_leaves_the_queue_and_no_receipt() -> None:
    limiter = Limiter(1)
    made = Attempts(settings(), limiter, "node", lambda event: None)
    with limiter.slot():
        waiting = [asyncio.create_task(made.amake(job(lambda: "ok"))) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        assert waiting[0].cancelled()
    assert await asyncio.gather(*waiting[1:]) == ["ok", "ok"]
    assert len(made.receipts) == 2
    with limiter.slot():
        pass


async def test_a_slot_that_was_handed_to_a_cancelled_task_goes_on() -> None:
    limiter = Limiter(1)

    async def hold() -> None:
        async with limiter.aslot():
            await asyncio.sleep(0)

    with limiter.slot():
        first, second = asyncio.create_task(hold()), asyncio.create_task(hold())
        await asyncio.sleep(0)
    first.cancel()  # handed the slot just now, not yet resumed
    await asyncio.wait([first, second], timeout=20)
    assert first.cancelled()
    assert second.done()
    with limiter.slot():
        pass


# --- cancelled and interrupted --------------------------------------------------------------


@pytest.mark.parametrize("blocking", [True, False])
async def test_a_cancelled_run_leaves_an_aborted_receipt_and_frees_its_slot(
    caplog: pytest.LogCaptureFixture, blocking: bool
) -> None:
    caplog.set_level("INFO", "crag")
    begun, ended = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def block(question: str) -> str:
        loop.call_soon_threadsafe(begun.set)
        ended.wait()
        return "late"

    async def hang(question: str) -> str:
        begun.set()
        await asyncio.Event().wait()
        return "late"

    backends = Backends(
        model=block if blocking else hang,
        rewriter=lambda: "ok",
        settings=settings(max_concurrency=1),
    )
    running = asyncio.create_task(run("async", backends, answer))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    ended.set()
    calls = [record for record in caplog.records if record.message == "call"]
    assert [record.outcome for record in calls] == ["aborted"]
    rewrite = lambda: ask("rewriter", Prompt("p", ""))  # noqa: E731
    assert (await run("async", backends, rewrite))["reply"].text == "ok"


INTERRUPTED = """
import logging, signal, sys, threading
from backends import Backends, Settings
from nodes.calls import ask
from prompts import Prompt
from tests.backends.asking import answer, asking, returning

logging.basicConfig(level="INFO", format="%(message)s %(outcome)s", stream=sys.stdout)
signal.signal(signal.SIGINT, signal.default_int_handler)  # test workers ignore it
never = threading.Event()

def hang(question):
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    never.wait()

backends = Backends(model=hang, rewriter=lambda: "ok",
                    settings=Settings(_env_file=None, max_concurrency=1))
try:
    asking(backends, returning(answer)).invoke({})
except KeyboardInterrupt:
    print("interrupted")
rewrite = lambda: ask("rewriter", Prompt("p", ""))
print(asking(backends, returning(rewrite)).invoke({})["reply"].text)
"""


def test_an_interrupted_run_leaves_an_aborted_receipt_and_frees_its_slot() -> None:
    root = Path(__file__).parents[2]
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said_lines = ended.stdout.splitlines()
    assert said_lines == ["call aborted", "interrupted", "call ok", "ok"], ended.stderr
    assert ended.returncode == 0


# --- threads --------------------------------------------------------------------------------


def test_a_thread_sees_the_callers_context_and_gives_back_what_it_raises() -> None:
    import contextvars

    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("set")
    assert within(5, variable.get) == "set"
    assert begin(variable.get).result() == "set"
    for wrong in (ValueError("x"), SystemExit(3)):
        with pytest.raises(type(wrong)):
            within(5, failing(1, wrong))
    with pytest.raises(TimeoutError):
        within(0.01, threading.Event().wait)


async def test_a_thread_of_an_event_loop_does_the_same() -> None:
    assert await in_thread(lambda: 3) == 3
    with pytest.raises(ValueError, match="x"):
        await in_thread(failing(1, ValueError("x")))
    with pytest.raises(RuntimeError, match="StopIteration"):
        await in_thread(lambda: next(iter([])))


def test_a_bare_next_does_not_end_a_call_silently() -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        plainly(lambda: next(iter([])))


def test_a_thread_that_ends_after_its_loop_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_IDLE_SECONDS", 0.01, raising=False)
    monkeypatch.setattr(threads, "_idle", deque(), raising=False)
    ended = threading.Event()
    before = set(threading.enumerate())

    async def leave() -> None:
        task = asyncio.create_task(in_thread(ended.wait))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(leave())
    ended.set()
    (left,) = set(threading.enumerate()) - before
    left.join()
