"""Ask the sources, all at the same time (document 003, node 6)."""

import time
from dataclasses import dataclass

from nodes.calls import Found, SearchSource, Steps, together
from nodes.events import note
from nodes.study.language import language_of
from state.documents import Document
from state.errors import CragError
from state.outcome import Update
from state.study import RawResult, SourceName, SourceReport, StudyContext, StudyState


@dataclass(frozen=True, slots=True)
class _Searched:
    report: SourceReport
    documents: list[Document]


def retrieve(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Ask each source its queries; one that fails is reported and takes no other down."""
    wanted = [(source, q) for source, queries in state["tool_queries"].items() for q in queries]
    found = yield from together(_search(source, q, state, context) for source, q in wanted)
    searched = [one for one in found if isinstance(one, _Searched)]
    for one in searched:
        note("source", **one.report)
    return {
        "raw_results": [
            RawResult(source=one.report["source"], documents=one.documents) for one in searched
        ],
        "sources": [one.report for one in searched],
    }


def _search(
    source: SourceName, query: str, state: StudyState, context: StudyContext
) -> Steps[_Searched]:
    asked = context.top_k * context.retrieve_multiplier
    started = time.perf_counter()
    found, error = Found([]), ""
    try:
        found = yield SearchSource(
            source, query, asked, language_of(query), seconds=context.source_timeout_s
        )
    except CragError as failure:
        error = str(failure) or type(failure).__name__
    outcome = "failed" if error else "hits" if found.documents else "no_hits"
    report: SourceReport = {
        "source": source,
        "query": query,
        "attempt": state["retries"],
        "asked": asked,
        "results": len(found.documents),
        "outcome": outcome,  # type: ignore[typeddict-item]
        "error": error or found.doubt,
        "seconds": round(time.perf_counter() - started, 6),
    }
    return _Searched(report, found.documents)


def all_failed(state: StudyState) -> bool:
    """Return whether no source could be searched in the last pass."""
    last = state["sources"][-1]["attempt"] if state["sources"] else -1
    now = [report for report in state["sources"] if report["attempt"] == last]
    return bool(now) and all(report["outcome"] == "failed" for report in now)


def every_source_failed(state: StudyState, context: StudyContext) -> bool:
    """Return whether the last pass failed and there is no further source to turn to."""
    untried = set(context.allowed_sources) - set(state["tried_sources"])
    return all_failed(state) and (state["intent"] == "complex" or not untried)
