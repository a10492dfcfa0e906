"""The router, driven by hand: what it does with what a model gives it."""

from typing import Any

import pytest

from nodes.calls import Ask, Text, ToolChoice
from nodes.study.router import router
from state.errors import ModelUnavailable
from state.study import StudyContext

QUESTION = "What is osmosis in a plant cell?"


def state(**given: Any) -> Any:
    return {
        "original_q": QUESTION,
        "intent": "simple",
        "sub_questions": [],
        "sources_to_use": ["curated"],
        "retries": 0,
        "sources": [],
        "missing": "",
        **given,
    }


def drive(given: Any, reply: Any = None, **context: Any) -> tuple[list[Ask], dict[str, Any]]:
    steps = router(given, StudyContext(**context))
    asked: list[Ask] = []
    try:
        call: Any = next(steps)
        while True:
            asked.append(call)
            call = steps.throw(reply) if isinstance(reply, Exception) else steps.send(reply)
    except StopIteration as done:
        return asked, done.value


def test_tools_are_offered_by_name_and_only_those_that_are_allowed() -> None:
    (ask,), _ = drive(state(), [])
    assert [tool.__name__ for tool in ask.tools] == [
        "search_curated",
        "search_wikipedia",
        "search_arxiv",
        "search_web",
    ]
    (ask,), _ = drive(state(), [], allowed_sources=["curated", "web"])
    assert [tool.__name__ for tool in ask.tools] == ["search_curated", "search_web"]


@pytest.mark.parametrize(
    ("choices", "queries"),
    [
        ([], {"curated": [QUESTION]}),
        ([ToolChoice("search_google", {"query": "x"})], {"curated": [QUESTION]}),
        ([ToolChoice("search_web", {"query": " cells "})], {"web": ["cells"]}),
        ([ToolChoice("search_web", {})], {"web": [QUESTION]}),
        ([ToolChoice("search_web", {"query": None})], {"web": [QUESTION]}),
        (
            [ToolChoice("search_web", {"query": q}) for q in ("a", "b", "a")],
            {"web": ["a", "b"]},
        ),
        (
            [
                ToolChoice("search_web", {"query": "w"}),
                ToolChoice("search_curated", {"query": "c"}),
            ],
            {"curated": ["c"], "web": ["w"]},
        ),
        ([ToolChoice("search_web", {"query": "x" * 999})], {"web": ["x" * 400]}),
        (ModelUnavailable("down"), {"curated": [QUESTION]}),
    ],
)
def test_choices_are_read_whatever_the_model_does(choices: Any, queries: Any) -> None:
    _, update = drive(state(), choices)
    assert update["tool_queries"] == queries
    assert update["sources_to_use"] == list(queries)


def test_a_complex_question_asks_no_model() -> None:
    asked, update = drive(state(intent="complex", sub_questions=["What is osmosis?"]))
    assert asked == []
    assert update["tool_queries"] == {
        "curated": ["What is osmosis?"],
        "wikipedia": ["osmosis plant cell"],
        "arxiv": ["osmosis plant cell"],
        "web": [QUESTION],
    }


def retried(**given: Any) -> Any:
    report = {"query": "osmosis plant cell"}
    return state(
        intent="complex",
        retries=1,
        missing="turgor pressure",
        sources=[report],
        sources_to_use=["wikipedia", "web"],
        **given,
    )


def test_a_retry_asks_the_rewriter_with_what_is_missing_and_what_was_tried() -> None:
    (ask,), update = drive(retried(), Text('Query: "turgor pressure osmosis"', "stub"))
    assert ask.fields["missing"] == "turgor pressure"
    assert ask.fields["tried"] == ["osmosis plant cell"]
    assert update["tool_queries"] == {
        "wikipedia": ["turgor pressure osmosis"],
        "web": ["turgor pressure osmosis"],
    }


@pytest.mark.parametrize(
    "reply",
    [
        Text("", "stub"),
        Text("Osmosis  PLANT cell", "stub"),
        ModelUnavailable("down"),
    ],
)
def test_a_rewriter_that_gives_nothing_new_leaves_keywords_of_what_is_missing(reply: Any) -> None:
    _, update = drive(retried(), reply)
    assert update["search_query"] == "osmosis plant cell turgor pressure"


def test_a_simple_questions_first_retry_takes_keywords_to_all_sources_without_a_model() -> None:
    asked, update = drive(state(retries=1))
    assert asked == []
    assert set(update["tool_queries"]) == {"curated", "wikipedia", "arxiv", "web"}
    assert update["search_query"] == "osmosis plant cell"
