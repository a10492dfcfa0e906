"""Corrective RAG: grade the documents, repair the search, check the answer.

Retrieve, grade each document, keep the relevant ones; when none is, rewrite the question and
search the web. Write a draft, check every claim, write it again without the unsupported ones.
(Document 000, first part; Yan et al. 2024, arXiv:2401.15884.)
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps
from langgraph.types import Send

from backends import Backends
from backends.gateway import Gateway
from nodes.checker import check
from nodes.generator import generate
from nodes.grader import grade, select
from nodes.intake import start_clean
from nodes.replies import accept, not_found, trim
from nodes.retriever import retrieve
from nodes.rewriter import rewrite_for_web
from nodes.web import approve_search, search_the_web
from state.corrective import CorrectiveContext, CorrectiveState, GradingTask, QuestionInput

Context = CorrectiveContext
_STEPS_OF_ONE_MORE = 3  # generate, check, and the node that ends the run


class CorrectiveRun(CorrectiveState):
    """The state while it runs, with the steps that the caller's recursion limit leaves."""

    remaining_steps: RemainingSteps


def each_document(state: CorrectiveState) -> list[Send] | Literal["select"]:
    """Send each document to a grader of its own."""
    tasks = [
        Send("grade", GradingTask(question=state["question"], document=document))
        for document in state["documents"]
    ]
    return tasks or "select"


def after_selection(
    state: CorrectiveState, context: CorrectiveContext
) -> Literal["generate", "rewrite", "not_found"]:
    """Is a document relevant, and if not, may the web be searched?"""
    if any(verdict["relevant"] for verdict in state["grades"]):
        return "generate"
    return "not_found" if context.web_search == "off" else "rewrite"


def after_rewriting(
    state: CorrectiveState, context: CorrectiveContext
) -> Literal["approve_search", "search_web"]:
    """Must a person approve the query?"""
    return "approve_search" if context.web_search == "ask" else "search_web"


def after_approval(
    state: CorrectiveState, context: CorrectiveContext
) -> Literal["search_web", "not_found"]:
    """Was the query approved?"""
    return "search_web" if state["web_query"] else "not_found"


def after_web_search(
    state: CorrectiveState, context: CorrectiveContext
) -> Literal["generate", "not_found"]:
    """Did the web give documents?"""
    return "generate" if state["documents"] else "not_found"


def after_generation(
    state: CorrectiveState, context: CorrectiveContext
) -> Literal["check", "not_found"]:
    """Is there a draft to check, or a reason why there is none?"""
    return "not_found" if state["stop_reason"] else "check"


def after_check(
    state: CorrectiveRun, context: CorrectiveContext
) -> Literal["accept", "generate", "trim"]:
    """Is every claim supported, and if not, is there a regeneration left, and steps for it?"""
    if state["checks"][-1]["supported"]:
        return "accept"
    again = state["regenerations"] < context.max_regenerations
    return "generate" if again and state["remaining_steps"] > _STEPS_OF_ONE_MORE else "trim"


def build(backends: Backends | None = None) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph; compile it with a checkpointer, a cache or interrupts of your own.

    Args:
        backends: Models, index and web; what is not given comes from the settings.
    """
    door = Gateway(backends or Backends(), CorrectiveContext)
    graph = StateGraph(
        CorrectiveRun,
        context_schema=CorrectiveContext,
        input_schema=QuestionInput,
        output_schema=CorrectiveState,
    )
    graph.add_node("start", door.node(start_clean))
    graph.add_node("retrieve", door.node(retrieve))
    graph.add_node("grade", door.node(grade))
    graph.add_node("select", door.node(select))
    graph.add_node("rewrite", door.node(rewrite_for_web))
    graph.add_node("approve_search", door.node(approve_search))
    graph.add_node("search_web", door.node(search_the_web))
    graph.add_node("generate", door.node(generate))
    graph.add_node("check", door.node(check))
    graph.add_node("accept", door.node(accept))
    graph.add_node("trim", door.node(trim))
    graph.add_node("not_found", door.node(not_found))

    graph.add_edge(START, "start")
    graph.add_edge("start", "retrieve")
    graph.add_conditional_edges("retrieve", each_document, ["grade", "select"])
    graph.add_edge("grade", "select")
    graph.add_conditional_edges("select", door.route(after_selection))
    graph.add_conditional_edges("rewrite", door.route(after_rewriting))
    graph.add_conditional_edges("approve_search", door.route(after_approval))
    graph.add_conditional_edges("search_web", door.route(after_web_search))
    graph.add_conditional_edges("generate", door.route(after_generation))
    graph.add_conditional_edges("check", door.route(after_check))
    graph.add_edge("accept", END)
    graph.add_edge("trim", END)
    graph.add_edge("not_found", END)
    return graph


graph = build().compile(name="corrective")
