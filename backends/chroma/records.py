"""How a chunk lies in Chroma, and how it comes back."""

import hashlib
import json
from dataclasses import dataclass

from backends.index import Chunk, Source
from state.documents import Document
from state.errors import IngestError


@dataclass(frozen=True, slots=True)
class Record:
    """One chunk in Chroma's terms.

    Attributes:
        content: The text.
        metadata: Flat, since Chroma refuses nested and empty values: the source, and all
            of the chunk's own metadata as JSON.
        digests: SHA-256 of the content and of the metadata.
    """

    content: str
    metadata: dict[str, str]
    digests: tuple[str, str]


def records(source: Source) -> list[Record]:
    """Check and convert the chunks of a source.

    Raises:
        IngestError: A text cannot be stored verbatim, or metadata are not JSON.
    """
    return [_record(source.name, chunk) for chunk in source.chunks]


def document(identifier: str, content: str, metadata: dict[str, str], score: float) -> Document:
    """Convert back."""
    own = {"id": identifier, "source": metadata["source"], "score": score}
    return {
        "id": identifier,
        "content": content,
        "metadata": {**json.loads(metadata["metadata"]), **own},
    }


def _record(source: str, chunk: Chunk) -> Record:
    try:
        metadata = json.dumps(chunk["metadata"], allow_nan=False)
    except (TypeError, ValueError) as cause:
        raise IngestError(f"The metadata of a chunk of {source!a} are not JSON: {cause}") from cause
    try:
        digests = (_digest(chunk["content"]), _digest(f"{source}\0{metadata}"))
    except UnicodeEncodeError as cause:
        raise IngestError(
            f"A chunk of {source!a} has an unpaired surrogate at character {cause.start}, which "
            "is not Unicode text. Replace it, with U+FFFD for instance."
        ) from cause
    return Record(chunk["content"], {"source": source, "metadata": metadata}, digests)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
