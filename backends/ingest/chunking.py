"""Cut text into chunks that the embedding model reads whole."""

from functools import cache
from typing import Any

from backends.embedder import MAX_TOKENS, tokenizer_file
from backends.index import Chunk
from backends.ingest.loading import Loaded

_SPECIAL_TOKENS = 2
_SECTION = 4000


def chunks(loaded: Loaded, name: str) -> list[Chunk]:
    """Cut a file into chunks, in order.

    Every chunk is a slice of the text, character for character. Only white space between two
    chunks is in neither. It ends where a heading, paragraph, sentence or word ends, whichever
    is the largest that fits.

    Args:
        loaded: The text.
        name: The title when the file has none of its own.

    Returns:
        Chunks of at most 256 tokens, with metadata ``title``, ``position`` (from 0) and, where
        there are pages, ``page`` (from 1).
    """
    pieces = [
        (piece, {} if page is None else {"page": page})
        for text, page in loaded.parts
        for piece in split(text, markdown=loaded.markdown)
    ]
    title = loaded.title or name
    return [
        {"content": piece, "metadata": {"title": title, "position": position, **page}}
        for position, (piece, page) in enumerate(pieces)
    ]


def split(text: str, *, markdown: bool) -> list[str]:
    """Cut text into slices of at most 256 tokens, white space at both ends trimmed.

    In two steps, since counting tokens takes the splitter five times as long on long texts:
    into sections of up to 4,000 characters, then each by tokens.
    """
    coarse, fine = _splitters(markdown)
    return [piece for section in coarse.chunks(text) for piece in fine.chunks(section)]


@cache
def _splitters(markdown: bool) -> tuple[Any, Any]:
    from semantic_text_splitter import MarkdownSplitter, TextSplitter
    from tokenizers import Tokenizer

    kind: Any = MarkdownSplitter if markdown else TextSplitter
    tokenizer = Tokenizer.from_str(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    fine = kind.from_huggingface_tokenizer(tokenizer, MAX_TOKENS - _SPECIAL_TOKENS)
    return kind(_SECTION, trim=False), fine
