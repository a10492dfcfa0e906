"""Run blocking foreign code in threads that never keep the program from ending.

The pools of the standard library are joined at exit, so one model that never returns would
hang the interpreter; a daemon thread does not. Threads that return are used again: starting
one takes longer than all else that is added to a call.
"""

import asyncio
import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, call: Callable[[], T]) -> T:
    """Make a blocking call, and stop waiting for it after some seconds.

    Raises:
        TimeoutError: It has not returned; its thread is left behind.
    """
    return begin(call).result(seconds)


def begin(call: Callable[[], T]) -> Future[T]:
    """Begin a blocking call in a thread of its own, which sees this one's context variables."""
    outcome: Future[T] = Future()

    def work() -> None:
        try:
            outcome.set_result(plainly(call))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            outcome.set_exception(error)

    _start(work)
    return outcome


async def in_thread(call: Callable[[], T]) -> T:
    """Make a blocking call without blocking the event loop; cancelling stops the waiting."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is not None:
            outcome.set_exception(error)
        else:
            outcome.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result, failure = None, None
        try:
            result = plainly(call)
        except BaseException as error:  # noqa: BLE001 - raised again where it is awaited
            failure = error
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, result, failure)

    _start(work)
    return await outcome


def plainly(call: Callable[[], T]) -> T:
    """Make a call, without the one error that ends generators and futures silently.

    Raises:
        RuntimeError: It raised ``StopIteration``, as a bare ``next`` does.
    """
    try:
        return call()
    except StopIteration as error:
        raise RuntimeError(f"StopIteration: {error}") from error


_Work = Callable[[], None]
_IDLE_SECONDS = 10.0
_idle: deque[SimpleQueue[_Work]] = deque()
"""The inboxes of the threads that wait for work; the latest to have finished comes first."""
if hasattr(os, "register_at_fork"):  # a forked process has none of its parent's threads
    os.register_at_fork(after_in_child=_idle.clear)


def _start(work: _Work) -> None:
    context = contextvars.copy_context()
    try:
        inbox = _idle.pop()
    except IndexError:
        inbox = SimpleQueue()
        threading.Thread(target=_serve, args=(inbox,), daemon=True, name="crag-call").start()
    inbox.put(lambda: context.run(work))


def _serve(inbox: SimpleQueue[_Work]) -> None:
    """Do what comes in; end after some idle seconds, unless work is on its way."""
    while True:
        try:
            inbox.get(timeout=_IDLE_SECONDS)()
        except Empty:
            try:
                _idle.remove(inbox)
            except ValueError:  # somebody has just taken it
                continue
            return
        _idle.append(inbox)
