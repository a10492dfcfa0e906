"""Drive a node by hand: no graph, no stub, no model."""

from collections.abc import Generator
from typing import Any

from nodes.intake import start_clean
from tests.stubs import document

DOCUMENTS = [
    document("d1", "Acme Ltd runs payroll for all offices."),
    document("d2", "Payroll is paid on the 25th of each month."),
]


def drive(steps: Generator[Any, Any, Any], *replies: Any) -> tuple[list[Any], Any]:
    """Reply to what a node yields, in turn; raise the replies that are errors at its yield.

    Returns:
        The calls, and what the node returned.
    """
    calls: list[Any] = []
    waiting = iter(replies)
    try:
        calls.append(next(steps))
        while True:
            reply = next(waiting, AssertionError(f"No reply was planned for {calls[-1]}"))
            calls.append(steps.throw(reply) if isinstance(reply, Exception) else steps.send(reply))
    except StopIteration as done:
        assert next(waiting, None) is None, "the node made fewer calls than were planned"
        return calls, done.value


def state(**changes: Any) -> dict[str, Any]:
    """A corrective state after its start, with changes."""
    clean = start_clean({"question": "Who runs payroll?"}, None)
    fresh = {**clean, "usage": {}, "grades": [], "checks": [], "documents": DOCUMENTS}
    return {**fresh, **changes}


def verdict(
    document_id: str, relevant: bool, problem: str = "", reason: str = "r"
) -> dict[str, Any]:
    """A grade."""
    return {
        "document_id": document_id,
        "relevant": relevant,
        "reason": reason,
        "problem": problem,
    }
