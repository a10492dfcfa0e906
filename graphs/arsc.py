"""ARSC: a stateful self-correction loop with a grader that calls a tool.

Retrieve, grade the whole list by one enforced tool call, and generate from what is relevant;
when nothing is, rewrite the query and retrieve again, as often as the state allows.
(Document 001, sections 1 to 3.)
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from backends import Backends
from backends.gateway import Gateway
from nodes.arsc import generator, grader, is_new_query, retriever, rewriter
from state.arsc import ArscContext, ArscInput, ArscState, NextRound

Context = ArscContext


def decide_to_generate_or_rewrite(state: ArscState) -> Literal["generate", "rewrite_query", "end"]:
    """Is a document relevant, and if not, is a rewrite left?

    The check stands after grading, so every rewritten query is tried and none is paid for in
    vain (reading 7).
    """
    if any(grading["binary_score"] == "yes" for grading in state["gradings"]):
        return "generate"
    return "end" if state["iteration_count"] >= state["max_iterations"] else "rewrite_query"


def after_rewriting(state: ArscState) -> Send | Literal["__end__"]:
    """Is the query new?"""
    if not is_new_query(state["queries"]):
        return "__end__"
    return Send(
        "retriever",
        NextRound(
            rewritten_query=state["question"],
            original_question=state["original_question"],
            queries=state["queries"],
            iteration_count=state["iteration_count"],
            max_iterations=state["max_iterations"],
            context_history=state["context_history"],
            own_values=state["own_values"],
        ),
    )


def build(backends: Backends | None = None) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph; compile it with a checkpointer, a cache or interrupts of your own.

    Args:
        backends: Models and index; what is not given comes from the settings.
    """
    door = Gateway(backends or Backends(), ArscContext)
    graph = StateGraph(ArscState, context_schema=ArscContext, input_schema=ArscInput)
    graph.add_node("retriever", door.node(retriever))
    graph.add_node("grader", door.node(grader))
    graph.add_node("rewriter", door.node(rewriter))
    graph.add_node("generator", door.node(generator))

    graph.add_edge(START, "retriever")
    graph.add_edge("retriever", "grader")
    graph.add_conditional_edges(
        "grader",
        decide_to_generate_or_rewrite,
        {"generate": "generator", "rewrite_query": "rewriter", "end": END},
    )
    graph.add_conditional_edges("rewriter", after_rewriting, ["retriever", END])
    graph.add_edge("generator", END)
    return graph


graph = build().compile(name="arsc")
