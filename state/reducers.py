"""How updates of parallel nodes are joined."""

from collections.abc import Mapping
from typing import Any

from state.outcome import RoleUsage, Usage


def collect(old: list[Any] | None, new: list[Any] | None) -> list[Any]:
    """Append what a node adds; ``None`` starts a new list.

    A thread is used for many questions, so a run must be able to empty the list.
    """
    return [] if new is None else [*(old or []), *new]


NEW_RUN = "new_run"


def add_usage(old: Usage | None, new: Mapping[str, RoleUsage | None] | None) -> Usage:
    """Add up usage by role; ``None`` starts from nothing, as does an entry ``new_run``.

    The entry is for a node that starts a run and makes calls of its own.
    """
    if new is None:
        return {}
    total = {} if NEW_RUN in new else dict(old or {})
    for role, usage in new.items():
        if usage is not None:
            total[role] = _add(total[role], usage) if role in total else usage
    return total


def _add(left: RoleUsage, right: RoleUsage) -> RoleUsage:
    return {
        "calls": left["calls"] + right["calls"],
        "failed": left["failed"] + right["failed"],
        "input_tokens": left["input_tokens"] + right["input_tokens"],
        "output_tokens": left["output_tokens"] + right["output_tokens"],
        "seconds": round(left["seconds"] + right["seconds"], 6),
        "models": list(dict.fromkeys([*left["models"], *right["models"]])),
    }
