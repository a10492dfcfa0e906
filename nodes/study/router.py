"""Choose the sources and what each is asked (document 003, node 5)."""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from nodes.calls import Ask, Steps, Text, ToolChoice
from nodes.events import note
from nodes.rewriter import LONGEST_QUERY, read_query
from nodes.study.queries import first_queries, keywords
from nodes.text import normalise
from prompts import load
from state.errors import ModelUnavailable
from state.outcome import Update
from state.study import SourceName, StudyContext, StudyState

Queries = dict[SourceName, list[str]]


class _Search(BaseModel):
    query: str = Field(description="What to search for, in the language of the question.")


class search_curated(_Search):  # noqa: N801 - the class's name is the tool's
    """Search the course material: the user's own documents. Prefer it when in doubt."""


class search_wikipedia(_Search):  # noqa: N801
    """Search Wikipedia: people, places, events, concepts."""


class search_arxiv(_Search):  # noqa: N801
    """Search arXiv: research papers in physics, mathematics, computer science and more."""


class search_web(_Search):  # noqa: N801
    """Search the web: recent events and what the other sources do not have."""


_TOOLS: dict[SourceName, type[_Search]] = {
    "curated": search_curated,
    "wikipedia": search_wikipedia,
    "arxiv": search_arxiv,
    "web": search_web,
}


def router(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Choose sources on the first pass; on later ones ask the same sources differently.

    A complex question goes to all sources at once, without a model. For a simple one a model
    calls the tools it wants. A simple question that scored too low goes to all sources, with
    keywords (reading 11).
    """
    route = _first_pass if state["retries"] == 0 else _again
    search_query, queries = yield from route(state, context)
    note("route", attempt=state["retries"], queries=queries)
    return {
        "sources_to_use": list(queries),
        "search_query": search_query,
        "tool_queries": queries,
    }


def _first_pass(state: StudyState, context: StudyContext) -> Steps[tuple[str, Queries]]:
    question, subs = state["original_q"], state["sub_questions"]
    chosen: Queries = {}
    sources = context.allowed_sources
    if state["intent"] == "simple":
        sources = state["sources_to_use"]
        chosen = yield from _by_tools(question, context)
    return keywords(question), chosen or {s: first_queries(s, question, subs) for s in sources}


def _by_tools(question: str, context: StudyContext) -> Steps[Queries]:
    """Let the model call tools; none, or no model, leaves the choice to the default."""
    tools = tuple(_TOOLS[source] for source in context.allowed_sources)
    try:
        choices: Sequence[ToolChoice] = yield Ask(
            "router",
            load("study_router"),
            {"question": question},
            tools=tools,
            model=context.llm_model,
        )
    except ModelUnavailable as error:
        note("router_failed", reason=str(error))
        return {}
    return _read_choices(choices, question, context.allowed_sources)


def _read_choices(
    choices: Sequence[ToolChoice], question: str, allowed: Sequence[SourceName]
) -> Queries:
    """Keep the calls of tools that there are; a call without a query asks the question."""
    wanted: Queries = {}
    by_tool = {_TOOLS[source].__name__: source for source in allowed}
    for choice in choices:
        source = by_tool.get(choice.name)
        if source is None:
            note("unknown_tool", name=choice.name)
            continue
        query = str(choice.args.get("query") or "").strip()[:LONGEST_QUERY]
        asked = wanted.setdefault(source, [])
        asked.extend(q for q in [query or question] if q not in asked)
    return {source: wanted[source] for source in allowed if source in wanted}


def _again(state: StudyState, context: StudyContext) -> Steps[tuple[str, Queries]]:
    simple = state["intent"] == "simple"
    sources = context.allowed_sources if simple else state["sources_to_use"]
    query = keywords(state["original_q"])
    if not simple or state["retries"] > 1:
        query = yield from _rewritten(state, context, query)
    return query, {source: [query] for source in sources}


def _rewritten(state: StudyState, context: StudyContext, default: str) -> Steps[str]:
    """Ask for a query after what is missing; without one, keywords of what is missing."""
    tried = list(dict.fromkeys(report["query"] for report in state["sources"]))
    try:
        reply: Text = yield Ask(
            "rewriter",
            load("study_requery"),
            {"question": state["original_q"], "missing": state["missing"], "tried": tried},
            model=context.llm_model,
        )
        query = read_query(reply.text)
    except ModelUnavailable as error:
        note("rewriter_failed", reason=str(error))
        query = ""
    if query and normalise(query) not in {normalise(q) for q in tried}:
        return query
    return keywords(f"{default} {state['missing']}")
