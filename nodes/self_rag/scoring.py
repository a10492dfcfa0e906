"""Score a candidate: the weighted sum of its IsRel, IsSup and IsUse tokens (Asai et al. 2023)."""

from dataclasses import dataclass

from nodes.calls import Text
from nodes.self_rag.probabilities import expected, probabilities
from nodes.self_rag.reflection import Reflection
from state.self_rag import ScoredBy, SelfRagContext

LOWEST = -1.0
"""The score of a candidate whose tokens cannot be read: every other score is 0 or more."""
_WORTH = {
    "isrel": {"Relevant": 1.0, "Irrelevant": 0.0},
    "issup": {"Fully": 1.0, "Partially": 0.5, "No": 0.0},
    "isuse": {"1": 0.0, "2": 0.25, "3": 0.5, "4": 0.75, "5": 1.0},
}


@dataclass(frozen=True, slots=True)
class Score:
    """A candidate's score.

    Attributes:
        value: The weighted sum, each token in [0, 1]; ``LOWEST`` when they cannot be read.
        by: ``probabilities`` when every token that was read has them.
        readable: Whether the tokens can be read.
    """

    value: float
    by: ScoredBy
    readable: bool


def score(reply: Text, said: Reflection, *, passage: bool, context: SelfRagContext) -> Score:
    """Score a candidate by its tokens' probabilities where the model exposes them.

    With a passage, IsRel must be there, and IsSup unless the passage is irrelevant: then
    there is no support either. A token that is allowed to be missing adds nothing.

    Args:
        reply: The model's reply.
        said: The reply, read.
        passage: Whether the candidate was written from a passage.
        context: The weights.
    """
    if passage and not (said.is_rel and (said.is_sup or said.is_rel == "Irrelevant")):
        return Score(LOWEST, "tokens", readable=False)
    use = str(said.is_use) if said.is_use else None
    parts = [("isuse", use, context.weight_is_use)]
    if passage:
        parts.append(("isrel", said.is_rel, context.weight_is_rel))
        parts.append(("issup", said.is_sup, context.weight_is_sup))
    total, exposed = 0.0, []
    for name, value, weight in parts:
        if value is not None:
            worth, by_chance = _worth(reply, name, value)
            total += weight * worth
            exposed.append(by_chance)
    by_all = bool(exposed) and all(exposed)
    return Score(round(total, 6), "probabilities" if by_all else "tokens", readable=True)


def _worth(reply: Text, name: str, value: str) -> tuple[float, bool]:
    """Return what a token is worth in [0, 1], and whether by its probabilities."""
    chances = probabilities(reply, name)
    if chances is None:
        return _WORTH[name][value], False
    return expected(chances, _WORTH[name]), True
