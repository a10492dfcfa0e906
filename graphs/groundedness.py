"""Groundedness loop: grade the answer itself, then repair it or the search.

Retrieve, answer, grade the answer. Not grounded: write it again from the same documents without
the unsupported claims. Grounded but beside the question: rewrite the query, retrieve again, write
again. Stop when both checks pass, at a cap, or when a loop brings nothing new.
(Document 000, third part.)
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps

from backends import Backends
from backends.gateway import Gateway
from nodes.groundedness import accept, generate, give_up, grade_answer, retrieve, rewrite, start
from state.corrective import QuestionInput
from state.groundedness import GroundednessContext, GroundednessState

Context = GroundednessContext
_STEPS = {"regenerate": 3, "retrieve": 5}  # of a loop, the grade and the node that ends it included


class GroundednessRun(GroundednessState):
    """The state while it runs, with the steps that the caller's recursion limit leaves."""

    remaining_steps: RemainingSteps


def after_retrieval(state: GroundednessState) -> Literal["generate", "give_up"]:
    """Did the search bring documents?"""
    return "give_up" if state["stop_reason"] else "generate"


def after_generation(state: GroundednessState) -> Literal["grade", "give_up"]:
    """Is it an answer that was not graded before?"""
    return "give_up" if state["stop_reason"] else "grade"


def after_grading(
    state: GroundednessRun,
) -> Literal["accept", "generate", "rewrite", "give_up"]:
    """Is the answer grounded, does it answer, is there a loop left, and are there steps for it?"""
    loop = state["answer_grades"][-1]["loop"]
    if state["remaining_steps"] <= _STEPS.get(loop, 0):
        return "give_up"
    match loop:
        case "none":
            return "accept"
        case "regenerate":
            return "generate"
        case "retrieve":
            return "rewrite"
        case _:
            return "give_up"


def after_rewriting(state: GroundednessState) -> Literal["retrieve", "give_up"]:
    """Is it a query that was not tried before?"""
    return "give_up" if state["stop_reason"] else "retrieve"


def build(backends: Backends | None = None) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph; compile it with a checkpointer, a cache or interrupts of your own.

    Args:
        backends: Models and index; what is not given comes from the settings.
    """
    door = Gateway(backends or Backends(), GroundednessContext)
    graph = StateGraph(
        GroundednessRun,
        context_schema=GroundednessContext,
        input_schema=QuestionInput,
        output_schema=GroundednessState,
    )
    graph.add_node("start", door.node(start))
    graph.add_node("retrieve", door.node(retrieve))
    graph.add_node("generate", door.node(generate))
    graph.add_node("grade", door.node(grade_answer))
    graph.add_node("rewrite", door.node(rewrite))
    graph.add_node("accept", door.node(accept))
    graph.add_node("give_up", door.node(give_up))

    graph.add_edge(START, "start")
    graph.add_edge("start", "retrieve")
    graph.add_conditional_edges("retrieve", after_retrieval)
    graph.add_conditional_edges("generate", after_generation)
    graph.add_conditional_edges("grade", after_grading)
    graph.add_conditional_edges("rewrite", after_rewriting)
    graph.add_edge("accept", END)
    graph.add_edge("give_up", END)
    return graph


graph = build().compile(name="groundedness")
