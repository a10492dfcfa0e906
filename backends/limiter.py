"""A limit on calls at a time that threads and event loops share."""

import asyncio
import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager


class Limiter:
    """At most so many calls at a time, over all threads and event loops; first come, first served.

    The semaphores of the standard library are for threads or for one event loop, not for both.
    """

    def __init__(self, limit: int) -> None:
        """Start with all slots free."""
        self._free = limit
        self._waiting: deque[Future[None]] = deque()
        self._lock = threading.Lock()

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold a slot, blocking until there is one."""
        turn = self._enter()
        if turn is not None:
            try:
                turn.result()
            except BaseException:
                self._give_up(turn)
                raise
        try:
            yield
        finally:
            self._leave()

    def aslot(self) -> "_Slot":
        """Hold a slot, waiting for it without blocking the event loop."""
        return _Slot(self)

    def _enter(self) -> Future[None] | None:
        """Take a free slot, else a place in the queue."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return None
            turn: Future[None] = Future()
            self._waiting.append(turn)
            return turn

    def _leave(self) -> None:
        """Hand the slot to the first that still waits."""
        with self._lock:
            while self._waiting:
                turn = self._waiting.popleft()
                if turn.set_running_or_notify_cancel():
                    turn.set_result(None)
                    return
            self._free += 1

    def _give_up(self, turn: Future[None]) -> None:
        """Leave the queue; a slot that was handed over meanwhile goes to the next."""
        if not turn.cancel():
            self._leave()


class _Slot:
    """A slot that is held in an ``async with``; a generator would cost several times as much."""

    __slots__ = ("_limiter",)

    def __init__(self, limiter: Limiter) -> None:
        self._limiter = limiter

    async def __aenter__(self) -> None:
        turn = self._limiter._enter()
        if turn is not None:
            try:
                await asyncio.wrap_future(turn)
            except BaseException:
                self._limiter._give_up(turn)
                raise

    async def __aexit__(self, *error: object) -> None:
        self._limiter._leave()
