"""The graders of ARSC and refusal through the real client, over a real socket."""

import json
from typing import Any

import pytest

from backends import Backends
from graphs import arsc, refusal
from tests.openai_server import OpenAIServer, said, tool_call
from tests.stubs import StubIndex, documents

QUESTION = "How often is a failed job retried?"
YES = {"document_id": "d1", "binary_score": "yes", "confidence": 0.9}
NO = {"document_id": "d2", "binary_score": "no", "confidence": 0.8}
SCORES = {"results": [YES, NO]}


def answering(grading: Any) -> Any:
    """Grade as planned, rewrite, and answer."""

    def answer(heard: Any) -> Any:
        if heard.prompt.startswith("You grade retrieved documents"):
            return grading
        if heard.prompt.startswith("A search of our documents"):
            return "backoff attempts"
        return "Three times [d1]."

    return answer


def build(server: OpenAIServer) -> Any:
    index = StubIndex(tuple(documents("d1", "d2")))
    backends = Backends(model=server.model(), index=index, settings=server.settings())
    return arsc.build(backends).compile()


async def test_the_list_is_graded_by_one_forced_tool_call_in_both_colours(
    openai_server: OpenAIServer,
) -> None:
    openai_server.answer = answering(SCORES)
    graph = build(openai_server)
    for out in (graph.invoke({"question": QUESTION}), await graph.ainvoke({"question": QUESTION})):
        assert [g["binary_score"] for g in out["gradings"]] == ["yes", "no"]
        assert out["generation"] == "Three times [d1]."
    assert openai_server.forms == ["tool_call", "text"] * 2
    choice = openai_server.heard[0].body["tool_choice"]
    assert choice == {"type": "function", "function": {"name": "GradingResults"}}
    tool = openai_server.heard[0].body["tools"][0]["function"]
    item = json.dumps(tool["parameters"])
    assert all(name in item for name in ("document_id", "binary_score", "confidence"))


@pytest.mark.parametrize(
    ("grading", "scores"),
    [
        (tool_call({"results": [YES]}), ["yes", "no"]),
        (tool_call({"results": [YES, {**YES, "document_id": "made-up"}]}), ["yes", "no"]),
        (tool_call({"results": [YES, {**YES, "binary_score": "no"}]}), ["no", "no"]),
        (tool_call({"results": [{**YES, "confidence": 90}]}), ["no", "no"]),
        (tool_call('{"results": [{"document_id": "d1", "binary_sc'), ["no", "no"]),
        (tool_call("not JSON"), ["no", "no"]),
        (said(f"```json\n{json.dumps(SCORES)}\n```"), ["yes", "no"]),
        (said(json.dumps([YES, NO])), ["yes", "no"]),
        (said("d1 looks fine to me."), ["no", "no"]),
        (said(""), ["no", "no"]),
        (said(None), ["no", "no"]),
    ],
)
def test_what_the_grader_gets_wrong_is_a_no(
    openai_server: OpenAIServer, grading: Any, scores: list[str]
) -> None:
    openai_server.answer = answering(grading)
    out = build(openai_server).invoke({"question": QUESTION, "max_iterations": 1})
    assert [g["binary_score"] for g in out["gradings"]] == scores
    assert bool(out["generation"]) is ("yes" in scores)


def test_an_endpoint_without_tools_grades_in_words_and_is_not_asked_for_them_again(
    openai_server: OpenAIServer,
) -> None:
    openai_server.answer = answering(SCORES)
    openai_server.refuse("tool_call", "json_schema", "json_mode")
    graph = build(openai_server)
    assert graph.invoke({"question": QUESTION})["status"] == "answered"
    assert graph.invoke({"question": QUESTION})["status"] == "answered"
    assert openai_server.forms.count("tool_call") == 1


async def test_verdicts_on_passages_come_through_the_ladder(openai_server: OpenAIServer) -> None:
    def answer(heard: Any) -> Any:
        if heard.prompt.startswith("Decide whether a passage"):
            return {"verdict": "relevant" if "of d1" in heard.prompt else "irrelevant", "why": "w"}
        return "Three times [d1]. And then [d2]."

    openai_server.answer = answer
    openai_server.refuse("json_schema")
    index = StubIndex(tuple(documents("d1", "d2")))
    backends = Backends(model=openai_server.model(), index=index, settings=openai_server.settings())
    out = await refusal.build(backends).compile().ainvoke({"question": QUESTION})
    assert [v["verdict"] for v in out["verdicts"]] == ["relevant", "irrelevant"]
    assert (out["status"], out["answer"]) == ("answered", "Three times [d1]. And then.")
    assert "tool_call" in openai_server.forms
