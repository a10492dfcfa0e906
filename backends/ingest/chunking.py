"""Make chunks, with metadata, of what was read."""

from backends.index import Chunk
from backends.ingest.cutting import split
from backends.ingest.loading import Loaded


def chunks(loaded: Loaded, name: str) -> list[Chunk]:
    """Cut a file into chunks, in order.

    Every chunk is a slice of the text, character for character; only white space between two
    chunks is in neither.

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
