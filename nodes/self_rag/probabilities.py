"""Probabilities of a reflection token's values, from the log-probabilities of the reply.

A tokenizer may split ``[Retrieve=Yes]`` anywhere: before the value, inside it, or not at all.
So the reply's tokens are walked to the place where the value starts, and the alternatives
there are read as the beginnings of values.
"""

import math
import re
from collections.abc import Mapping

from nodes.calls import Text, Token
from nodes.self_rag.reflection import first_segment

VALUES = {
    "retrieve": ("Yes", "No", "Continue"),
    "isrel": ("Relevant", "Irrelevant"),
    "issup": ("Fully", "Partially", "No"),
    "isuse": ("1", "2", "3", "4", "5"),
}
"""What each token may say; within a token, no two values start with the same letter."""


def probabilities(reply: Text, name: str) -> dict[str, float] | None:
    """Return each value's probability among a token's values; they add up to 1.

    Probabilities, not log-probabilities: a value that is not among the returned alternatives
    has probability 0.

    Args:
        reply: A reply, with its tokens where the model exposes them.
        name: ``retrieve``, ``isrel``, ``issup`` or ``isuse``.

    Returns:
        ``None`` where the model exposes no alternatives, where the reply does not have the
        token, and where none of the alternatives begins one of its values.
    """
    place = _place(reply, name)
    found = _at(reply.tokens or (), place) if place is not None else None
    if found is None:
        return None
    token, before = found
    mass = dict.fromkeys(VALUES[name], 0.0)
    for text, logprob in {token.text: token.logprob, **token.alternatives}.items():
        value = _begins(text, before, name)
        if value is not None:
            mass[value] += math.exp(min(logprob, 0.0))
    total = sum(mass.values())
    return {value: p / total for value, p in mass.items()} if total > 0 else None


def _place(reply: Text, name: str) -> int | None:
    """Return where the token's value starts in the text that all tokens make."""
    whole = "".join(token.text for token in reply.tokens or ())
    # The text of a reply has no thinking in it; a token that was thought of is not emitted.
    text, offset = reply.text, whole.find(reply.text)
    if offset < 0:
        # Endpoints escape the bytes of a character that is split over several tokens.
        text, offset = whole, 0
    if not whole or (text is whole and "</think" in whole):
        return None
    at = next((tag.at for tag in first_segment(text) if tag.name == name), None)
    return None if at is None else offset + at


def _at(tokens: tuple[Token, ...], place: int) -> tuple[Token, str] | None:
    """Return the token at a place, and its text before the place; it must have alternatives."""
    start = 0
    for token in tokens:
        if start <= place < start + len(token.text):
            return (token, token.text[: place - start]) if token.alternatives else None
        start += len(token.text)
    return None


def _begins(text: str, before: str, name: str) -> str | None:
    """Return which value an alternative begins.

    Args:
        text: The alternative.
        before: What the emitted token has before the value. A part of the tag's name must be
            there in the alternative too; brackets, spaces and signs need not.
        name: The tag's name.
    """
    if text.casefold().startswith(before.casefold()):
        text = text[len(before) :]
    elif re.search(r"\w", before):
        return None
    start = re.match(r"\W*(\d+|[^\W\d_]+)", text)
    said = start[1].casefold() if start else ""
    if said.isdecimal():
        said = str(int(said))
        return said if said in VALUES[name] else None
    return next((v for v in VALUES[name] if said and _agree(v.casefold(), said)), None)


def _agree(value: str, said: str) -> bool:
    return value.startswith(said) or (not value.isdecimal() and said.startswith(value))


def expected(chances: Mapping[str, float], worth: Mapping[str, float]) -> float:
    """Return the expected worth of a token, as the paper scores it."""
    return sum(chance * worth[value] for value, chance in chances.items())
