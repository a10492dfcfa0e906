"""Receipts: what every call to the outside cost and how it ended."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any, Self

from backends.jobs import Job
from state.outcome import RoleUsage, Usage
from state.reducers import add_usage

_log = logging.getLogger("crag")


class Receipt:
    """The record of one attempt, told to the stream when it starts and when it ends.

    Attributes:
        facts: JSON values: node, role, model, subject, attempt, outcome, seconds, tokens.
    """

    def __init__(self, job: Job, attempt: int, node: str, tell: Callable[[Any], None]) -> None:
        """Tell that the call starts, so that a slow one reads as work in progress."""
        self._tell = tell
        self._started = time.perf_counter()
        self.facts: dict[str, Any] = {
            "node": node,
            "role": job.role,
            "model": job.model,
            "subject": job.subject,
            "attempt": attempt,
        }
        tell({"type": "call", **self.facts})
        self._end: dict[str, Any] = {"outcome": "aborted", "input_tokens": 0, "output_tokens": 0}

    def __enter__(self) -> Self:
        """Return the receipt of an attempt that is being made."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Note how the attempt ended; one that was cancelled or interrupted is ``aborted``."""
        if isinstance(error, Exception):
            self.fail(error)
        self.close()

    def succeed(self, tokens: tuple[int, int]) -> None:
        """Note that a result came."""
        self._end = {"outcome": "ok", "input_tokens": tokens[0], "output_tokens": tokens[1]}

    def fail(self, error: Exception) -> None:
        """Note why none came."""
        self._end |= {"outcome": type(error).__name__, "error": str(error)}

    def close(self) -> None:
        """Tell the stream and the log how the attempt ended."""
        seconds = round(time.perf_counter() - self._started, 6)
        self.facts |= {**self._end, "seconds": seconds}
        self._tell({"type": "receipt", **self.facts})
        _log.info("call", extra=self.facts)


def usage_of(receipts: Iterable[Receipt]) -> Usage:
    """Sum receipts up by role."""
    total: Usage = {}
    for receipt in receipts:
        total = add_usage(total, {receipt.facts["role"]: _usage(receipt.facts)})
    return total


def _usage(facts: dict[str, Any]) -> RoleUsage:
    return {
        "calls": 1,
        "failed": int(facts["outcome"] != "ok"),
        "input_tokens": facts["input_tokens"],
        "output_tokens": facts["output_tokens"],
        "seconds": facts["seconds"],
        "models": [facts["model"]],
    }
