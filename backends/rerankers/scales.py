"""Map what rerankers emit to [0, 1], each score on its own (field reports on rerank scores)."""

import math
from collections.abc import Sequence
from typing import Literal

from state.errors import RerankFailed

Scale = Literal["probability", "logit"]


def to_unit(raw: Sequence[float], scale: Scale, name: str) -> list[float]:
    """Return scores in [0, 1]; a score never depends on the other candidates.

    Args:
        raw: What the reranker gave.
        scale: ``logit`` goes through the sigmoid, whatever its size; ``probability`` stays as
            it is, since a second sigmoid would lift 0.007 to 0.5.
        name: The reranker's name, for the message.

    Raises:
        RerankFailed: A score is not a number, or no probability where one is declared.
    """
    scores = [float(value) for value in raw]
    if not all(math.isfinite(score) for score in scores):
        raise RerankFailed(f"{name} gave a score that is not a number.")
    if scale == "logit":
        return [sigmoid(score) for score in scores]
    outside = next((score for score in scores if not 0 <= score <= 1), None)
    if outside is not None:
        raise RerankFailed(
            f"{name} gave the score {outside:g}, which is no probability. If it emits logits, "
            'give it an attribute scale = "logit".'
        )
    return scores


def sigmoid(logit: float) -> float:
    """Return the probability of a logit, without overflow."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    lifted = math.exp(logit)
    return lifted / (1 + lifted)
