"""Run a generator of calls: it is sent the replies, and the failures are raised at its yields."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

from state.errors import CragError

R = TypeVar("R")
Steps = Generator[Any, Any, R]


def drive(steps: Steps[R], answer: Callable[[Any], Any]) -> R:
    """Answer what a generator yields, and return what it returns; it is closed in any case."""
    resume: Callable[[Any], Any] = steps.send
    value: Any = None
    try:
        while True:
            try:
                wanted = resume(value)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            try:
                resume, value = steps.send, answer(wanted)
            except CragError as error:
                resume, value = steps.throw, error
    finally:
        steps.close()


async def adrive(steps: Steps[R], answer: Callable[[Any], Any]) -> R:
    """Do the same without blocking."""
    resume: Callable[[Any], Any] = steps.send
    value: Any = None
    try:
        while True:
            try:
                wanted = resume(value)
            except StopIteration as done:
                return done.value  # type: ignore[no-any-return]
            try:
                resume, value = steps.send, await answer(wanted)
            except CragError as error:
                resume, value = steps.throw, error
    finally:
        steps.close()
