"""Count tokens offline, exactly for OpenAI's models and with a margin for others."""

import unicodedata
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

_PIECE = 100_000
_MARGIN = 1.2
_LONGEST_CHARACTER = 64
_JOINER = "\u200d"
_MODIFIERS = frozenset(map(chr, range(0x1F3FB, 0x1F400)))
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
_OPENAI = ("gpt-", "o1", "o3", "o4", "chatgpt")


@cache
def _encoding() -> Any:
    with warnings.catch_warnings():  # it reads its vocabularies by a deprecated call
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


def margin(model: str) -> float:
    """Return by what to multiply a count for a model whose tokenizer is not at hand."""
    return 1.0 if model.startswith(_OPENAI) else _MARGIN


def count(text: str) -> int:
    """Count the tokens of a text (o200k); any length, in linear time."""
    return sum(len(ids) for ids in _encode(text))


def head(text: str, tokens: int) -> str:
    """Return a beginning of a text with at most so many tokens, verbatim.

    As long as can be without ending inside a character, which may be several code points: an
    emoji with a skin tone, a letter with its vowel marks, a flag.
    """
    kept = 0
    for ids in _encode(text):
        if len(ids) >= tokens:
            part: str = _encoding().decode(ids[: max(tokens, 0)])
            return text[: _character_end(text, kept + len(part.rstrip("\ufffd")))]
        kept += _PIECE
        tokens -= len(ids)
    return text


def _character_end(text: str, end: int) -> int:
    """Move an end back to where a character ends."""
    for place in range(end, max(end - _LONGEST_CHARACTER, 0), -1):
        if not _is_inside(text, place):
            return place
    return end


def _is_inside(text: str, place: int) -> bool:
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if _is_flag(before) and _is_flag(after):
        flags = len(text[:place]) - len(text[:place].rstrip(_FLAGS))
        return flags % 2 == 1
    joined = unicodedata.category(after) in ("Mn", "Mc", "Me") or after in _MODIFIERS
    return joined or _JOINER in (before, after) or (before, after) == ("\r", "\n")


def _is_flag(character: str) -> bool:
    return character in _FLAGS


def _encode(text: str) -> Iterator[list[int]]:
    """Encode piece by piece: the library takes no more than 200,000 tokens at once."""
    for i in range(0, len(text), _PIECE):
        piece = text[i : i + _PIECE].encode("utf-8", "replace").decode()
        yield _encoding().encode_ordinary(piece)
