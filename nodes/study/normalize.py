"""Turn raw results into chunks of even length with content ids (document 003, node 7)."""

import hashlib
import re
import unicodedata
from functools import cache
from typing import Any

from semantic_text_splitter import TextSplitter

from nodes.evidence import content_words
from nodes.text import words
from state.documents import Document
from state.outcome import Update
from state.study import Chunk, RawResult, SourceName, StudyContext, StudyState

_CODE = re.compile(r"(```.*?```|~~~.*?~~~)", re.DOTALL)
_UNWANTED = re.compile(
    r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u200b\u200e\u200f\u202a-\u202e"
    r"\u2060\u2066-\u2069\ufeff]"
)
_SPACES = re.compile(r"(?<=\S)[^\S\n]+")
_TRAILING = re.compile(r"[^\S\n]+$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_EXOTIC_SPACES = re.compile(r"[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")


def normalize(state: StudyState, context: StudyContext) -> Update:
    """Clean up and cut the pass's results; note which sources were asked."""
    question, longest = state["original_q"], context.chunk_chars
    chunks = [chunk for raw in state["raw_results"] for chunk in _chunks(raw, question, longest)]
    tried = [*state["tried_sources"], *state["tool_queries"]]
    return {"new_chunks": chunks, "tried_sources": list(dict.fromkeys(tried))}


def clean(text: str) -> str:
    """Take out what is invisible or noise, and keep every letter, formula and line of code.

    Canonical composition only: compatibility forms would turn ``x²`` into ``x2``. Arabic
    vowel marks and joiners stay. Spaces are folded between words, not at the start of a line
    nor inside code fences, where they are syntax.
    """
    text = text.encode("utf-8", "replace").decode().replace("\r\n", "\n").replace("\r", "\n")
    text = unicodedata.normalize("NFC", _UNWANTED.sub("", _EXOTIC_SPACES.sub(" ", text)))
    parts = _CODE.split(text)
    parts[::2] = [_BLANK_LINES.sub("\n\n", _fold_spaces(part)) for part in parts[::2]]
    return "".join(parts).strip("\n").rstrip()


def content_id(text: str) -> str:
    """Return the SHA-256 of a chunk's text: the same text is the same chunk from any source."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _fold_spaces(text: str) -> str:
    return _SPACES.sub(" ", _TRAILING.sub("", text))


def _chunks(raw: RawResult, question: str, longest: int) -> list[Chunk]:
    """Cut a source's results; the likeliest part of each comes before the second of any.

    Else the parts of one long page would fill the pool.
    """
    asked = set(content_words(question))
    parts = [
        (turn, place, piece)
        for place, document in enumerate(raw["documents"])
        for turn, piece in enumerate(
            _likeliest_first(_pieces(clean(document["content"]), longest), asked)
        )
    ]
    return [
        _chunk(piece, raw["source"], raw["documents"][place], rank)
        for rank, (_, place, piece) in enumerate(sorted(parts))
    ]


def _chunk(text: str, source: SourceName, document: Document, rank: int) -> Chunk:
    return Chunk(
        id=content_id(text),
        content=text,
        metadata=_plain(document["metadata"]) | {"document_id": document["id"]},
        origin=source,
        rank=rank,
        score=None,
    )


def _likeliest_first(pieces: list[str], asked: set[str]) -> list[str]:
    """Order the parts of one result by how many of the question's words they have."""
    if len(pieces) < 2:
        return pieces
    return sorted(pieces, key=lambda piece: -len(asked & set(words(piece))))


def _pieces(text: str, longest: int) -> list[str]:
    if not text.strip():
        return []
    return [text] if len(text) <= longest else _splitter(longest).chunks(text)


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    """Leave out scores of the source's own scale, which mean nothing next to the reranker's."""
    return {key: value for key, value in metadata.items() if key not in ("score", "distance")}


@cache
def _splitter(longest: int) -> TextSplitter:
    return TextSplitter(longest)
