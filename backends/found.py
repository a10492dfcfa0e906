"""Convert what searches return to documents; what is no list of results is an error."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.documents import Document as LangChainDocument

from backends.redaction import one_line, scrub
from state.documents import Document
from state.errors import SourceError

_TEXT_KEYS = ("content", "page_content", "text", "snippet", "raw_content")
_DESCRIBING = ("url", "title", "score", "source")


def documents_from(found: Any, error: type[SourceError]) -> list[Document]:
    """Convert search results to documents; what is not a list of results is an error.

    Accepts a list of our documents, LangChain's, or mappings with a text; a mapping with
    ``results``; or any of them as JSON text. ``None``, blank text and an empty list are no
    results.

    Raises:
        SourceError: Text that is not JSON (many tools return their errors so), a mapping with
            an ``error``, or any other shape. It never becomes a document.
    """
    return [_document(item, error) for item in _results(found, error)]


def _results(found: Any, error: type[SourceError]) -> Iterable[Any]:
    if isinstance(found, str):
        found = _parsed(found, error)
    if isinstance(found, Mapping):
        problem = found.get("error")
        if "results" not in found or (problem and not found["results"]):
            said = problem or found.get("detail") or found
            raise error(f"The search returned no results but: {_shown(said)}")
        found = found["results"]
    if found is None:
        return []
    if isinstance(found, str | LangChainDocument) or not isinstance(found, Iterable):
        raise error(f"The search must return a list of documents, not {type(found).__name__}.")
    return found


def _parsed(text: str, error: type[SourceError]) -> Any:
    if not text.strip():
        return None
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = text
    if isinstance(parsed, str) and parsed.strip():
        raise error(f"The search returned a message instead of results: {_shown(parsed)}")
    return parsed or None


def _document(item: Any, error: type[SourceError]) -> Document:
    if isinstance(item, LangChainDocument):
        item = {"id": item.id, "content": item.page_content, "metadata": item.metadata}
    if not isinstance(item, Mapping):
        raise error(f"The search returned {type(item).__name__} where a document is expected.")
    content = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
    if content is None:
        raise error(f"A search result has no text; its keys are {sorted(map(str, item))}.")
    given = item.get("metadata") or {}
    if not isinstance(given, Mapping):
        raise error(f"A search result's metadata is {type(given).__name__}, not a mapping.")
    metadata = {str(key): _plain(value) for key, value in given.items()}
    for key in _DESCRIBING:
        if item.get(key) is not None:
            metadata.setdefault(key, _plain(item[key]))
    if metadata.get("url"):
        metadata.setdefault("source", metadata["url"])
    content = _valid(content)
    named = (item.get("id"), metadata.get("id"))
    identifier = next((i for i in named if i not in (None, "")), _stable_id(metadata, content))
    return {"id": _valid(str(identifier)), "content": content, "metadata": metadata}


def _plain(value: Any) -> Any:
    """Turn a value into JSON's: state is kept by checkpointers and shown in Studio."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _valid(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(inner) for inner in value]
    scalar = getattr(value, "item", None)  # a number of numpy's
    return scalar() if callable(scalar) and getattr(value, "ndim", None) == 0 else str(value)


def _valid(text: str) -> str:
    """Replace lone surrogates, which no request and no checkpoint can carry."""
    return text.encode("utf-8", "replace").decode()


def _stable_id(metadata: Mapping[str, Any], content: str) -> str:
    """Name a document that came without an id: the same one for the same text and source."""
    if metadata.get("url"):
        return "web-" + hashlib.sha256(str(metadata["url"]).encode()).hexdigest()[:12]
    seed = f"{metadata.get('source', '')}\0{content}".encode()
    return str(uuid.UUID(bytes=hashlib.sha256(seed).digest()[:16], version=4))


def _shown(said: Any) -> str:
    return one_line(scrub(str(said)), 200)
