"""Keep the history readable, and know one's own values from a caller's."""

from collections.abc import Mapping
from typing import Any

from state.outcome import Update

CALLER_MAY_SET = ("iteration_count", "max_iterations", "context_history")


def with_line(state: Mapping[str, Any], line: str, **update: Any) -> Update:
    """Return an update with one more line of history, remembered as the graph's own."""
    written = {**update, "context_history": [*state["context_history"], line]}
    own = {name: written[name] for name in CALLER_MAY_SET if name in written}
    return {**written, "own_values": {**state["own_values"], **own}}


def shown(text: str, longest: int = 120) -> str:
    """Shorten a query or question for a line of history."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"
