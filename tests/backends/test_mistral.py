"""The study graph's own model: whose endpoint is asked, under which name, with which fields."""

import pytest
from pydantic import SecretStr

from backends import Backends, Settings
from backends.mistral import asked_model
from graphs import study
from state.errors import ConfigError
from state.study import MISTRAL_MODEL
from tests.openai_server import KEY, Heard, OpenAIServer
from tests.stubs import StubIndex, document

QUESTION = "What is osmosis?"


def at_mistral(server: OpenAIServer, **given: object) -> Settings:
    return Settings(
        _env_file=None, mistral_api_key=SecretStr(KEY), mistral_base_url=server.url, **given
    )


def answer(heard: Heard) -> str:
    if "INTENT" in heard.prompt:
        return "INTENT: simple"
    return "Osmosis is the movement of water [1]."


def run(settings: Settings, **context: object) -> dict[str, object]:
    index = StubIndex((document("c1", "Osmosis is the movement of water."),))
    graph = study.build(Backends(index=index, settings=settings)).compile()
    out: dict[str, object] = graph.invoke({"question": QUESTION}, context=context)
    return out


def test_with_its_key_every_role_is_played_at_mistral(openai_server: OpenAIServer) -> None:
    openai_server.answer = answer
    out = run(at_mistral(openai_server))
    assert out["answer"] == "Osmosis is the movement of water."
    assert [heard.body["model"] for heard in openai_server.heard] == [MISTRAL_MODEL] * 3
    assert openai_server.heard[1].form == "tools"


def test_the_name_is_a_parameter(openai_server: OpenAIServer) -> None:
    openai_server.answer = answer
    run(at_mistral(openai_server), llm_model="mistral-small-latest")
    assert {heard.body["model"] for heard in openai_server.heard} == {"mistral-small-latest"}


def test_no_field_is_sent_that_mistral_refuses(openai_server: OpenAIServer) -> None:
    openai_server.answer = answer
    index = StubIndex((document("c1", "Osmosis is the movement of water."),))
    backends = Backends(index=index, settings=at_mistral(openai_server))
    graph = study.build(backends).compile()
    assert list(graph.stream({"question": QUESTION}, stream_mode="messages"))
    for heard in openai_server.heard:
        assert heard.body["max_tokens"] == 1024
        assert not {"max_completion_tokens", "stream_options"} & heard.body.keys()


def test_a_named_model_or_address_wins_over_mistrals_key(openai_server: OpenAIServer) -> None:
    openai_server.answer = answer
    settings = Settings(
        _env_file=None,
        mistral_api_key=SecretStr("unused"),
        mistral_base_url="http://127.0.0.1:9/v1",
        api_key=SecretStr(KEY),
        base_url=openai_server.url,
        model="the-one",
    )
    run(settings)
    assert {heard.body["model"] for heard in openai_server.heard} == {"the-one"}


def test_another_name_goes_to_the_endpoint_that_is_configured(
    openai_server: OpenAIServer,
) -> None:
    openai_server.answer = answer
    settings = Settings(_env_file=None, api_key=SecretStr(KEY), base_url=openai_server.url)
    run(settings, llm_model="another")
    assert {heard.body["model"] for heard in openai_server.heard} == {"another"}


def test_without_any_key_the_embedded_default_plays() -> None:
    settings = Settings(_env_file=None)
    assert asked_model(settings, MISTRAL_MODEL) is None
    out = run(settings)
    assert out["answer"] == "Osmosis is the movement of water."


def test_a_named_model_without_any_endpoint_is_an_error_that_says_what_to_set() -> None:
    with pytest.raises(ConfigError, match="MISTRAL_API_KEY"):
        run(Settings(_env_file=None), llm_model="another")


def test_the_key_is_read_from_its_usual_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "from-the-environment")
    key = Settings(_env_file=None).mistral_api_key
    assert key is not None
    assert key.get_secret_value() == "from-the-environment"
