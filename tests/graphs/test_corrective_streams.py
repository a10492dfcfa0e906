"""What a run streams: the answer's tokens once, its receipts, its steps."""

import asyncio

import pytest

from tests.graphs.corrective_kit import ANSWER, FROM_THE_WEB, QUESTION, Kit, rejecting

GIVEN = {"question": QUESTION}


def test_the_answer_is_streamed_once_and_nothing_else_is():
    kit = rejecting()
    parts = list(kit.graph.stream(GIVEN, stream_mode="messages"))
    assert "".join(str(message.text) for message, _ in parts) == FROM_THE_WEB
    assert {about["langgraph_node"] for _, about in parts} == {"generate"}


async def test_it_is_the_same_without_blocking():
    kit = rejecting(tools=True)
    parts = [part async for part in kit.graph.astream(GIVEN, stream_mode="messages")]
    assert "".join(str(message.text) for message, _ in parts) == FROM_THE_WEB
    assert {about["langgraph_node"] for _, about in parts} == {"generate"}


def test_every_call_is_told_when_it_starts_and_when_it_ends():
    events = list(rejecting().graph.stream(GIVEN, stream_mode="custom"))
    roles = ["checker", *["grader"] * 4, "generator", "rewriter", "search", "web"]
    for kind in ("call", "receipt"):
        told = [event["role"] for event in events if event["type"] == kind]
        assert sorted(told) == sorted(roles)
    receipts = [event for event in events if event["type"] == "receipt"]
    assert {receipt["outcome"] for receipt in receipts} == {"ok"}
    assert {receipt["node"] for receipt in receipts} == {
        "retrieve", "grade", "rewrite", "search_web", "generate", "check",
    }  # fmt: skip


def test_usage_sums_up_the_receipts_by_role():
    kit = Kit()
    events = list(kit.graph.stream(GIVEN, stream_mode=["custom", "values"]))
    out = events[-1][1]
    receipts = [event for mode, event in events if mode == "custom" and event["type"] == "receipt"]
    for role, usage in out["usage"].items():
        own = [receipt for receipt in receipts if receipt["role"] == role]
        assert usage["calls"] == len(own)
        assert usage["output_tokens"] == sum(receipt["output_tokens"] for receipt in own)
        assert usage["seconds"] == pytest.approx(sum(r["seconds"] for r in own), abs=1e-4)
    assert set(out["usage"]) == {"search", "grader", "generator", "checker"}
    assert out["usage"]["generator"]["output_tokens"] == len(ANSWER.split())


def test_updates_show_the_documents_and_one_grade_at_a_time():
    updates = list(Kit().graph.stream(GIVEN, stream_mode="updates"))
    by_node = [(node, update) for part in updates for node, update in part.items()]
    assert [d["id"] for d in dict(by_node)["retrieve"]["documents"]] == ["d1", "d2", "d3", "d4"]
    assert [len(update["grades"]) for node, update in by_node if node == "grade"] == [1] * 4


async def test_many_runs_at_the_same_time_do_not_mix():
    kit = Kit(
        generator=lambda prompt: f"Acme Ltd runs payroll for {prompt.split('<question>')[1][:9]}.",
    )
    kit.grader.delay = kit.generator.delay = 0.005
    questions = [f"office-{n:02} asks?" for n in range(40)]
    outs = await asyncio.gather(*[kit.graph.ainvoke({"question": q}) for q in questions])
    assert [out["question"] for out in outs] == questions
    assert [out["answer"][-10:-1] for out in outs] == [q[:9] for q in questions]
    assert all(len(out["grades"]) == 4 for out in outs)
