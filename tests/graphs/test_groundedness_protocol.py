"""The groundedness graph through the real client, both colours, and its window."""

import json

import pytest

from backends import Backends, Settings
from graphs import groundedness
from tests.stubs import StubIndex, document, documents

QUESTION = "Who runs payroll?"
BESIDE = {"grounded": True, "answers_question": False, "unsupported_claims": []}
PASS = {"grounded": True, "answers_question": True, "unsupported_claims": []}


def build(server, index=None, **settings):
    index = index or StubIndex(lambda query: documents(f"d{len(query)}"))
    settings = Settings(_env_file=None, **settings)
    return groundedness.build(Backends(model=server.model(), index=index, settings=settings))


def answering(grades):
    """Answer each prompt of the graph; the grades come in turn."""
    left = list(grades)

    def answer(heard):
        if heard.prompt.startswith("Grade an answer"):
            return left.pop(0) if len(left) > 1 else left[0]
        if heard.prompt.startswith("The answer below"):
            return '"payroll vendor contract"'
        return "Acme runs payroll."

    return answer


async def test_the_loop_runs_alike_in_both_colours(openai_server):
    openai_server.answer = answering([BESIDE, PASS])
    graph = build(openai_server).compile()
    sync = graph.invoke({"question": QUESTION})
    openai_server.answer = answering([BESIDE, PASS])
    coloured = await graph.ainvoke({"question": QUESTION})
    for out in (sync, coloured):
        assert out["status"] == "answered"
        assert [s["query"] for s in out["searches"]] == [QUESTION, "payroll vendor contract"]
        del out["usage"]
    assert sync == coloured
    assert json.loads(json.dumps(sync)) == sync


@pytest.mark.parametrize(
    "refused", [(), ("json_schema",), ("json_schema", "tool_call", "json_mode")]
)
def test_the_grade_is_read_in_whatever_form_the_endpoint_takes(openai_server, refused):
    openai_server.refuse(*refused)
    openai_server.answer = answering([PASS])
    assert build(openai_server).compile().invoke({"question": QUESTION})["status"] == "answered"


def test_documents_that_do_not_fit_the_graders_window_are_left_out_and_named(openai_server):
    openai_server.answer = answering([PASS])
    index = StubIndex((document("d1", "Acme runs payroll."), document("d2", "word " * 9000)))
    graph = build(openai_server, index, context_window=8192).compile()
    out = graph.invoke({"question": QUESTION})
    assert [left["id"] for left in out["left_out"]] == ["d2"]
    assert out["left_out"][0]["kept_tokens"] < 9000
