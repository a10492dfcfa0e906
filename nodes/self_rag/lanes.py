"""Share tasks out among a limited number of lanes."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def lanes(tasks: Sequence[T], limit: int) -> list[list[T]]:
    """Deal tasks out to at most ``limit`` lanes; a lane does its tasks one after the other.

    With enough lanes each task has its own, and all run at the same time.
    """
    count = min(len(tasks), limit)
    return [list(tasks[lane::count]) for lane in range(count)]
