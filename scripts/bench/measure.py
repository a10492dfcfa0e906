"""A row of the benchmark, and how it is measured.

Every row is a ratio of two things timed in the same run, in turn: floor, ours, floor, ours.
A machine that is slow, or becomes slow half-way, slows both.
"""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

Timed = Callable[[], float]
"""Does the thing once and returns the seconds that it took."""


@dataclass(frozen=True)
class Pair:
    """Two things to time against each other."""

    floor: Timed
    ours: Timed


@dataclass(frozen=True)
class Scale:
    """How much is done: all of it, or just enough to see that the program runs."""

    quick: bool = False

    def of(self, full: int, quick: int) -> int:
        """Choose a number."""
        return quick if self.quick else full


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        name: What is timed, over what.
        bar: The ratio that must be met.
        prepare: Builds what is timed; called when the row's turn comes.
        repeats: How often both are timed; the medians count.
        faster: Whether the floor over ours is meant, which must be at least the bar; else
            ours over the floor, which must be at most the bar.
    """

    name: str
    bar: float
    prepare: Callable[[Scale], Pair]
    repeats: int = 7
    faster: bool = False


@dataclass(frozen=True)
class Result:
    """What a row came to; seconds throughout.

    Attributes:
        row: The row.
        floor: One time per repeat.
        ours: One time per repeat.
    """

    row: Row
    floor: list[float]
    ours: list[float]

    @property
    def ratio(self) -> float:
        """The ratio of the medians."""
        floor, ours = statistics.median(self.floor), statistics.median(self.ours)
        return floor / ours if self.row.faster else ours / floor

    @property
    def passed(self) -> bool:
        """Whether the bar is met."""
        return self.ratio >= self.row.bar if self.row.faster else self.ratio <= self.row.bar


def measure(row: Row, scale: Scale, tell: Callable[[], None] = lambda: None) -> Result:
    """Time both sides of a row in turn, after one round that does not count.

    Args:
        row: The row.
        scale: How much is done.
        tell: Called after each timing.
    """
    pair = row.prepare(scale)
    result = Result(row, [], [])
    for turn in range(rounds(row, scale)):
        for timed, times in ((pair.floor, result.floor), (pair.ours, result.ours)):
            seconds = timed()
            tell()
            if turn or scale.quick or row.repeats == 1:
                times.append(seconds)
    return result


def rounds(row: Row, scale: Scale) -> int:
    """Return how often both sides are timed, the round that does not count among them."""
    if scale.quick or row.repeats == 1:
        return 1
    return row.repeats + 1
