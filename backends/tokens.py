"""Count tokens offline, exactly for OpenAI's models and with a margin for others."""

import warnings
from functools import cache
from typing import Any

_PIECE = 100_000
_MARGIN = 1.2
_OPENAI = ("gpt-", "o1", "o3", "o4", "chatgpt")


@cache
def _encoding() -> Any:
    import bpe_openai

    with warnings.catch_warnings():  # it reads its vocabulary by a deprecated call
        warnings.simplefilter("ignore", DeprecationWarning)
        return bpe_openai.get_encoding("o200k_base")


def margin(model: str) -> float:
    """Return by what to multiply a count for a model whose tokenizer is not at hand."""
    return 1.0 if model.startswith(_OPENAI) else _MARGIN


def count(text: str) -> int:
    """Count the tokens of a text (o200k); any length, in linear time."""
    return sum(len(ids) for ids in _encode(text))


def head(text: str, tokens: int) -> str:
    """Return the longest beginning of a text with at most so many tokens, verbatim."""
    kept = ""
    for ids in _encode(text):
        if len(ids) >= tokens:
            part: str = _encoding().decode(ids[: max(tokens, 0)])
            return kept + part.rstrip("\ufffd")
        kept += _encoding().decode(ids)
        tokens -= len(ids)
    return kept


def _encode(text: str) -> list[list[int]]:
    """Encode piece by piece: the library takes no more than 200,000 tokens at once."""
    pieces = (text[i : i + _PIECE] for i in range(0, len(text), _PIECE))
    return [
        _encoding().encode_ordinary(piece.encode("utf-8", "replace").decode()) for piece in pieces
    ]
