"""The triage node, driven by hand, and how its model's reply is read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.calls import Ask, Text
from nodes.study.language import language_of
from nodes.study.triage import read_triage, triage
from state.errors import ModelRejected, ModelUnavailable
from state.study import StudyContext

QUESTION = "How do osmosis and diffusion differ?"


def drive(reply: Any, question: str = QUESTION, **context: Any) -> dict[str, Any]:
    """Answer the node's one call, or check that it makes none."""
    steps = triage({"question": question}, StudyContext(**context))  # type: ignore[typeddict-item]
    try:
        call = next(steps)
        assert isinstance(call, Ask)
        assert (call.role, call.seconds) == ("triage", StudyContext(**context).triage_timeout_s)
        if isinstance(reply, Exception):
            steps.throw(reply)
        else:
            steps.send(Text(reply, "stub"))
    except StopIteration as done:
        update: dict[str, Any] = done.value
        return update
    raise AssertionError("The triage makes one call.")


def test_a_complex_question_brings_its_sub_questions() -> None:
    update = drive("INTENT: complex\nSUB: What is osmosis?\nSUB: What is diffusion?")
    assert update["intent"] == "complex"
    assert update["sub_questions"] == ["What is osmosis?", "What is diffusion?"]
    assert update["reply"] is None
    assert update["triage_tier"] == 1


def test_sub_questions_are_capped() -> None:
    lines = "\n".join(f"SUB: Question {n}?" for n in range(9))
    assert len(drive(f"INTENT: complex\n{lines}")["sub_questions"]) == 3
    assert len(drive(f"INTENT: complex\n{lines}", max_subqueries=1)["sub_questions"]) == 1


def test_a_complex_question_that_was_not_split_stands_for_itself() -> None:
    assert drive("INTENT: complex")["sub_questions"] == [QUESTION]


@pytest.mark.parametrize("intent", ["simple", "chitchat", "unsafe"])
def test_only_complex_questions_have_sub_questions(intent: str) -> None:
    assert drive(f"INTENT: {intent}\nSUB: What is osmosis?")["sub_questions"] == []


def test_rules_decide_without_a_call() -> None:
    update = drive(AssertionError("no call"), "Hello!")
    assert (update["intent"], update["triage_tier"]) == ("chitchat", 0)
    assert update["reply"]


@pytest.mark.parametrize(
    "reply",
    [ModelUnavailable("no reply in time"), "", "I cannot say.", "INTENT: simple or complex"],
)
def test_whatever_goes_wrong_takes_the_complex_path(reply: Any) -> None:
    update = drive(reply)
    assert (update["intent"], update["sub_questions"]) == ("complex", [QUESTION])


def test_a_wrong_key_is_an_error_and_no_class() -> None:
    with pytest.raises(ModelRejected):
        drive(ModelRejected("wrong key"))


@pytest.mark.parametrize(
    ("reply", "intent"),
    [
        ("simple", "simple"),
        ("**INTENT:** Simple.", "simple"),
        ("intent = complex", "complex"),
        ("Intent - `unsafe`\nTopic: Politics", "unsafe"),
        ("```\nINTENT: chitchat\n```", "chitchat"),
        ("CLASS: complex\n1. What is osmosis?\n2. What is diffusion?", "complex"),
        ("INTENT: unsafe\nINTENT: simple", None),
        ("This is not unsafe, it is simple.", None),
        ('{"intent": "simple"}', "simple"),
    ],
)
def test_replies_are_read_in_the_forms_that_models_give(reply: str, intent: str | None) -> None:
    found = read_triage(reply, QUESTION, 3)
    assert (found.intent if found else None) == intent


def test_numbered_and_labelled_sub_questions_are_read() -> None:
    for reply in (
        "INTENT: complex\n1. What is osmosis?\n2) What is diffusion?",
        "INTENT: complex\nSUB 1: What is osmosis?\n**SUB 2:** What is diffusion?",
        "INTENT: complex\nSUB_QUESTIONS:\n- What is osmosis?\n- What is diffusion?",
    ):
        found = read_triage(reply, QUESTION, 3)
        assert found is not None
        assert found.sub_questions == ("What is osmosis?", "What is diffusion?")


@given(st.text(max_size=300))
def test_any_reply_can_be_read(reply: str) -> None:
    found = read_triage(reply, QUESTION, 3)
    assert found is None or len(found.sub_questions) <= 3


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What is osmosis?", "en"),
        ("ما هي الأسموزية؟", "ar"),
        ("What does كتاب mean in English?", "en"),
        ("ما معنى osmosis؟", "ar"),
        ("اسمز چیست؟", "en"),
        ("Was ist Osmose?", "en"),
        ("浸透とは", "en"),
        ("42", "en"),
    ],
)
def test_the_language_is_that_of_most_letters(text: str, language: str) -> None:
    assert language_of(text) == language


def test_a_setting_overrides_the_language() -> None:
    assert language_of("What is osmosis?", "ar") == "ar"
