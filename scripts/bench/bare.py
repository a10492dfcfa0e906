"""The corrective graph's topology in bare LangGraph: the floor, with no gateway of ours.

The same nodes and edges, the same prompts to the same model, one ``json.loads`` a verdict;
no limits, time-outs, retries, receipts, citations or checks of what comes back.
"""

import json
import operator
from collections.abc import Callable
from typing import Annotated, Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from typing_extensions import TypedDict

from prompts import load
from scripts.bench.model import Sleeper, aask, ask

DOCUMENTS: list[Any] = [
    {"id": f"d{n}", "content": text, "metadata": {"source": f"{n}.md"}}
    for n, text in enumerate(
        (
            "Acme runs payroll for all offices.",
            "Payroll is paid on the 25th.",
            "The vendor of payroll is Acme.",
            "Acme has run payroll since 2019.",
        ),
        1,
    )
]
QUESTION = "Who runs payroll?"


class BareState(TypedDict, total=False):
    """What flows."""

    question: str
    documents: list[Any]
    grades: Annotated[list[Any], operator.add]
    draft: str
    check: Any
    answer: str


def build(model: Sleeper, *, one_by_one: bool = False, colour: str = "invoke") -> Any:
    """Compile the topology around a model.

    Args:
        model: Plays every role.
        one_by_one: Grade the documents one after the other, in one node.
        colour: ``invoke`` or ``ainvoke``: plain functions are the cheapest nodes there are,
            and each serves one colour well.
    """
    asks = _aasks if colour == "ainvoke" else _asks
    graph = StateGraph(BareState)
    graph.add_node("start", lambda state: {"answer": ""})
    graph.add_node("retrieve", lambda state: {"documents": DOCUMENTS})
    graph.add_node("grade", _in_turn(model) if one_by_one else asks(model, _GRADE))
    graph.add_node("select", lambda state: {"documents": state["documents"]})
    graph.add_node("rewrite", lambda state: {})
    graph.add_node("generate", asks(model, _WRITE))
    graph.add_node("check", asks(model, _CHECK))
    graph.add_node("accept", lambda state: {"answer": state["draft"]})
    graph.add_edge(START, "start")
    graph.add_edge("start", "retrieve")
    if one_by_one:
        graph.add_edge("retrieve", "grade")
    else:
        graph.add_conditional_edges("retrieve", _each_document, ["grade"])
    graph.add_edge("grade", "select")
    graph.add_conditional_edges("select", _after_selection, ["generate", "rewrite"])
    graph.add_edge("rewrite", "generate")
    graph.add_conditional_edges("generate", lambda state: "check", ["check"])
    graph.add_conditional_edges("check", _after_check, ["accept", "generate"])
    graph.add_edge("accept", END)
    return graph.compile()


Asking = tuple[Callable[[Any], str], Callable[[str], Any]]


def _grading(state: Any, document: Any) -> str:
    return load("document_grader").render({"question": state["question"], "doc": document})


_GRADE: Asking = (
    lambda state: _grading(state, state["document"]),
    lambda reply: {"grades": [json.loads(reply)]},
)
_WRITE: Asking = (
    lambda state: load("answer").render(
        {
            "question": state["question"],
            "docs": state["documents"],
            "draft": "",
            "unsupported_claims": [],
            "earlier_drafts": 0,
        }
    ),
    lambda reply: {"draft": reply},
)
_CHECK: Asking = (
    lambda state: load("answer_check").render(
        {"docs": state["documents"], "answer": state["draft"]}
    ),
    lambda reply: {"check": json.loads(reply)},
)


def _asks(model: Sleeper, asking: Asking) -> Any:
    render, read = asking
    return lambda state: read(ask(model, render(state)))


def _aasks(model: Sleeper, asking: Asking) -> Any:
    render, read = asking

    async def run(state: Any) -> Any:
        return read(await aask(model, render(state)))

    return run


def _in_turn(model: Sleeper) -> Any:
    def run(state: Any) -> Any:
        replies = [ask(model, _grading(state, document)) for document in state["documents"]]
        return {"grades": [json.loads(reply) for reply in replies]}

    return run


def _each_document(state: Any) -> list[Send]:
    return [
        Send("grade", {"question": state["question"], "document": d}) for d in state["documents"]
    ]


def _after_selection(state: Any) -> str:
    return "generate" if any(grade["relevant"] for grade in state["grades"]) else "rewrite"


def _after_check(state: Any) -> str:
    return "accept" if state["check"]["supported"] else "generate"
