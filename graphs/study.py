"""The study pipeline: triage, route, pool, rerank, evaluate, retry, answer or fall back.

Small talk and out-of-bounds questions end at once. A study question goes through retrieval and
reranking; its top score decides whether to answer, to let a judge look, or to search again.
(Document 003.)
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.managed import RemainingSteps

from backends import Backends
from backends.gateway import Gateway
from nodes.study.evaluator import evaluator
from nodes.study.fallback import fallback
from nodes.study.generate import generate
from nodes.study.init_state import init_state
from nodes.study.merge_pool import merge_pool
from nodes.study.normalize import normalize
from nodes.study.rerank import rerank
from nodes.study.retrieve import every_source_failed, retrieve
from nodes.study.retry_check import retry_check
from nodes.study.router import router
from nodes.study.short_replies import reply_chitchat, reply_refusal
from nodes.study.triage import triage
from state.corrective import QuestionInput
from state.study import StudyContext, StudyState, top_score

Context = StudyContext
_STEPS_OF_ONE_MORE = 8  # a whole pass, and the fallback that ends the run


class StudyRun(StudyState):
    """The state while it runs, with the steps that the caller's recursion limit leaves."""

    remaining_steps: RemainingSteps


def triage_gate(
    state: StudyState, context: StudyContext
) -> Literal["chitchat", "unsafe", "study query"]:
    """Is it small talk, out of bounds, or a study question?"""
    if state["intent"] == "chitchat" or state["intent"] == "unsafe":
        return state["intent"]
    return "study query"


def score_gate(
    state: StudyState, context: StudyContext
) -> Literal["top_score >= 0.8", "0.2 < score < 0.8", "top_score <= 0.2"]:
    """Is the best chunk good enough, hopeless, or in between?

    The labels name the defaults for a complex question. A simple one has a single threshold:
    over it the answer is written, at it or under it the search is repeated.
    """
    best = top_score(state)
    if state["intent"] == "simple":
        good = best > context.simple_threshold
        return "top_score >= 0.8" if good else "top_score <= 0.2"
    if best >= context.high_threshold:
        return "top_score >= 0.8"
    return "0.2 < score < 0.8" if best > context.low_threshold else "top_score <= 0.2"


def evaluator_gate(
    state: StudyState, context: StudyContext
) -> Literal["correct", "ambiguous / incorrect"]:
    """Does the judge find the evidence sufficient?"""
    return "correct" if state["verdict"] == "correct" else "ambiguous / incorrect"


def retry_check_gate(
    state: StudyRun, context: StudyContext
) -> Literal["retries <= 2", "retries > 2"]:
    """Is there a pass left, a source that can be searched, and steps to do it in?"""
    if state["retries"] > context.max_retries or every_source_failed(state, context):
        return "retries > 2"
    return "retries <= 2" if state["remaining_steps"] > _STEPS_OF_ONE_MORE else "retries > 2"


_NODES = (
    triage,
    reply_chitchat,
    reply_refusal,
    init_state,
    router,
    retrieve,
    normalize,
    merge_pool,
    rerank,
    evaluator,
    retry_check,
    generate,
    fallback,
)


def build(backends: Backends | None = None) -> StateGraph[Any, Any, Any, Any]:
    """Build the graph; compile it with a checkpointer, a cache or interrupts of your own.

    Args:
        backends: Models, sources and reranker; what is not given comes from the settings.
    """
    door = Gateway(backends or Backends(), StudyContext)
    graph = StateGraph(
        StudyRun,
        context_schema=StudyContext,
        input_schema=QuestionInput,
        output_schema=StudyState,
    )
    for body in _NODES:
        graph.add_node(body.__name__, door.node(body))
    graph.add_edge(START, "triage")
    graph.add_edge("reply_chitchat", END)
    graph.add_edge("reply_refusal", END)
    graph.add_edge("init_state", "router")
    graph.add_edge("router", "retrieve")
    graph.add_edge("retrieve", "normalize")
    graph.add_edge("normalize", "merge_pool")
    graph.add_edge("merge_pool", "rerank")
    graph.add_edge("generate", END)
    graph.add_edge("fallback", END)
    _add_gates(graph, door)
    return graph


def _add_gates(graph: StateGraph[Any, Any, Any, Any], door: Gateway) -> None:
    """Add the four gates, each label with the node that it leads to."""
    graph.add_conditional_edges(
        "triage",
        door.route(triage_gate),
        {"chitchat": "reply_chitchat", "unsafe": "reply_refusal", "study query": "init_state"},
    )
    graph.add_conditional_edges(
        "rerank",
        door.route(score_gate),
        {
            "top_score >= 0.8": "generate",
            "0.2 < score < 0.8": "evaluator",
            "top_score <= 0.2": "retry_check",
        },
    )
    graph.add_conditional_edges(
        "evaluator",
        door.route(evaluator_gate),
        {"correct": "generate", "ambiguous / incorrect": "retry_check"},
    )
    graph.add_conditional_edges(
        "retry_check",
        door.route(retry_check_gate),
        {"retries <= 2": "router", "retries > 2": "fallback"},
    )


graph = build().compile(name="study")
