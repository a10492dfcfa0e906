"""The study graph's drawing, its parameters, and the fields that each node writes."""

import json
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from graphs import study
from tests.graphs.study_kit import COMPLEX, Kit, run, verdict
from tests.stubs import in_turn

EDGES = {
    ("__start__", "triage", None),
    ("triage", "reply_chitchat", "chitchat"),
    ("triage", "reply_refusal", "unsafe"),
    ("triage", "init_state", "study query"),
    ("reply_chitchat", "__end__", None),
    ("reply_refusal", "__end__", None),
    ("init_state", "router", None),
    ("router", "retrieve", None),
    ("retrieve", "normalize", None),
    ("normalize", "merge_pool", None),
    ("merge_pool", "rerank", None),
    ("rerank", "generate", "top_score >= 0.8"),
    ("rerank", "evaluator", "0.2 < score < 0.8"),
    ("rerank", "retry_check", "top_score <= 0.2"),
    ("evaluator", "generate", "correct"),
    ("evaluator", "retry_check", "ambiguous / incorrect"),
    ("retry_check", "router", "retries <= 2"),
    ("retry_check", "fallback", "retries > 2"),
    ("generate", "__end__", None),
    ("fallback", "__end__", None),
}
CONTRACTS = {
    "init_state": {"original_q", "sources_to_use", "retries", "pool", "ranked", "verdict"},
    "router": {"sources_to_use", "search_query", "tool_queries"},
    "retrieve": {"raw_results"},
    "normalize": {"new_chunks", "tried_sources"},
    "merge_pool": {"pool"},
    "rerank": {"ranked"},
    "evaluator": {"verdict", "likely_cause", "missing"},
    "retry_check": {"retries"},
    "generate": {"answer", "citations", "low_confidence"},
    "fallback": {"answer", "citations", "low_confidence"},
}
REPORTS = {
    "retrieve": {"sources"},
    "rerank": {"rerankings", "usage"},
    "evaluator": {"evaluations", "usage"},
    "retry_check": {"stop_reason"},
    "router": {"usage"},
    "generate": {"documents", "left_out", "invalid_citations", "status", "stop_reason", "usage"},
    "fallback": {"documents", "left_out", "invalid_citations", "status", "stop_reason", "usage"},
}


def test_the_drawing_has_the_documents_nodes_edges_and_labels() -> None:
    drawn = study.graph.get_graph()
    assert {(e.source, e.target, e.data) for e in drawn.edges} == EDGES
    assert set(drawn.nodes) == {name for source, target, _ in EDGES for name in (source, target)}


def written(kit: Kit, question: str = "What is osmosis?", **context: Any) -> dict[str, set[str]]:
    fields: dict[str, set[str]] = {}
    for part in kit.graph().stream({"question": question}, context=context, stream_mode="updates"):
        for node, update in part.items():
            fields.setdefault(node, set()).update(update)
    return fields


def test_each_node_writes_the_fields_of_its_contract_and_its_reports() -> None:
    replies = in_turn(verdict("ambiguous"), verdict("correct"))
    fields = written(Kit(triage=COMPLEX, score=0.5, evaluator=replies))
    fields |= {k: v for k, v in written(Kit(score=0.1)).items() if k == "fallback"}
    assert fields.keys() >= CONTRACTS.keys()
    for node, contract in CONTRACTS.items():
        assert contract <= fields[node], node
        extra = fields[node] - contract - {"sources", "usage"}
        assert extra <= REPORTS.get(node, set()), node


@pytest.mark.parametrize("question", ["Hi", "asdfgh"])
def test_the_short_paths_write_answer_citations_and_confidence(question: str) -> None:
    fields = written(Kit(), question)
    reply = fields[next(node for node in fields if node.startswith("reply"))]
    assert reply == {"answer", "citations", "low_confidence", "status", "stop_reason"}
    assert {"intent", "sub_questions", "reply"} <= fields["triage"]


def test_the_parameters_have_the_documents_defaults() -> None:
    defaults = study.Context().model_dump()
    documented = {
        "high_threshold": 0.8,
        "low_threshold": 0.2,
        "simple_threshold": 0.35,
        "keep_threshold": 0.5,
        "max_retries": 2,
        "top_k": 5,
        "retrieve_multiplier": 3,
        "final_context_n": 8,
        "pool_max": 50,
        "carry_max": 4,
        "triage_timeout_s": 15.0,
        "max_subqueries": 3,
        "llm_model": "ministral-8b-latest",
        "reranker_model": "jina-reranker-v2-base-multilingual",
    }
    assert documented.items() <= defaults.items()


@pytest.mark.parametrize(
    ("context", "said"),
    [
        ({"low_threshold": 0.8}, "low_threshold"),
        ({"low_threshold": 0.5, "simple_threshold": 0.5}, "simple_threshold"),
        ({"simple_threshold": 0.9}, "simple_threshold"),
        ({"final_context_n": 20, "pool_max": 10}, "final_context_n"),
        ({"top_k": 0}, "greater than or equal to 1"),
        ({"high_threshold": 1.5}, "less than or equal to 1"),
        ({"max_retry": 1}, "max_retries"),
        ({"allowed_sources": []}, "allowed_sources"),
        ({"allowed_sources": ["bing"]}, "allowed_sources"),
    ],
)
def test_parameters_that_cannot_hold_are_refused_by_name(
    context: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValidationError, match=said):
        Kit().graph().invoke({"question": "What is osmosis?"}, context=context)


def test_a_second_question_on_a_thread_starts_clean() -> None:
    kit = Kit(triage=COMPLEX, score=0.1)
    graph = kit.graph(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "one"}}
    first = graph.invoke({"question": "What is osmosis?"}, thread)
    second = graph.invoke({"question": "Thanks!"}, thread)
    assert first["sources"]
    assert first["usage"]["triage"]["calls"] == 1
    for empty in ("sources", "pool", "ranked", "rerankings", "citations", "documents", "usage"):
        assert not second[empty], empty
    assert (second["retries"], second["low_confidence"], second["verdict"]) == (0, False, None)


def test_usage_counts_one_run_alone() -> None:
    kit = Kit(triage=COMPLEX)
    graph = kit.graph(checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "one"}}
    for _ in range(3):
        out = graph.invoke({"question": "What is osmosis?"}, thread)
    calls = {role: usage["calls"] for role, usage in out["usage"].items()}
    assert calls == {
        "triage": 1,
        "search": 2,
        "wikipedia": 1,
        "arxiv": 1,
        "web": 1,
        "reranker": 1,
        "generator": 1,
    }


async def test_state_stays_plain_json() -> None:
    _, out = await run(Kit(triage=COMPLEX, score=0.5), "sync")
    assert json.loads(json.dumps(out)) == out
