"""Take what users plug in, an index, a retriever or a web search, in the shapes they give."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore, VectorStoreRetriever

from backends.found import documents_from
from backends.jobs import Job, Plan
from backends.redaction import one_line, scrub
from backends.responses import retry_after_of, status_of
from backends.threads import in_thread, plainly
from nodes.calls import SearchIndex, SearchWeb
from state.errors import ConfigError, CragError, IndexFailed, SourceError, WebSearchFailed

__all__ = [
    "both_colours",
    "check_searchable",
    "documents_from",
    "search_index_plan",
    "search_web_plan",
    "source_job",
]

Run = Callable[[], Any]
ARun = Callable[[], Awaitable[Any]]


def search_index_plan(index: Any, call: SearchIndex) -> Plan:
    """Plan one search of an index: a LangChain retriever or store, or an object with ``search``."""
    run, arun = _index_calls(index, call)
    found = yield source_job("search", index, call.query, run, arun, IndexFailed)
    return documents_from(found, IndexFailed)[: call.k]


def search_web_plan(web: Any, call: SearchWeb) -> Plan:
    """Plan one web search with an object that has ``search(query, max_results)``."""
    run, arun = both_colours(web, (call.query, call.max_results))
    found = yield source_job("web", web, call.query, run, arun, WebSearchFailed)
    return documents_from(found, WebSearchFailed)[: call.max_results]


def check_searchable(name: str, source: Any) -> None:
    """Say at once when what was plugged in cannot search.

    Raises:
        ConfigError: It is neither a retriever nor an object with ``search``.
    """
    if isinstance(source, BaseRetriever):
        return
    if isinstance(source, type):
        raise ConfigError(f"{name} is the class {source.__name__}; pass an instance of it.")
    if not callable(getattr(source, "search", None)):
        raise ConfigError(
            f"{name} must be a LangChain retriever or have a method search(query, k); "
            f"{type(source).__name__} is neither."
        )


def _index_calls(index: Any, call: SearchIndex) -> tuple[Run, ARun]:
    # A store's own search() takes a kind of search, not a number.
    retriever = index.as_retriever() if isinstance(index, VectorStore) else index
    if not isinstance(retriever, BaseRetriever):
        return both_colours(index, (call.query, call.k))
    limit: dict[str, Any] = {"k": call.k} if isinstance(retriever, VectorStoreRetriever) else {}
    run = partial(retriever.invoke, call.query, **limit)
    if _blocks(retriever):
        return run, partial(in_thread, run)
    return run, partial(retriever.ainvoke, call.query, **limit)


def _blocks(retriever: BaseRetriever) -> bool:
    """Tell whether a retriever has no async side of its own, see ``backends.models.blocks``."""
    if isinstance(retriever, VectorStoreRetriever):
        own = type(retriever.vectorstore).asimilarity_search
        return own is VectorStore.asimilarity_search
    return type(retriever)._aget_relevant_documents is BaseRetriever._aget_relevant_documents


def both_colours(source: Any, arguments: tuple[Any, ...]) -> tuple[Run, ARun]:
    """Return a source's search in both colours, whichever of them it has."""
    search = partial(source.search, *arguments)
    asearch = getattr(source, "asearch", None)
    if asearch is None and inspect.iscoroutinefunction(source.search):
        asearch = source.search

    def run() -> Any:
        found = search()
        return asyncio.run(_awaited(found)) if inspect.isawaitable(found) else found

    async def arun() -> Any:
        found = await in_thread(search) if asearch is None else asearch(*arguments)
        return await found if inspect.isawaitable(found) else found

    return run, arun


async def _awaited(found: Awaitable[Any]) -> Any:
    return await found


def source_job(
    role: str, source: Any, query: str, run: Run, arun: ARun, error: type[SourceError]
) -> Job:
    """Make the job of one search; whatever the source raises becomes a named error."""
    name = str(getattr(source, "name", None) or type(source).__name__)

    def guarded() -> Any:
        with _named(name, error):
            return _listed(plainly(run))

    async def aguarded() -> Any:
        with _named(name, error):
            return _listed(await arun())

    def timed_out(seconds: float) -> SourceError:
        return error(
            f"{name} gave no reply within {seconds:g} s. Raise CRAG_TIMEOUT, or try again.",
            transient=True,
        )

    return Job(role, name, query, guarded, aguarded, timed_out)


def _listed(found: Any) -> Any:
    """Run a generator of results to its end here, where what it raises is named."""
    return list(found) if isinstance(found, Iterator) else found


@contextmanager
def _named(name: str, error: type[SourceError]) -> Iterator[None]:
    """Raise the project's error for whatever a source raises; its own errors pass."""
    try:
        yield
    except CragError:
        raise
    except Exception as cause:  # noqa: BLE001 - the boundary to a user's code
        status = status_of(cause)
        said = f"{type(cause).__name__}: {cause}".removesuffix(": ")
        raise error(
            f"{name} failed: {one_line(scrub(said))}",
            transient=_may_pass(cause, status),
            retry_after=retry_after_of(cause),
        ) from (cause if scrub(said) == said else None)


def _may_pass(cause: Exception, status: int | None) -> bool:
    if status is not None:
        return status in (408, 425, 429) or status >= 500
    kinds = ("Timeout", "ConnectError", "ConnectionError")
    passing = isinstance(cause, TimeoutError | ConnectionError)
    return passing or any(kind in type(cause).__name__ for kind in kinds)
