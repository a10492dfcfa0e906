"""Whatever a client raises becomes one of the project's errors, in one line, without keys."""

import logging
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from backends import Backends, Settings
from backends.failures import named_failures, translate
from backends.redaction import one_line, scrub, secrets_in
from backends.responses import retry_after, retry_after_of, status_of
from state.errors import (
    ContextOverflow,
    CragError,
    FormFault,
    FormRejected,
    ModelError,
    ModelRejected,
    ModelUnavailable,
)
from tests.backends.asking import answer, asking, grade, returning, run
from tests.openai_server import HANG, KEY, OpenAIServer, error, garbled, html, said

WHO = "The grader (m)"


class Failed(Exception):
    """An error with a status, as clients of any provider raise it."""

    def __init__(self, message: str, status: Any = None, **rest: Any) -> None:
        super().__init__(message)
        self.status_code = status
        for name, value in rest.items():
            setattr(self, name, value)


def kind(cause: Exception, *, structured: bool = False, known: bool = False) -> type[ModelError]:
    return type(translate(cause, WHO, structured=structured, known=known))


OVERFLOWS = [
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    "context_length_exceeded",
    "the request exceeds the available context size. try increasing the context size",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Input is too long for requested model.",
    "The input token count (40000) exceeds the maximum number of tokens allowed (32768).",
    "Please reduce the length of the messages or completion.",
    "Input tokens exceed the configured limit of 272000 tokens.",
    "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000",
    "Requested tokens (5000) exceed context window of 2048",
]


@pytest.mark.parametrize("message", OVERFLOWS)
@pytest.mark.parametrize("status", [400, 422, 500])
def test_an_overlong_prompt_is_told_by_every_providers_words(message: str, status: int) -> None:
    assert kind(Failed(message, status), structured=True) is ContextOverflow


@pytest.mark.parametrize(
    "message",
    [
        "Schema exceeds the maximum nesting depth of 5.",
        "temperature must be <= 2",
        "Invalid schema for response_format: too many properties",
        "Unknown parameter: 'response_format' for this model.",
        "tool_choice is not supported",
    ],
)
def test_a_refused_form_is_not_taken_for_something_else(message: str) -> None:
    assert kind(Failed(message, 400), structured=True) is FormRejected
    assert kind(Failed(message, 400)) is ModelRejected


def test_a_rate_limit_is_no_overlong_prompt_unless_the_request_alone_is_too_large() -> None:
    assert (
        kind(Failed("Too many tokens, please wait before trying again.", 429)) is ModelUnavailable
    )
    assert kind(Failed("Request too large for gpt-4o on tokens per min", 429)) is ContextOverflow


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_unavailable(status: int) -> None:
    assert kind(Failed("x", status)) is ModelUnavailable


def test_a_server_error_on_a_form_that_never_worked_may_be_the_forms_fault() -> None:
    assert kind(Failed("x", 500), structured=True) is FormFault
    assert kind(Failed("x", 500), structured=True, known=True) is ModelUnavailable
    assert kind(Failed("x", 503), structured=True) is ModelUnavailable


@pytest.mark.parametrize(
    ("status", "message", "extra"),
    [
        (401, "Incorrect API key", {}),
        (403, "No access", {}),
        (402, "Insufficient balance", {}),
        (429, "You exceeded your current quota", {}),
        (429, "x", {"code": "insufficient_quota"}),
        (400, "x", {"code": "content_filter"}),
        (400, "Your request was rejected by our safety system", {}),
        (403, "Flagged by moderation", {}),
        (404, "The model `x` does not exist or you do not have access to it.", {}),
        (400, "x", {"code": "model_not_found"}),
        (404, "x", {}),
        (418, "x", {}),
    ],
)
def test_what_no_retry_and_no_form_can_mend_is_rejected(
    status: int, message: str, extra: dict[str, Any]
) -> None:
    named = translate(Failed(message, status, **extra), WHO, structured=status != 404)
    assert type(named) is ModelRejected
    assert not getattr(named, "transient", False)


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (TimeoutError(), ModelUnavailable),
        (type("ReadTimeout", (Exception,), {})("x"), ModelUnavailable),
        (ConnectionResetError("x"), ModelUnavailable),
        (type("RemoteProtocolError", (Exception,), {})("x"), ModelUnavailable),
        (type("APIConnectionError", (Exception,), {})("x"), ModelUnavailable),
        (IndexError("list index out of range"), ModelUnavailable),
        (ValueError("Unexpected response type from OpenAI-compatible endpoint."), ModelUnavailable),
        (ValueError("<!DOCTYPE html><html>"), ModelRejected),
        (ValueError({"message": "busy", "code": 503}), ModelUnavailable),
        (ValueError({"message": "busy", "code": "429"}), ModelUnavailable),
        (ValueError("a bug of a user's own model"), ModelError),
        (RuntimeError("x"), ModelError),
        (AssertionError("x"), ModelError),
        (NotImplementedError("x"), ModelError),
    ],
)
def test_errors_without_a_status_are_told_by_what_they_are(
    cause: Exception, expected: type[ModelError]
) -> None:
    assert kind(cause) is expected


def test_a_form_that_a_class_does_not_implement_is_refused() -> None:
    assert kind(NotImplementedError("x"), structured=True) is FormRejected


@given(st.text(), st.one_of(st.none(), st.integers(300, 599), st.text(max_size=3)), st.booleans())
def test_every_error_becomes_one_of_ours_on_one_line(
    message: str, status: Any, structured: bool
) -> None:
    named = translate(Failed(message, status), WHO, structured=structured)
    assert isinstance(named, CragError)
    assert str(named).startswith(WHO)
    assert len(str(named).splitlines()) == 1
    assert len(str(named)) < 600


# --- waits ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_a_wait_is_read_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize("usegmt", [True, False])
def test_a_wait_may_be_a_date(usegmt: bool) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=usegmt)
    wait = retry_after({"retry-after": date})
    assert wait is not None
    assert 90 < wait <= 100
    past = format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)
    assert retry_after({"retry-after": past}) == 0.0


def test_status_and_wait_are_found_wherever_a_client_keeps_them() -> None:
    response = type("R", (), {"status_code": 503, "headers": {"retry-after": "3"}})()
    assert status_of(Failed("x", response=response)) == 503
    assert retry_after_of(Failed("x", response=response)) == 3.0
    assert status_of(Failed("x", status=429)) == 429
    assert status_of(Failed("x", code="502")) == 502
    for nothing in (Failed("x"), Failed("x", code="model_error"), Failed("x", 200), ValueError()):
        assert status_of(nothing) is None
        assert retry_after_of(nothing) is None


# --- keys -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "key sk-proj-abcdef0123456789 is bad",
        "Authorization: Bearer abcdef0123456789",
        "{'Authorization': 'Bearer abcdef0123456789'}",
        "https://x.org/?api_key=abcdef0123456789&q=1",
        '{"api-key": "abcdef0123456789"}',
        "x-api-key: abcdef0123456789",
        "tvly-dev-abcdef0123456789",
        "token=abcdef0123456789",
        "AIzaabcdef0123456789abcdef01234",
    ],
)
def test_what_looks_like_a_key_is_taken_out(text: str) -> None:
    assert "abcdef0123" not in scrub(text)
    assert "[key]" in scrub(text)


@pytest.mark.parametrize(
    "text",
    [
        "The key structure of the answer",
        "Maximum tokens: 4096",
        "unexpected token at line 3",
        "task-management and risk-assessment",
        "https://example.org/key-findings?page=2",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert scrub(text) == text


def test_known_secrets_go_whatever_they_look_like_and_placeholders_stay() -> None:
    assert scrub("it is plain-secret-1 here", [SecretStr("plain-secret-1")]) == "it is [key] here"
    assert scrub("pull it with ollama", [SecretStr("ollama")]) == "pull it with ollama"


def test_secrets_are_found_in_models_and_settings() -> None:
    model = ChatOpenAI(model="m", api_key="the-models-key", default_headers={"x-auth": "hidden-99"})
    settings = Settings(_env_file=None, api_key="the-settings-key", tavily_api_key="the-tavily-key")
    found = {secret.get_secret_value() for secret in secrets_in(model, settings)}
    assert found >= {"the-models-key", "the-settings-key", "the-tavily-key", "hidden-99"}
    assert secrets_in(object(), None) == ()


def test_a_cause_that_shows_a_key_is_not_kept() -> None:
    for message, kept in (("plain", True), ("bad key sk-abcdef0123456789", False)):
        with pytest.raises(ModelError) as raised, named_failures("grader", "m", structured=False):
            raise RuntimeError(message)
        assert (raised.value.__cause__ is not None) is kept
        assert "abcdef" not in "".join(traceback.format_exception(raised.value))


def test_long_messages_are_cut_and_put_on_one_line() -> None:
    assert one_line("a\n\n b\tc") == "a b c"
    assert len(one_line("x" * 10_000)) < 400


ODD_KEY = "an-odd-but-recognisable-key"
ECHO = f"You sent {ODD_KEY} and {KEY}."
EVERY_FAILURE = {
    "refused key": error(401, ECHO),
    "no access": error(403, ECHO),
    "no credit": error(402, ECHO),
    "bad request": error(400, ECHO),
    "overflow": error(400, f"maximum context length {ECHO}"),
    "not found": error(404, ECHO),
    "rate limit": error(429, ECHO),
    "server error": error(500, ECHO),
    "web page": html(),
    "error page": html(502),
    "truncated": garbled(),
    "hangs": HANG,
    "breaks off": said("half", cut=True),
    "answers": said(f"<think>{KEY}</think>ok"),
}


@pytest.mark.parametrize("failure", EVERY_FAILURE)
@pytest.mark.parametrize("colour", ["sync", "async"])
async def test_no_key_is_in_any_log_event_error_or_representation(
    openai_server: OpenAIServer,
    caplog: pytest.LogCaptureFixture,
    colour: str,
    failure: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    openai_server.answer = EVERY_FAILURE[failure]
    chosen = openai_server.settings(timeout=0.3 if failure == "hangs" else 10, max_attempts=2)
    backends = Backends(
        model=openai_server.model(max_retries=0),
        settings=chosen.model_copy(update={"tavily_api_key": chosen.api_key}),
    )
    graph = asking(backends, returning(answer))
    shown: list[Any] = [repr(backends), repr(chosen), vars(backends.player("generator"))]
    try:
        if colour == "sync":
            shown.extend(graph.stream({"question": "q"}, stream_mode=["custom", "updates"]))
        else:
            events = graph.astream({"question": "q"}, stream_mode=["custom", "updates"])
            shown.extend([event async for event in events])
    except CragError as raised:
        shown += [str(raised), repr(raised), *traceback.format_exception(raised)]
    shown += [vars(record) for record in caplog.records] + [caplog.text]
    assert KEY not in repr(shown)
    assert any("receipt" in repr(event) for event in shown) or "call" in caplog.text


@pytest.mark.parametrize("colour", ["sync", "async"])
async def test_a_wrong_key_that_is_echoed_is_not_shown(
    openai_server: OpenAIServer, caplog: pytest.LogCaptureFixture, colour: str
) -> None:
    caplog.set_level(logging.DEBUG)
    backends = Backends(settings=openai_server.settings(api_key=ODD_KEY))
    with pytest.raises(ModelRejected) as raised:
        await run(colour, backends, grade)
    logged = repr([vars(record) for record in caplog.records])
    for text in ("".join(traceback.format_exception(raised.value)), logged, caplog.text):
        assert ODD_KEY not in text
