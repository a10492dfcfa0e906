"""Fit documents into a model's window (field reports on overlong prompts)."""

import re
from collections.abc import Sequence

from backends import tokens
from nodes.calls import Packed
from nodes.text import sentences
from state.documents import Document
from state.outcome import LeftOut

_LEAST = 64
_TAGS = 24
_SENTENCE_END = re.compile(r"(?:[.!?…。！？؟۔।][\"'”’»)\]]*\s*|\n\s*)\Z")


def pack(documents: Sequence[Document], room: int | None) -> Packed:
    """Keep documents, best first, as long as they fit; shorten the one that crosses the edge.

    Args:
        documents: Best first.
        room: Tokens there are for them; ``None`` for no limit.

    Returns:
        What is kept, and what was shortened or left out. A document is shortened at the end
        of a sentence, and never to less than 64 tokens: then it is left out.
    """
    if room is None or sum(map(_at_most, documents)) <= room:
        return Packed(list(documents), [])
    kept: list[Document] = []
    left_out: list[LeftOut] = []
    for document in documents:
        size, wrapping = tokens.count(document["content"]), _wrapping(document)
        if size + wrapping <= room:
            kept.append(document)
            room -= size + wrapping
            continue
        shown = _shorten(document["content"], room - wrapping)
        room = 0
        if shown:
            kept.append({**document, "content": shown})
        left_out.append({"id": document["id"], "tokens": size, "kept_tokens": tokens.count(shown)})
    return Packed(kept, left_out)


def _wrapping(document: Document) -> int:
    """Count what a prompt puts around a document: its tags, its id and its title."""
    named = f"{document['id']} {document['metadata'].get('title') or ''}"
    return _TAGS + tokens.count(named)


def _at_most(document: Document) -> int:
    """Bound a document's tokens without counting: a token is at least one byte."""
    texts = (document["content"], document["id"], str(document["metadata"].get("title") or ""))
    return sum(len(text.encode("utf-8", "replace")) for text in texts) + _TAGS


def _shorten(text: str, room: int) -> str:
    """Return the beginning that fits: whole sentences, else whole words, else characters."""
    if room < _LEAST:
        return ""
    start = tokens.head(text, room)
    half = len(start) // 2
    whole = "".join(sentences(start)[:-1])
    if len(whole) > half and _SENTENCE_END.search(whole):
        return whole
    last_space = max(start.rfind(space) for space in " \n\t\u3000")
    return start[: last_space + 1] if last_space > half else start
