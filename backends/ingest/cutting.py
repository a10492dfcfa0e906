"""Cut text where it ends anyway: at a heading, a paragraph, a sentence, a word."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from backends.embedder import MAX_TOKENS, tokenizer_file

_ROOM = MAX_TOKENS - 2  # the model adds two of its own
_SECTION = 50_000
_UNIT = 400
_LONGEST = 16  # letters a token: a long string that is no word counts as one token for the model
_HEADING = re.compile(r"\s*#{1,6}\s")
_BLANK_LINES = re.compile(r"\A(?:[^\S\n]*\n)+")


@dataclass(frozen=True, slots=True)
class _Unit:
    """A paragraph, a few sentences or part of a longer one.

    Attributes:
        text: A slice of the whole, white space included.
        tokens: Its length.
        is_start: Whether it begins with a heading.
        is_bare: Whether it is nothing but headings.
    """

    text: str
    tokens: int
    is_start: bool = False
    is_bare: bool = False


def split(text: str, *, markdown: bool) -> list[str]:
    """Cut text into slices of at most 256 tokens; blank lines around them are dropped.

    A kept splitter finds the small units; they are put together to chunks here, because the
    splitter would leave a heading alone whenever the paragraph under it does not fit whole
    (in one of two abstracts with a title), and a title is found but answers nothing. Its units
    are counted in characters, since counting tokens takes it many times as long; and long texts
    are first cut into sections, since its time grows with the square of the length.
    """
    packed = ("".join(unit.text for unit in chunk) for chunk in _pack(_units(text, markdown)))
    pieces = (_BLANK_LINES.sub("", chunk).rstrip() for chunk in packed)
    return [piece for piece in pieces if piece]


def _units(text: str, markdown: bool) -> Iterator[_Unit]:
    sections, units, small = _splitters(markdown)
    for section in sections.chunks(text):
        for slice_ in units.chunks(section):
            unit = _unit(slice_, markdown)
            if unit.tokens <= _ROOM:
                yield unit
            else:
                yield from (_unit(part, markdown) for part in small.chunks(slice_))


def _unit(text: str, markdown: bool) -> _Unit:
    tokens = max(_count(text), len(text) // _LONGEST)
    if not markdown or not _HEADING.match(text):
        return _Unit(text, tokens)
    lines = [line for line in text.splitlines() if line.strip()]
    return _Unit(text, tokens, is_start=True, is_bare=all(map(_HEADING.match, lines)))


def _pack(units: Iterable[_Unit]) -> Iterator[Sequence[_Unit]]:
    """Fill chunks with units; from half full on, a heading starts a new one."""
    chunk: list[_Unit] = []
    for unit in units:
        size = _size(chunk)
        if chunk and (size + unit.tokens > _ROOM or (unit.is_start and size > _ROOM // 2)):
            full, chunk = _without_last_headings(chunk, unit.tokens)
            yield full
        chunk.append(unit)
    yield chunk


def _without_last_headings(chunk: list[_Unit], following: int) -> tuple[list[_Unit], list[_Unit]]:
    """Leave headings at the end of a chunk to the text that follows, if both fit."""
    end = len(chunk)
    while end > 1 and chunk[end - 1].is_bare:
        end -= 1
    if _size(chunk[end:]) + following > _ROOM:
        return chunk, []
    return chunk[:end], chunk[end:]


def _size(units: Iterable[_Unit]) -> int:
    return sum(unit.tokens for unit in units)


def _count(text: str) -> int:
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


@cache
def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@cache
def _splitters(markdown: bool) -> tuple[Any, Any, Any]:
    """Return splitters into sections, into units, and into what is sure to fit."""
    from semantic_text_splitter import MarkdownSplitter, TextSplitter

    kind: Any = MarkdownSplitter if markdown else TextSplitter
    by_tokens = kind.from_huggingface_tokenizer(_tokenizer(), _ROOM, trim=False)
    return kind(_SECTION, trim=False), kind(_UNIT, trim=False), by_tokens
