"""How a model is asked for JSON: which forms its class offers, and what they bind."""

from typing import Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_openai import AzureChatOpenAI, ChatOpenAI
from pydantic import BaseModel, Field

from backends import Backends, Settings
from backends.forms import JSON_MODE, JSON_SCHEMA, TEXT, TOOL_CALL, Ladder, forms_of, strict_schema
from backends.models import blocks, core_of, identity_of, name_of, profiled_window, without_retries
from state.arsc import GradingResults
from state.errors import ModelError
from state.verdicts import AnswerCheck, DocumentGrade
from tests.backends.asking import answer, grade, run
from tests.stubs import StubChat, ToolChat, chat

colours = pytest.mark.parametrize("colour", ["sync", "async"])
YES = {"relevant": True, "reason": "It says so."}


def openai(**settings: Any) -> ChatOpenAI:
    return ChatOpenAI(**{"model": "gpt-4.1-mini", "api_key": "a-local-key", **settings})


def azure() -> AzureChatOpenAI:
    return AzureChatOpenAI(
        azure_endpoint="https://example.org", api_version="2024-10-21", api_key="a-local-key"
    )


# --- which forms ----------------------------------------------------------------------------


def test_openai_compatible_classes_take_every_form() -> None:
    every = (JSON_SCHEMA, TOOL_CALL, JSON_MODE, TEXT)
    for model in (openai(), azure(), openai().bind(seed=1), openai().with_retry()):
        assert forms_of(model) == every


def test_other_classes_are_asked_by_what_they_implement() -> None:
    assert forms_of(ToolChat(reply=lambda _: YES)) == (TOOL_CALL, TEXT)
    assert forms_of(StubChat(reply=lambda _: YES)) == (TEXT,)
    assert forms_of(GenericFakeChatModel(messages=iter([]))) == (TEXT,)
    assert forms_of(RunnableLambda(lambda messages: "x")) == (TEXT,)


def test_a_ladder_starts_at_what_is_known() -> None:
    ladder = Ladder((JSON_SCHEMA, TOOL_CALL, TEXT))
    assert list(ladder.down()) == [JSON_SCHEMA, TOOL_CALL, TEXT]
    ladder.known = TOOL_CALL
    assert list(ladder.down()) == [TOOL_CALL, TEXT]
    ladder.known = JSON_MODE
    assert list(ladder.down()) == [JSON_SCHEMA, TOOL_CALL, TEXT]


# --- what they bind -------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [DocumentGrade, AnswerCheck, GradingResults])
def test_a_strict_schema_requires_all_keys_and_allows_no_others(schema: Any) -> None:
    described = strict_schema(schema)
    for part in [described, *described.get("$defs", {}).values()]:
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
        assert not any("default" in field for field in part["properties"].values())
    assert schema.model_json_schema() != described


def test_each_form_binds_the_request_that_it_is_named_after() -> None:
    model = openai()
    schema = JSON_SCHEMA.bind(model, DocumentGrade).kwargs["response_format"]
    assert schema["json_schema"]["strict"] is True
    assert schema["json_schema"]["name"] == "DocumentGrade"
    tool = TOOL_CALL.bind(model, DocumentGrade).kwargs
    assert tool["tools"][0]["function"]["name"] == "DocumentGrade"
    assert tool["tool_choice"]["function"]["name"] == "DocumentGrade"
    mode = JSON_MODE.bind(model, DocumentGrade).kwargs["response_format"]
    assert mode == {"type": "json_object"}
    assert TEXT.bind(model, DocumentGrade) is model


@pytest.mark.parametrize("form", [JSON_SCHEMA, TOOL_CALL, JSON_MODE])
def test_what_a_model_was_bound_to_stays(form: Any) -> None:
    bound = form.bind(openai().bind(seed=7).with_config(tags=["mine"]), DocumentGrade)
    assert bound.kwargs["seed"] == 7
    assert bound.config["tags"] == ["mine"]


# --- models of other classes ----------------------------------------------------------------


def backends(model: Any) -> Backends:
    return Backends(model=model, settings=Settings(_env_file=None, min_wait=0.0, max_attempts=1))


@colours
async def test_a_model_with_tools_is_asked_by_a_forced_call(colour: str) -> None:
    model = chat(YES, tools=True)
    assert (await run(colour, backends(model)))["reply"].value.relevant is True
    assert model.requests[0]["tool_choice"] == "DocumentGrade"
    assert len(model.requests) == 1


@colours
async def test_a_model_without_tools_is_asked_in_words(colour: str) -> None:
    model = chat(YES)
    assert (await run(colour, backends(model)))["reply"].value.relevant is True
    assert model.requests == [{}]


class Unwilling(StubChat):
    """A model whose class has tools but whose endpoint may not."""

    def bind_tools(self, tools: Any, **request: Any) -> Runnable[Any, AIMessage]:
        raise NotImplementedError("This endpoint has no tools.")


class Older(StubChat):
    """A model that does not know of a forced choice."""

    def bind_tools(self, tools: Any) -> Runnable[Any, AIMessage]:  # type: ignore[override]
        return self.bind(tools=tools)


@colours
@pytest.mark.parametrize("kind", [Unwilling, Older])
async def test_a_class_that_cannot_be_bound_is_asked_in_words(colour: str, kind: Any) -> None:
    model = kind(reply=lambda _: YES)
    shared = backends(model)
    for _ in range(2):
        assert (await run(colour, shared))["reply"].value.relevant is True
    assert model.requests == [{}, {}]
    assert shared.player("grader").ladders.verdict.known is TEXT


class Parsed(BaseModel):
    relevant: bool = Field(default=True)


@colours
@pytest.mark.parametrize(
    "reply",
    [
        '{"relevant": true}',
        {"relevant": True},
        Parsed(),
        AIMessage('{"relevant": true}'),
        {"raw": AIMessage('{"relevant": true}'), "parsed": None, "parsing_error": ValueError()},
    ],
    ids=["text", "mapping", "object", "message", "raw and parsed"],
)
async def test_a_chain_around_a_model_may_return_anything_that_can_be_read(
    colour: str, reply: Any
) -> None:
    chain = RunnableLambda(lambda messages: reply)
    assert (await run(colour, backends(chain)))["reply"].value.relevant is True


@colours
async def test_a_chain_that_returns_nothing_is_unread(colour: str) -> None:
    out = await run(colour, backends(RunnableLambda(lambda messages: None)))
    assert out["reply"].value is None
    assert (await run(colour, backends(RunnableLambda(lambda messages: None)), answer))[
        "reply"
    ].text == ""


@colours
async def test_an_error_of_a_users_model_is_named_once(colour: str) -> None:
    model = chat(RuntimeError("It broke."))
    with pytest.raises(ModelError, match=r"The grader \(stub\) failed: RuntimeError: It broke"):
        await run(colour, backends(model))
    assert len(model.prompts) == 1


# --- what models are made of ----------------------------------------------------------------


def test_the_core_and_the_name_are_found_under_what_is_wrapped_around_them() -> None:
    model = openai()
    wrapped = model.with_retry().bind(seed=1).with_config(tags=["x"])
    assert core_of(wrapped) is model
    assert name_of(wrapped) == "gpt-4.1-mini"
    assert name_of(chat("x")) == "stub"
    assert name_of(RunnableLambda(lambda messages: "x")) == "RunnableLambda"


def test_two_clients_of_one_model_share_what_is_learnt() -> None:
    assert identity_of(openai()) == identity_of(openai().bind(seed=1))
    assert identity_of(openai()) != identity_of(openai(model="gpt-4.1"))
    assert identity_of(openai()) != identity_of(openai(base_url="http://localhost:1/v1"))
    one, other = chat("x"), chat("x")
    assert identity_of(one) != identity_of(other)
    assert identity_of(one) == identity_of(one.bind(seed=1))


def test_models_without_an_async_side_are_told() -> None:
    class Blocking(StubChat):
        _agenerate = GenericFakeChatModel._agenerate

    async def coroutine(messages: Any) -> str:
        return "x"

    assert blocks(Blocking(reply=lambda _: "x"))
    assert blocks(GenericFakeChatModel(messages=iter([])))
    assert blocks(RunnableLambda(lambda messages: "x"))
    assert not blocks(RunnableLambda(lambda messages: "x", afunc=coroutine))
    assert not blocks(RunnableLambda(coroutine))
    assert not blocks(chat("x"))
    assert not blocks(openai())


def test_a_model_that_is_given_is_not_touched() -> None:
    model = openai(max_retries=7)
    before = {**vars(model)}
    calm = without_retries(model, stream=False)
    assert vars(model) == before
    assert calm.root_client.max_retries == calm.root_async_client.max_retries == 0
    assert calm.disable_streaming is True
    assert calm.stream_usage is True
    assert without_retries(openai(streaming=True), stream=False).disable_streaming is False
    assert without_retries(openai(stream_usage=False)).stream_usage is False
    stub = chat("x")
    assert without_retries(stub) is stub


def test_azures_models_are_calmed_too() -> None:
    calm = without_retries(azure())
    assert calm.root_client.max_retries == calm.root_async_client.max_retries == 0


def test_a_window_that_langchain_knows_of_is_used() -> None:
    known = profiled_window(openai())
    assert known is None or known > 8_000
    assert profiled_window(chat("x")) is None


@colours
async def test_the_prompt_of_a_role_reaches_the_model(colour: str) -> None:
    model = chat(YES)
    await run(colour, backends(model), lambda: grade("Vega."))
    assert "<document>Vega.</document>" in model.prompts[0]
