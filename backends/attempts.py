"""Make a job's call: limited in number, timed, tried again, and each try receipted."""

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any
from weakref import WeakKeyDictionary

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_after_attempt,
    stop_before_delay,
    stop_never,
    wait_random_exponential,
)

from backends.jobs import Job
from backends.receipts import Receipt
from backends.settings import Settings


class Limiter:
    """At most so many calls at a time, over all graphs that share the backends."""

    def __init__(self, limit: int) -> None:
        """Set the limit; event loops get a semaphore each when they first call."""
        self._limit = limit
        self.threads = threading.BoundedSemaphore(limit)
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = (
            WeakKeyDictionary()
        )

    @property
    def tasks(self) -> asyncio.Semaphore:
        """The running event loop's semaphore."""
        loop = asyncio.get_running_loop()
        return self._loops.setdefault(loop, asyncio.Semaphore(self._limit))


class Attempts:
    """Makes the calls of one node run.

    Attributes:
        receipts: One per attempt, in order of their start.
    """

    def __init__(
        self, settings: Settings, limiter: Limiter, node: str, tell: Callable[[Any], None]
    ) -> None:
        """Keep the limits; ``tell`` writes to the run's custom stream."""
        self._settings = settings
        self._limiter = limiter
        self._node = node
        self._tell = tell
        self.receipts: list[Receipt] = []

    def make(self, job: Job, seconds: float | None = None) -> Any:
        """Make the call, blocking; at most so many seconds for all tries where they are given."""
        for attempt in Retrying(**self._policy(seconds)):
            with attempt:
                return self._try(job, attempt.retry_state, seconds)
        raise AssertionError  # pragma: no cover - tenacity reraises

    async def amake(self, job: Job, seconds: float | None = None) -> Any:
        """Make the call without blocking the event loop."""
        async for attempt in AsyncRetrying(**self._policy(seconds)):
            with attempt:
                return await self._atry(job, attempt.retry_state, seconds)
        raise AssertionError  # pragma: no cover - tenacity reraises

    def _policy(self, seconds: float | None) -> dict[str, Any]:
        in_time = stop_never if seconds is None else stop_before_delay(seconds)
        return {
            "retry": retry_if_exception(_may_pass),
            "stop": lambda state: self._stop(state) or in_time(state),
            "wait": self._wait,
            "reraise": True,
        }

    def _left(self, state: RetryCallState, seconds: float | None) -> float:
        """Return the seconds that a try may take."""
        if seconds is None:
            return self._settings.timeout
        gone = time.monotonic() - state.start_time
        return max(0.0, min(self._settings.timeout, seconds - gone))

    def _try(self, job: Job, state: RetryCallState, limit: float | None) -> Any:
        receipt = self._open(job, state.attempt_number)
        seconds = self._left(state, limit)
        try:
            with self._limiter.threads:
                result = _within(seconds, job.run)
            receipt.succeed(job.tokens(result))
        except FutureTimeout as error:
            failure = job.timed_out(seconds)
            receipt.fail(failure)
            raise failure from error
        except Exception as error:
            receipt.fail(error)
            raise
        else:
            return result
        finally:
            receipt.close()

    async def _atry(self, job: Job, state: RetryCallState, limit: float | None) -> Any:
        receipt = self._open(job, state.attempt_number)
        seconds = self._left(state, limit)
        try:
            async with self._limiter.tasks:
                result = await asyncio.wait_for(job.arun(), seconds)
            receipt.succeed(job.tokens(result))
        except TimeoutError as error:
            failure = job.timed_out(seconds)
            receipt.fail(failure)
            raise failure from error
        except Exception as error:
            receipt.fail(error)
            raise
        else:
            return result
        finally:
            receipt.close()

    def _open(self, job: Job, number: int) -> Receipt:
        receipt = Receipt(job, number, self._node, self._tell)
        self.receipts.append(receipt)
        return receipt

    def _stop(self, state: RetryCallState) -> bool:
        """Stop at the cap, or when the server asks for a longer wait than is allowed."""
        asked = _asked_wait(state)
        too_long = asked is not None and asked > self._settings.max_wait
        return too_long or stop_after_attempt(self._settings.max_attempts)(state)

    def _wait(self, state: RetryCallState) -> float:
        """Wait as long as the server asked, else longer each time, with jitter."""
        asked = _asked_wait(state)
        if asked is not None:
            return asked
        longest = self._settings.max_wait
        return wait_random_exponential(self._settings.min_wait, max=longest)(state)


def _may_pass(error: BaseException) -> bool:
    return bool(getattr(error, "transient", False))


def _asked_wait(state: RetryCallState) -> float | None:
    error = state.outcome.exception() if state.outcome else None
    asked: float | None = getattr(error, "retry_after", None)
    return asked


def _within(seconds: float, call: Callable[[], Any]) -> Any:
    """Make a blocking call in a thread, and stop waiting for it after some seconds.

    A daemon thread, since a call that never returns must not keep the program from ending.
    """
    outcome: Future[Any] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome.set_result(context.run(call))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            outcome.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return outcome.result(seconds)
