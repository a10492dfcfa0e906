"""Pairs of English words that turn a claim into its contrary."""

from backends.embedded.wording import stem

_PAIRS = (
    "increase decrease, increase reduce, raise lower, rise fall, high low, higher lower, "
    "more less, above below, before after, first last, always never, positive negative, "
    "upregulate downregulate, promote inhibit, activate inhibit, enhance impair, large small, "
    "long short, early late, open close, start stop, begin end, accept reject, allow forbid, "
    "allow prohibit, include exclude, north south, east west, hot cold, win lose, buy sell, "
    "alive dead, male female, man woman, son daughter, father mother, brother sister, "
    "husband wife, old young, same different, minimum maximum, most least, sufficient "
    "insufficient, able unable, possible impossible, gain loss, success failure, import export, "
    "internal external, public private, legal illegal, true false, left right, fast slow, "
    "strong weak, free paid, required optional, permitted forbidden, enable disable"
)


def _both_ways() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for pair in _PAIRS.split(","):
        one, other = (stem(word) for word in pair.split())
        found[one] = found.get(one, frozenset()) | {other}
        found[other] = found.get(other, frozenset()) | {one}
    return found


OPPOSITES = _both_ways()
"""From a stem to the stems of its opposites."""
