"""The local OpenAI-compatible server behaves as hosted ones do, seen by the real client."""

import asyncio

import pytest
from langchain_core.messages import HumanMessage

from tests.openai_server import KEY, TOKENS, OpenAIServer, error, said, tool_call


def test_it_answers_with_text_and_counts_tokens(openai_server: OpenAIServer) -> None:
    openai_server.answer = "Sirius is bright."
    message = openai_server.model().invoke("What is bright?")
    assert message.content == "Sirius is bright."
    usage = message.usage_metadata
    assert (usage["input_tokens"], usage["output_tokens"]) == TOKENS
    assert openai_server.prompts == ["What is bright?"]


def test_it_streams_word_by_word_and_counts_tokens_only_when_asked(
    openai_server: OpenAIServer,
) -> None:
    openai_server.answer = "one two three"
    for wanted in (True, False):
        chunks = list(openai_server.model(stream_usage=wanted).stream("count"))
        assert "".join(chunk.text for chunk in chunks) == "one two three"
        assert sum(bool(chunk.text) for chunk in chunks) == 3
        assert any(chunk.usage_metadata for chunk in chunks) is wanted


def test_it_sends_a_mapping_in_the_form_that_was_asked_for(openai_server: OpenAIServer) -> None:
    openai_server.answer = {"relevant": True}
    model = openai_server.model()
    tool = {"type": "function", "function": {"name": "Grade", "parameters": {"type": "object"}}}
    called = model.bind_tools([tool], tool_choice="Grade").invoke("x")
    assert called.tool_calls[0]["args"] == {"relevant": True}
    assert model.bind(response_format={"type": "json_object"}).invoke("x").content
    assert openai_server.forms == ["tool_call", "json_mode"]


def test_it_streams_tool_calls_in_pieces(openai_server: OpenAIServer) -> None:
    openai_server.answer = tool_call({"city": "Riga"})
    chunks = list(openai_server.model().stream("x"))
    whole = sum(chunks[1:], chunks[0])
    assert whole.tool_calls[0]["args"] == {"city": "Riga"}


@pytest.mark.parametrize("stream", [False, True])
def test_it_gives_log_probabilities_when_asked(openai_server: OpenAIServer, stream: bool) -> None:
    openai_server.answer = said("Yes", logprobs=(("Yes", -0.1, {"Yes": -0.1, "No": -2.4}),))
    model = openai_server.model(logprobs=True, top_logprobs=2, streaming=stream)
    entry = model.invoke("x").response_metadata["logprobs"]["content"][0]
    assert entry["token"] == "Yes"
    assert {top["token"] for top in entry["top_logprobs"]} == {"Yes", "No"}


def test_it_refuses_forms_and_wrong_keys(openai_server: OpenAIServer) -> None:
    openai_server.refuse("json_mode", status=422)
    model = openai_server.model(max_retries=0)
    with pytest.raises(Exception, match="Not supported"):
        model.bind(response_format={"type": "json_object"}).invoke("x")
    with pytest.raises(Exception, match="Incorrect API key provided: wrong"):
        openai_server.model(api_key="wrong").invoke("x")


def test_it_replies_in_turn_and_repeats_the_last(openai_server: OpenAIServer) -> None:
    openai_server.answer = [error(500), "one", "two"]
    model = openai_server.model(max_retries=1)
    assert [model.invoke("x").content for _ in range(3)] == ["one", "two", "two"]
    assert len(openai_server.heard) == 4


async def test_it_serves_requests_at_the_same_time(openai_server: OpenAIServer) -> None:
    openai_server.answer = said("ok", delay=0.2)
    model = openai_server.model()
    await asyncio.gather(*(model.ainvoke([HumanMessage("x")]) for _ in range(8)))
    assert openai_server.most_at_once == 8
    assert all(heard.headers["authorization"] == f"Bearer {KEY}" for heard in openai_server.heard)
