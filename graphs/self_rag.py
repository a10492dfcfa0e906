"""Self-RAG: one model decides when to retrieve, and judges passages and its own segments.

Ask for the next segment; when the model wants a document, retrieve and write a candidate per
passage; score each by the reflection tokens that the model emits and append the best one. Stop
when it ends its answer, or after some segments.
(Document 000, second part; Asai et al. 2023, arXiv:2310.11511.)
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps
from langgraph.types import Send

from backends import Backends
from backends.gateway import Gateway
from nodes.self_rag import (
    decide,
    finish,
    lanes,
    places_that_retrieve,
    places_with_passages,
    propose,
    retrieve,
    select,
    start,
    write,
)
from state.corrective import QuestionInput
from state.self_rag import ProposalTask, SelfRagContext, SelfRagState, Writing, WritingTask

Context = SelfRagContext
_STEPS_OF_A_SEGMENT = 6  # propose, decide, retrieve, write, select, and the node that ends the run


class SelfRagRun(SelfRagState):
    """The state while it runs, with the steps that the caller's recursion limit leaves."""

    remaining_steps: RemainingSteps


def each_path(state: SelfRagRun, context: SelfRagContext) -> list[Send] | Literal["finish"]:
    """Continue every path that has not ended; is there any, and a segment left?"""
    going = [path for path in state["paths"] if not path["end"]]
    steps_left = not state["step"] or state["remaining_steps"] > _STEPS_OF_A_SEGMENT
    if state["step"] >= context.max_segments or not steps_left:
        return "finish"
    tasks = [
        ProposalTask(question=state["question"], step=state["step"], paths=lane)
        for lane in lanes(going, context.max_concurrency)
    ]
    return [Send("propose", task) for task in tasks] or "finish"


def after_decision(
    state: SelfRagState, context: SelfRagContext
) -> list[Send] | Literal["retrieve", "select"]:
    """Does a path want new passages, or are there passages to reuse?"""
    return "retrieve" if places_that_retrieve(state) else each_passage(state, context)


def each_passage(state: SelfRagState, context: SelfRagContext) -> list[Send] | Literal["select"]:
    """Write a candidate for every passage of every path that wants them; is there any?"""
    wanting = places_with_passages(state)
    passages = {passage["id"]: passage for passage in state["passages"]}
    writings = [
        Writing(path=path, rank=rank, passage=passages[identifier])
        for path in state["paths"]
        if path["place"] in wanting
        for rank, identifier in enumerate(path["passages"])
    ]
    tasks = [
        WritingTask(question=state["question"], step=state["step"], writings=lane)
        for lane in lanes(writings, context.max_concurrency)
    ]
    return [Send("write", task) for task in tasks] or "select"


def build(backends: Backends | None = None) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph; compile it with a checkpointer, a cache or interrupts of your own.

    Args:
        backends: The model (role ``generator``) and the index; what is not given comes from
            the settings.
    """
    door = Gateway(backends or Backends(), SelfRagContext)
    graph = StateGraph(
        SelfRagRun,
        context_schema=SelfRagContext,
        input_schema=QuestionInput,
        output_schema=SelfRagState,
    )
    graph.add_node("start", door.node(start))
    graph.add_node("propose", door.node(propose))
    graph.add_node("decide", door.node(decide))
    graph.add_node("retrieve", door.node(retrieve))
    graph.add_node("write", door.node(write))
    graph.add_node("select", door.node(select))
    graph.add_node("finish", door.node(finish))

    graph.add_edge(START, "start")
    graph.add_conditional_edges("start", door.route(each_path), ["propose"])
    graph.add_edge("propose", "decide")
    graph.add_conditional_edges(
        "decide", door.route(after_decision), ["retrieve", "write", "select"]
    )
    graph.add_conditional_edges("retrieve", door.route(each_passage), ["write", "select"])
    graph.add_edge("write", "select")
    graph.add_conditional_edges("select", door.route(each_path), ["propose", "finish"])
    graph.add_edge("finish", END)
    return graph


graph = build().compile(name="self_rag")
