"""Ask one role through the whole gateway, as a node of a graph does."""

from collections.abc import Generator
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from backends import Backends
from backends.gateway import Gateway
from nodes.calls import Call, ask, ask_json
from prompts import load
from state.context import Context
from state.outcome import Usage
from state.reducers import add_usage
from state.verdicts import DocumentGrade

Body = Generator[Call, Any, Any]


class AskedState(TypedDict, total=False):
    """What the one node returns."""

    question: str
    reply: Any
    usage: Annotated[Usage, add_usage]


def asking(backends: Backends, *bodies: Any) -> Any:
    """Compile a graph whose nodes are these bodies, one after the other.

    A body is a function of the state and the context, like every node's.
    """
    door = Gateway(backends, Context)
    graph = StateGraph(AskedState, context_schema=Context)
    names = [f"node{i}" for i in range(len(bodies))]
    for name, body in zip(names, bodies, strict=True):
        graph.add_node(name, door.node(body))
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph.compile()


def returning(steps: Any) -> Any:
    """Make a node body that returns what these steps return, under ``reply``.

    Args:
        steps: A function without arguments that starts the generator of calls.
    """

    def body(state: AskedState, context: object) -> Body:
        reply = yield from steps()
        return {"reply": reply}

    return body


def grade(document: str = "Sirius is bright.") -> Any:
    """Ask the grader for one verdict."""
    return ask_json(
        "grader",
        load("document_grader"),
        DocumentGrade,
        question="What is bright?",
        doc={"id": "d1", "content": document, "metadata": {}},
    )


def answer(question: str = "What is bright?") -> Any:
    """Ask the generator for text."""
    return ask("generator", load("answer"), question=question, docs=[])


async def run(colour: str, backends: Backends, steps: Any = grade) -> dict[str, Any]:
    """Run one ask in a colour, ``sync`` or ``async``, and return the graph's output."""
    graph = asking(backends, returning(steps))
    if colour == "async":
        return await graph.ainvoke({"question": "q"})
    return graph.invoke({"question": "q"})
