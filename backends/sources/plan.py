"""Plan the search of a named source: the index, the web, or any object with ``search``."""

from collections.abc import Mapping
from typing import Any

from langchain_core.retrievers import BaseRetriever

from backends.adapters import (
    both_colours,
    documents_from,
    search_index_plan,
    search_web_plan,
    source_job,
)
from backends.jobs import Plan
from backends.sources.memory import Memory
from nodes.calls import Found, SearchIndex, SearchSource, SearchWeb
from state.errors import SourceError


def search_source_plan(source: Any, call: SearchSource, memory: Memory) -> Plan:
    """Plan one search; the reply is a ``Found``.

    Args:
        source: What plays it. One with ``takes_language`` is also given the language's code;
            a reply ``{"results": […], "doubt": "…"}`` says that there may be more.
        call: The search.
        memory: What outside sources gave before; the index is not remembered, since its
            documents may have been removed on purpose.
    """
    if call.source == "curated":
        documents = yield from search_index_plan(source, SearchIndex(call.query, call.k))
        return Found(documents)
    if isinstance(source, BaseRetriever):
        documents = yield from search_index_plan(source, SearchIndex(call.query, call.k))
        return memory.checked(call, Found(documents))
    if call.source == "web":
        documents = yield from search_web_plan(source, SearchWeb(call.query, call.k))
        return memory.checked(call, Found(documents))
    language = (call.language,) if getattr(source, "takes_language", False) else ()
    run, arun = both_colours(source, (call.query, call.k, *language))
    reply = yield source_job(call.source, source, call.query, run, arun, SourceError)
    doubt = str(reply.get("doubt") or "") if isinstance(reply, Mapping) else ""
    documents = documents_from(reply, SourceError)[: call.k]
    return memory.checked(call, Found(documents, doubt))
