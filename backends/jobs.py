"""A job: one call to the outside, in both colours."""

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any

from state.errors import CragError


@dataclass(frozen=True, slots=True)
class Job:
    """One call to the outside, before the gateway makes it.

    Attributes:
        role: Who is called: a role, ``search`` or ``web``.
        model: The model's, evaluator's or service's name.
        subject: What the call is about: a document's id or a query.
        run: Makes the call.
        arun: Makes the same call without blocking.
        timed_out: Builds the error for a call that gave no reply within some seconds.
        tokens: Reads tokens in and out from the result.
        tries: How often it is tried while its failure may pass; ``None`` for the settings' limit.
    """

    role: str
    model: str
    subject: str
    run: Callable[[], Any]
    arun: Callable[[], Awaitable[Any]]
    timed_out: Callable[[float], CragError]
    tokens: Callable[[Any], tuple[int, int]] = lambda result: (0, 0)
    tries: int | None = None


Plan = Generator[Job, Any, Any]
"""Yields jobs, is sent their results, returns the reply to a call."""
