"""Fit documents into a model's window (field reports on overlong prompts)."""

from collections.abc import Sequence

from backends import tokens
from nodes.calls import Packed
from nodes.text import sentences
from state.documents import Document
from state.outcome import LeftOut

_LEAST = 64
_WRAPPING = 60


def pack(documents: Sequence[Document], room: int | None) -> Packed:
    """Keep documents, best first, as long as they fit; shorten the one that crosses the edge.

    Args:
        documents: Best first.
        room: Tokens there are for them; ``None`` for no limit.

    Returns:
        What is kept, and what was shortened or left out. A document is shortened at the end
        of a sentence, and never to less than 64 tokens: then it is left out.
    """
    if room is None or sum(_at_most(document) for document in documents) <= room:
        return Packed(list(documents), [])
    kept: list[Document] = []
    left_out: list[LeftOut] = []
    for document in documents:
        size = tokens.count(document["content"])
        if size + _WRAPPING <= room:
            kept.append(document)
            room -= size + _WRAPPING
            continue
        shown = _shorten(document["content"], room - _WRAPPING)
        room = 0
        if shown:
            kept.append({**document, "content": shown})
        left_out.append(
            {"id": document["id"], "tokens": size, "kept_tokens": tokens.count(shown)}
        )
    return Packed(kept, left_out)


def _at_most(document: Document) -> int:
    """Bound a document's tokens without counting: a token is at least one byte."""
    return len(document["content"].encode("utf-8", "replace")) + _WRAPPING


def _shorten(text: str, room: int) -> str:
    if room < _LEAST:
        return ""
    start = tokens.head(text, room)
    whole = sentences(start)
    shorter = "".join(whole[:-1])
    return shorter if len(shorter) > len(start) // 2 else start
