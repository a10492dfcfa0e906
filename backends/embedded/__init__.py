"""The embedded default: every role played by an extractive evaluator, offline and without a key.

It quotes the documents and never writes a word of its own. What it can and cannot tell, with
measurements, stands in ``docs/embedded.md``.
"""

from collections.abc import Callable
from typing import Any

from backends.embedded.answer_grader import AnyGrader
from backends.embedded.checker import Checker
from backends.embedded.reflection import AnyGenerator
from backends.embedded.rewriter import Rewriter
from backends.embedded.study import Evaluator, Router, Triage
from state.errors import ConfigError

EVALUATORS: dict[str, Callable[[], Callable[..., Any]]] = {
    "grader": AnyGrader,
    "rewriter": Rewriter,
    "generator": AnyGenerator,
    "checker": Checker,
    "triage": Triage,
    "router": Router,
    "evaluator": Evaluator,
}
"""Makes the evaluator of a role; a graph with a further role adds it here."""


def evaluator(role: str, settings: object = None) -> Callable[..., Any]:
    """Return what plays a role when no model is configured.

    Args:
        role: A key of ``EVALUATORS``.
        settings: Taken for likeness with the chat models; the embedded default has none.

    Raises:
        ConfigError: There is no embedded evaluator for the role.
    """
    if role not in EVALUATORS:
        raise ConfigError(
            f"The embedded default cannot play {role!r}; it plays {', '.join(EVALUATORS)}. "
            "Configure a model with OPENAI_API_KEY or CRAG_BASE_URL, or pass your own evaluator."
        )
    return EVALUATORS[role]()


__all__ = ["EVALUATORS", "evaluator"]
