"""Find the objects that a text holds: JSON, or Python literals where a model writes those."""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

CONTRADICTION = object()
"""The value of a key that an object gives twice with different values; it fits no schema."""

_STARTS_LIKE_JSON = re.compile(r"\{\s*(?:\"|'|\Z)")
_DOUBLED = re.compile(r"\{\s*\{")
_MOST_STRAYS = 64
"""Braces that open no object, each of which costs a look at the rest of the text."""
_PAIRS = (
    re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{}]", re.DOTALL),
    re.compile(r"\"(?:\\.|[^\"\\])*\"|[{}]", re.DOTALL),
    re.compile(r"[{}]"),
)
"""What to look at when braces are paired: quoted braces do not count, as far as quotes pair."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        found |= {key: CONTRADICTION for key, value in pairs if found[key] != value}
    return found


_JSON = json.JSONDecoder(strict=False, object_pairs_hook=_unique)


def objects_in(text: str) -> list[Any]:
    """Return the outermost objects of a text.

    Returns:
        None at all when one breaks off: what stands inside a truncated object is only a part
        of it, and a reply that was cut may have said more.
    """
    found: list[Any] = []
    strays = 0
    position = text.find("{")
    while position >= 0:
        value, end = _object_at(text, position)
        strays += value is None
        if end is None or strays > _MOST_STRAYS:
            return []
        if value is not None:
            found.append(value)
        position = text.find("{", end)
    return found


def _object_at(text: str, position: int) -> tuple[Any, int | None]:
    """Read the object that opens here.

    Returns:
        The object, ``None`` where the brace opens none, and where to read on; that is ``None``
        when the object breaks off or is nested too deeply.
    """
    try:
        return _JSON.raw_decode(text, position)
    except RecursionError:
        return None, None
    except ValueError:
        pass
    if _DOUBLED.match(text, position):  # as in a template that was imitated
        return None, position + 1
    ends = list(dict.fromkeys(_closings(text, position)))
    for end in ends:
        try:
            return ast.literal_eval(text[position:end]), end
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    if ends:
        return None, ends[0]
    return None, None if _STARTS_LIKE_JSON.match(text, position) else position + 1


def _closings(text: str, position: int) -> Iterator[int]:
    for pairs in _PAIRS:
        depth = 0
        for match in pairs.finditer(text, position):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                yield match.end()
                break
