"""Take what users plug in, an index, a retriever or a web search, in the shapes they give."""

import asyncio
import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from langchain_core.documents import Document as LangChainDocument
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStoreRetriever

from backends.jobs import Job, Plan
from nodes.calls import SearchIndex, SearchWeb
from state.documents import Document
from state.errors import ConfigError, IndexFailed, SourceError, WebSearchFailed

_TEXT_KEYS = ("content", "page_content", "text", "snippet", "raw_content")


def search_index_plan(index: Any, call: SearchIndex) -> Plan:
    """Plan one search of an index: a LangChain retriever, or an object with ``search``."""
    run, arun = _index_calls(index, call)
    found = yield source_job("search", index, call.query, run, arun, IndexFailed)
    return documents_from(found, IndexFailed)[: call.k]


def search_web_plan(web: Any, call: SearchWeb) -> Plan:
    """Plan one web search with an object that has ``search(query, max_results)``."""
    arguments = (call.query, call.max_results)
    run, arun = both_colours(web, arguments)
    found = yield source_job("web", web, call.query, run, arun, WebSearchFailed)
    return documents_from(found, WebSearchFailed)[: call.max_results]


def check_searchable(name: str, source: Any) -> None:
    """Say at once when what was plugged in cannot search.

    Raises:
        ConfigError: It is neither a retriever nor an object with ``search``.
    """
    if not isinstance(source, BaseRetriever) and not callable(getattr(source, "search", None)):
        raise ConfigError(
            f"{name} must be a LangChain retriever or have a method search(query, k); "
            f"{type(source).__name__} is neither."
        )


def _index_calls(index: Any, call: SearchIndex) -> tuple[Callable[[], Any], Callable[[], Any]]:
    if isinstance(index, BaseRetriever):
        limit = {"k": call.k} if isinstance(index, VectorStoreRetriever) else {}
        return (
            lambda: index.invoke(call.query, **limit),
            lambda: index.ainvoke(call.query, **limit),
        )
    return both_colours(index, (call.query, call.k))


def both_colours(
    source: Any, arguments: tuple[Any, ...]
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return a source's search in both colours; without an ``asearch``, in a thread."""
    asearch = getattr(source, "asearch", None)
    if asearch is not None:
        return lambda: source.search(*arguments), lambda: asearch(*arguments)
    return (
        lambda: source.search(*arguments),
        lambda: asyncio.to_thread(source.search, *arguments),
    )


def source_job(
    role: str,
    source: Any,
    query: str,
    run: Callable[[], Any],
    arun: Callable[[], Any],
    error: type[SourceError],
) -> Job:
    """Make the job of one search; whatever the source raises becomes a named error."""
    name = str(getattr(source, "name", None) or type(source).__name__)

    def failed(cause: Exception) -> SourceError:
        return error(f"{name} failed: {type(cause).__name__}: {cause}".rstrip(": "))

    def guarded() -> Any:
        try:
            return run()
        except SourceError:
            raise
        except Exception as cause:
            raise failed(cause) from cause

    async def aguarded() -> Any:
        try:
            return await arun()
        except SourceError:
            raise
        except Exception as cause:
            raise failed(cause) from cause

    def timed_out(seconds: float) -> SourceError:
        return error(f"{name} gave no reply within {seconds:g} s.", transient=True)

    return Job(role, name, query, guarded, aguarded, timed_out)


def documents_from(found: Any, error: type[SourceError]) -> list[Document]:
    """Convert search results to documents; what is not a list of results is an error.

    Accepts a list of our documents, LangChain's, or mappings with a text; a mapping with
    ``results``; or either of them as JSON text. ``None`` and an empty list are no results.

    Raises:
        SourceError: A string that is not JSON (many tools return their errors so), or any
            other shape. It never becomes a document.
    """
    if isinstance(found, str):
        found = _parse(found, error)
    if isinstance(found, Mapping):
        if "results" not in found:
            raise error(f"The search returned no results but: {str(found)[:200]}")
        found = found["results"]
    if found is None:
        return []
    if isinstance(found, LangChainDocument | str) or not isinstance(found, Iterable):
        raise error(f"The search must return a list of documents, not {type(found).__name__}.")
    return [_document(item, error) for item in found]


def _parse(text: str, error: type[SourceError]) -> Any:
    try:
        parsed = json.loads(text)
    except ValueError as cause:
        raise error(f"The search returned a message instead of results: {text[:200]}") from cause
    return [] if parsed == "" else parsed


def _document(item: Any, error: type[SourceError]) -> Document:
    if isinstance(item, LangChainDocument):
        item = {"id": item.id, "content": item.page_content, "metadata": item.metadata}
    if not isinstance(item, Mapping):
        raise error(f"The search returned {type(item).__name__} where a document is expected.")
    content = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
    if content is None:
        raise error(f"A search result has no text; its keys are {sorted(map(str, item))}.")
    metadata = dict(item.get("metadata") or {})
    for key in ("url", "title", "score", "source"):
        if key in item:
            metadata.setdefault(key, item[key])
    if metadata.get("url"):
        metadata.setdefault("source", metadata["url"])
    identifier = item.get("id") or metadata.get("id") or _stable_id(metadata, content)
    return {"id": str(identifier), "content": content, "metadata": metadata}


def _stable_id(metadata: Mapping[str, Any], content: str) -> str:
    """Name a document that came without an id: the same one for the same text and source."""
    if metadata.get("url"):
        return "web-" + hashlib.sha256(str(metadata["url"]).encode()).hexdigest()[:12]
    seed = f"{metadata.get('source', '')}\0{content}".encode("utf-8", "replace")
    return str(uuid.UUID(bytes=hashlib.sha256(seed).digest()[:16], version=4))
