"""The graphs, one module each: ``from graphs import corrective``."""

from importlib import import_module
from types import ModuleType

NAMES = ("corrective", "self_rag", "groundedness", "arsc", "refusal", "study")
"""The graphs there are, in the order of the documentation."""


def load(name: str) -> ModuleType:
    """Import a graph's module by name; ``load("corrective").graph`` is the compiled graph.

    Raises:
        ConfigError: There is no such graph.
    """
    if name not in NAMES:
        from state.errors import ConfigError

        raise ConfigError(f"There is no graph {name!r}. Graphs: {', '.join(NAMES)}.")
    return import_module(f"graphs.{name}")
