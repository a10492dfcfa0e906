"""Make a job's call: limited in number, timed, tried again, and each try receipted."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    Retrying,
    retry_if_exception,
    stop_before_delay,
    stop_never,
    wait_random,
    wait_random_exponential,
)

from backends.jobs import Job
from backends.limiter import Limiter
from backends.receipts import Receipt
from backends.settings import Settings
from backends.threads import within
from state.errors import ModelError, SourceError

__all__ = ["Attempts", "Limiter"]


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
        started = time.monotonic()
        try:
            return self._try(job, 1, started, seconds)
        except (SourceError, ModelError) as error:
            failure = error
        for attempt in Retrying(**self._policy(job, seconds)):
            with attempt:
                number = _next(attempt.retry_state, started, failure)
                return self._try(job, number, started, seconds)
        raise AssertionError  # pragma: no cover - tenacity reraises

    async def amake(self, job: Job, seconds: float | None = None) -> Any:
        """Make the call without blocking the event loop."""
        started = time.monotonic()
        try:
            return await self._atry(job, 1, started, seconds)
        except (SourceError, ModelError) as error:
            failure = error
        async for attempt in AsyncRetrying(**self._policy(job, seconds)):
            with attempt:
                number = _next(attempt.retry_state, started, failure)
                return await self._atry(job, number, started, seconds)
        raise AssertionError  # pragma: no cover - tenacity reraises

    def _policy(self, job: Job, seconds: float | None) -> dict[str, Any]:
        in_time = stop_never if seconds is None else stop_before_delay(seconds)
        return {
            "retry": retry_if_exception(_may_pass),
            "stop": lambda state: self._is_enough(job, state) or in_time(state),
            "wait": self._wait,
            "reraise": True,
        }

    def _left(self, job: Job, started: float, limit: float | None) -> float:
        """Return the seconds that a try may take; raise when there are none."""
        if limit is None:
            return self._settings.timeout
        left = limit - (time.monotonic() - started)
        if left <= 0:
            raise job.timed_out(limit)
        return min(self._settings.timeout, left)

    def _try(self, job: Job, number: int, started: float, limit: float | None) -> Any:
        with self._limiter.slot():
            seconds = self._left(job, started, limit)
            with self._receipt(job, number) as receipt:
                try:
                    result = within(seconds, job.run)
                except TimeoutError as error:
                    raise job.timed_out(seconds) from error
                receipt.succeed(job.tokens(result))
                return result

    async def _atry(self, job: Job, number: int, started: float, limit: float | None) -> Any:
        async with self._limiter.aslot():
            seconds = self._left(job, started, limit)
            with self._receipt(job, number) as receipt:
                try:
                    async with asyncio.timeout(seconds):
                        result = await job.arun()
                except TimeoutError as error:
                    raise job.timed_out(seconds) from error
                receipt.succeed(job.tokens(result))
                return result

    def _receipt(self, job: Job, number: int) -> Receipt:
        receipt = Receipt(job, number, self._node, self._tell)
        self.receipts.append(receipt)
        return receipt

    def _is_enough(self, job: Job, state: RetryCallState) -> bool:
        """Tell whether the tries are used up, or a longer wait is asked for than is allowed."""
        asked = _asked_wait(state)
        if asked is not None and asked > self._settings.max_wait:
            return True
        most = (job.tries, getattr(_error(state), "tries", None), self._settings.max_attempts)
        return state.attempt_number >= min(tries for tries in most if tries is not None)

    def _wait(self, state: RetryCallState) -> float:
        """Wait as long as the server asked, else longer each time; with jitter both times.

        Without it, calls that were refused together would come back together.
        """
        shortest, longest = self._settings.min_wait, self._settings.max_wait
        asked = _asked_wait(state)
        if asked:
            return asked + wait_random(0, shortest)(state)
        return wait_random_exponential(shortest, max=longest)(state)


def _next(state: RetryCallState, started: float, failure: Exception) -> int:
    """Return which try this is; the first was made before all this was needed, and failed.

    Most calls need no second try, and what makes tries costs as much as the rest of a call.
    """
    state.start_time = started
    if state.attempt_number == 1:
        raise failure
    return state.attempt_number


def _may_pass(error: BaseException) -> bool:
    return bool(getattr(error, "transient", False))


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _asked_wait(state: RetryCallState) -> float | None:
    asked: float | None = getattr(_error(state), "retry_after", None)
    return asked
