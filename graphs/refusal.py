"""Grade or refuse: answer from the passages that survive grading, or not at all.

Retrieve, grade each passage on its own, discard the failures, answer from the survivors with
a citation for each claim; when nothing was retrieved or nothing survives, refuse.
(Document 002.)
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from backends import Backends
from backends.gateway import Gateway
from nodes.refusal import answer, discard, grade_passage, refuse, start_refusal
from nodes.retriever import retrieve
from state.corrective import QuestionInput
from state.refusal import PassageTask, RefusalContext, RefusalState

Context = RefusalContext


def each_passage(state: RefusalState) -> list[Send] | Literal["refuse"]:
    """Send each passage to a grader of its own; is there any?"""
    tasks = [
        Send("grade", PassageTask(question=state["question"], document=document))
        for document in state["documents"]
    ]
    return tasks or "refuse"


def after_discarding(state: RefusalState) -> Literal["answer", "refuse"]:
    """Did a passage survive?"""
    return "answer" if state["documents"] else "refuse"


def build(backends: Backends | None = None) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph; compile it with a checkpointer, a cache or interrupts of your own.

    Args:
        backends: Models and index; what is not given comes from the settings.
    """
    door = Gateway(backends or Backends(), RefusalContext)
    graph = StateGraph(RefusalState, context_schema=RefusalContext, input_schema=QuestionInput)
    graph.add_node("start", door.node(start_refusal))
    graph.add_node("retrieve", door.node(retrieve))
    graph.add_node("grade", door.node(grade_passage))
    graph.add_node("discard", door.node(discard))
    graph.add_node("answer", door.node(answer))
    graph.add_node("refuse", door.node(refuse))

    graph.add_edge(START, "start")
    graph.add_edge("start", "retrieve")
    graph.add_conditional_edges("retrieve", each_passage, ["grade", "refuse"])
    graph.add_edge("grade", "discard")
    graph.add_conditional_edges("discard", after_discarding)
    graph.add_edge("answer", END)
    graph.add_edge("refuse", END)
    return graph


graph = build().compile(name="refusal")
