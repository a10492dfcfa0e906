"""Verdicts are read in whatever form a model writes them, and never out of thin air."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from backends.objects import objects_in
from backends.replies import (
    is_cut,
    raw_of,
    read_message,
    read_object,
    read_text,
    strip_thinking,
    text_of,
    tokens_of,
    tool_choices,
)
from state.verdicts import AnswerCheck, DocumentGrade

YES = '{"relevant": true, "reason": "It says so."}'


def relevant(text: str) -> bool | None:
    verdict = read_text(text, DocumentGrade)
    return None if verdict is None else verdict.relevant


READ = [
    YES,
    f"```json\n{YES}\n```",
    f"```\n{YES}\n```",
    f"Here is my verdict:\n{YES}\nI hope it helps.",
    f"<think>It might be {{'relevant': False}} or {{}}…</think>\n{YES}",
    f'It could be no: {{"relevant": false}}\n</think>\n\n{YES}',
    f"<think>\n</think>{YES}",
    f'[THINK]\nHm, {{"relevant": false}}.\n[/THINK]\n{YES}',
    f'Sure. <reasoning>{{"relevant": false}}</reasoning> {YES}',
    '{"grade": {"relevant": "yes"}}',
    '{"grade": {"relevant": "yes"}, "confidence": 0.9}',
    '{"name": "DocumentGrade", "arguments": {"relevant": true}}',
    '{"name": "DocumentGrade", "arguments": "{\\"relevant\\": true}"}',
    '<tool_call>{"name": "DocumentGrade", "arguments": {"relevant": true}}</tool_call>',
    '{"properties": {"relevant": true, "reason": "x"}, "type": "object"}',
    '[{"relevant": true}]',
    '{"relevant": true, "binary_score": "no", "content": "…"}',
    "{'relevant': True, 'reason': \"It's in the text.\"}",
    "The set {1;2;3} aside: {'relevant': True}",
    "Given {x} and {y z}: " + YES,
    "{" + YES + "}",
    '{"relevant": "Yes."}',
    '{"relevant": "YES"}',
    '{"relevant": "Yes, relevant"}',
    '{"relevant": "**yes**"}',
    '{"relevant": "はい"}',
    '{"relevant": "ja"}',
    '{"relevant": "是"}',
    '{"relevant": "نعم"}',
    '{"relevant": 1}',
    '{\n  "relevant": true,\n  "reason": "two\nlines"\n}',
    '{"relevant": true, "reason": "It explains the <think> tag."}',
    '{"relevant": true, "reason": "It closes with </think>."}',
    YES + "\n" + YES,
    '{"relevant": true, "reason": "one"}\n{"relevant": true, "reason": "another"}',
    '\ufeff{"relevant": true}',
]


@pytest.mark.parametrize("reply", READ)
def test_a_verdict_is_read(reply: str) -> None:
    assert relevant(reply) is True


NO = [
    "No.",
    "no - off topic",
    "**no**",
    "No, the document is about cooking",
    "いいえ",
    "nein",
    "لا",
]


@pytest.mark.parametrize("word", NO)
def test_no_is_read_in_a_value(word: str) -> None:
    assert relevant(json.dumps({"relevant": word})) is False


UNREAD = [
    "",
    "No.",
    "Yes, relevant",
    '"no"',
    "true",
    "null",
    "{}",
    "[]",
    "I cannot judge that.",
    '{"relevant": null}',
    '{"relevant": "perhaps"}',
    '{"relevant": "true|false"}',
    '{"relevant": 0.7}',
    '{"relevant": []}',
    '{"relevant": {"type": "boolean"}}',
    '{"binary_score": "yes"}',
    '{"relevant": true',
    '{"relevant": true, "reason": "It sta',
    '{"relevant": true, "evidence": {"relevant": false}, "reas',
    '{"evidence": {"relevant": true}, "relevant": fal',
    '{"evidence": {"relevant": true}, "relevant": maybe, "x": "}"}',
    '{"relevant": true, "relevant": false}',
    YES + '\n{"relevant": false}',
    YES + '\nOn second thought: {"relevant": fal',
    "<think>" + YES,
    "<think>It never ends " + YES,
    '{"a": {"relevant": true}, "b": {"relevant": false}}',
    '{"type": "object", "properties": {"relevant": {"type": "boolean"}}}',
    "{{{{{{",
    '{"a":' * 100_000,
    "{" * 100_000,
    "{'a':" * 5_000,
    "NaN",
    '{"relevant": NaN}',
]


@pytest.mark.parametrize("reply", UNREAD)
def test_what_is_no_plain_verdict_is_not_read(reply: str) -> None:
    assert relevant(reply) is None


def test_the_list_of_a_check_that_breaks_off_is_not_read() -> None:
    whole = '{"supported": false, "unsupported_claims": ["One.", "Two."]}'
    assert read_text(whole, AnswerCheck) is not None
    for end in range(len(whole)):
        assert read_text(whole[:end], AnswerCheck) is None


def test_claims_are_read_as_strings_whatever_they_are_wrapped_in() -> None:
    reply = '{"supported": "no", "unsupported_claims": [{"claim": "It is red."}, ""]}'
    verdict = read_text(reply, AnswerCheck)
    assert verdict == AnswerCheck(supported=False, unsupported_claims=["It is red."])


def call(arguments: dict[str, object], **rest: object) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "x", "args": arguments, "id": "1"}], **rest)


def test_a_tool_call_is_read() -> None:
    assert read_message(call({"relevant": "Yes."}), DocumentGrade).relevant is True


def test_content_is_read_where_a_tool_call_was_asked_for_and_not_made() -> None:
    message = AIMessage('{"relevant":"yes"}', tool_calls=[])
    assert read_message(message, DocumentGrade).relevant is True


def test_content_is_read_where_the_tool_call_is_empty() -> None:
    message = AIMessage(YES, tool_calls=[{"name": "x", "args": {}, "id": "1"}])
    assert read_message(message, DocumentGrade).relevant is True


def test_a_tool_call_whose_arguments_are_a_python_literal_is_read() -> None:
    broken = {"name": "x", "args": "{'relevant': True}", "id": "1", "error": None}
    message = AIMessage("", invalid_tool_calls=[broken])
    assert read_message(message, DocumentGrade).relevant is True


def test_the_older_function_call_is_read() -> None:
    message = AIMessage("", additional_kwargs={"function_call": {"name": "x", "arguments": YES}})
    assert read_message(message, DocumentGrade).relevant is True


def test_tool_calls_that_contradict_each_other_or_the_content_are_not_read() -> None:
    two = AIMessage(
        "",
        tool_calls=[
            {"name": "x", "args": {"relevant": True}, "id": "1"},
            {"name": "x", "args": {"relevant": False}, "id": "2"},
        ],
    )
    assert read_message(two, DocumentGrade) is None
    beside = AIMessage(
        '{"relevant": false}', tool_calls=[{"name": "x", "args": {"relevant": True}, "id": "1"}]
    )
    assert read_message(beside, DocumentGrade) is None


@pytest.mark.parametrize(
    "told",
    [{"finish_reason": "length"}, {"stop_reason": "max_tokens"}, {"done_reason": "length"}],
)
def test_the_arguments_of_a_call_that_was_cut_are_not_read(told: dict[str, str]) -> None:
    message = call({"relevant": True}, response_metadata=told)
    assert is_cut(message)
    assert read_message(message, DocumentGrade) is None
    assert "relevant" in raw_of(message)
    assert "cut" in raw_of(message)


def test_the_raw_reply_keeps_text_broken_calls_and_refusals() -> None:
    broken = {"name": "x", "args": '{"relevant": tr', "id": "1", "error": None}
    message = AIMessage(
        "Let me see.", invalid_tool_calls=[broken], additional_kwargs={"refusal": "I can't."}
    )
    for part in ("Let me see.", '{"relevant": tr', "I can't."):
        assert part in raw_of(message)


def test_mappings_and_instances_are_read() -> None:
    assert read_object({"grade": {"relevant": "yes"}}, DocumentGrade).relevant is True
    assert read_object(DocumentGrade(relevant=True), DocumentGrade).relevant is True
    for nonsense in (None, 3, "x", [], object(), {"relevant": object()}):
        assert read_object(nonsense, DocumentGrade) is None


def test_an_answer_loses_its_thinking_and_nothing_else() -> None:
    assert strip_thinking("<think>\nHm.\n</think>\n\nRiga.") == "Riga."
    assert strip_thinking("Hm, Riga?\n</think>\n\nRiga.") == "Riga."
    assert strip_thinking("<think>a</think><thinking>b</thinking> Riga.") == "Riga."
    assert strip_thinking("<think>It never ends") == ""
    for answer in (
        "Models write `<think>` first and `</think>` after.",
        "Use <think>…</think> around it.",
        "Answer:\n```\n<think>x</think>\n```",
    ):
        assert strip_thinking(answer) == answer


def test_reasoning_blocks_are_no_part_of_the_text() -> None:
    blocks = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Riga."}]
    assert text_of(AIMessage(content=blocks)) == "Riga."


def test_chosen_tools_are_listed_without_the_one_that_was_cut() -> None:
    calls = [{"name": n, "args": {"query": "q"}, "id": n} for n in ("wiki", "web")]
    assert [c.name for c in tool_choices(AIMessage("", tool_calls=calls))] == ["wiki", "web"]
    cut = AIMessage("", tool_calls=calls, response_metadata={"finish_reason": "length"})
    assert [c.name for c in tool_choices(cut)] == ["wiki"]


def test_log_probabilities_are_read_where_there_are_some() -> None:
    entry = {"token": "Yes", "logprob": -0.1, "top_logprobs": [{"token": "No", "logprob": -2.0}]}
    message = AIMessage("Yes", response_metadata={"logprobs": {"content": [entry]}})
    (token,) = tokens_of(message)
    assert (token.text, token.logprob, dict(token.alternatives)) == ("Yes", -0.1, {"No": -2.0})
    for none in ({}, {"logprobs": None}, {"logprobs": {"content": None}}, {"logprobs": "x"}):
        assert tokens_of(AIMessage("Yes", response_metadata=none)) is None


grades = st.fixed_dictionaries(
    {"relevant": st.booleans(), "reason": st.text(max_size=60)},
    optional={"score": st.integers(), "notes": st.lists(st.text(max_size=20), max_size=3)},
)
prose = st.text(st.characters(exclude_characters="{}<>[]`\"'"), max_size=60)


@given(grades, prose, prose, st.sampled_from(["json", "python", "fence", "tool"]))
def test_a_verdict_survives_whatever_stands_around_it(
    grade: dict[str, object], before: str, after: str, form: str
) -> None:
    body = repr(grade) if form == "python" else json.dumps(grade, ensure_ascii=False)
    if form == "fence":
        body = f"\n```json\n{body}\n```\n"
    if form == "tool":
        message = AIMessage(before, tool_calls=[{"name": "x", "args": grade, "id": "1"}])
        verdict = read_message(message, DocumentGrade)
    else:
        verdict = read_text(f"{before}{body}{after}", DocumentGrade)
    assert verdict is not None
    assert verdict.relevant is grade["relevant"]


@given(grades, st.data())
def test_a_verdict_that_breaks_off_is_never_read(
    grade: dict[str, object], data: st.DataObject
) -> None:
    whole = json.dumps(grade)
    end = data.draw(st.integers(0, len(whole) - 1))
    assert read_text(whole[:end], DocumentGrade) is None


@given(grades, grades, prose)
def test_two_verdicts_are_read_only_when_they_agree(
    one: dict[str, object], other: dict[str, object], between: str
) -> None:
    verdict = read_text(json.dumps(one) + between + json.dumps(other), DocumentGrade)
    if one["relevant"] == other["relevant"]:
        assert verdict.relevant is one["relevant"]
    else:
        assert verdict is None


@given(st.text(st.sampled_from("{}[]\"':,\\ \n<>/thinkrelevantTrueFalse01"), max_size=120))
def test_nothing_that_a_model_writes_raises(text: str) -> None:
    objects_in(text)
    strip_thinking(text)
    verdict = read_text(text, DocumentGrade)
    assert verdict is None or "relevant" in text
