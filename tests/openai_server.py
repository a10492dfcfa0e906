"""A local HTTP server that speaks the OpenAI chat-completions protocol.

Real clients talk to it over a real socket, so a test sees what a hosted model would see::

    def test_it(openai_server):
        openai_server.answer = {"relevant": True, "reason": "It says so."}
        openai_server.refuse("json_schema")          # as many local servers do
        model = openai_server.model()                # a ChatOpenAI that points at it
        ...
        assert openai_server.forms == ["json_schema", "tool_call"]

``answer`` is one reply to everything, a list of replies given in turn (the last one is
repeated), or a function of the request (a ``Heard``) that returns one. A reply is

- text, or a mapping: sent in the form that was asked for, a tool call or JSON text;
- ``None``: a message without content;
- ``said(…)`` for all the rest that a model can do, and ``tool_call(…)`` for raw arguments;
- ``error(status)``, ``html()``, ``garbled()`` for what goes wrong below the model, or any
  other ``werkzeug.Response``;
- ``HANG``: no reply before the test ends.

A request with ``stream`` gets server-sent events, word by word; the token counts come in a
last event only when ``stream_options`` asks for them, as hosted endpoints do. Requests are
served at the same time, over connections that are kept alive. The fixtures, ``openai_server``
and the plain ``http_server``, need no import; the replies come from this module.
"""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response
from werkzeug.serving import WSGIRequestHandler

from backends.settings import Settings
from tests.openai_replies import (
    HANG,
    TOKENS,
    Completion,
    Heard,
    Said,
    error,
    garbled,
    html,
    said,
    tool_call,
)

__all__ = [
    "HANG",
    "KEY",
    "TOKENS",
    "Heard",
    "OpenAIServer",
    "error",
    "garbled",
    "html",
    "said",
    "tool_call",
]

KEY = "sk-recognisable-0123456789abcdefXYZ"
"""The only key that the server accepts; no test may find it in a log, an event or an error."""


class OpenAIServer:
    """The server; see the module's docstring.

    Attributes:
        url: The base URL, like ``http://127.0.0.1:1234/v1``.
        answer: What it answers.
        key: The only key that it accepts.
        heard: Every request, in order of arrival, refused ones included.
        most_at_once: The largest number of requests in flight at the same time.
    """

    def __init__(self, http: HTTPServer) -> None:
        self.url = http.url_for("/v1")
        self.answer: Any = "ok"
        self.key = KEY
        self.heard: list[Heard] = []
        self.most_at_once = 0
        self._refused: dict[str, Response] = {}
        self._in_flight = 0
        self._answered = 0
        self._lock = threading.Lock()
        self._ended = threading.Event()
        http.expect_request("/v1/chat/completions", method="POST").respond_with_handler(self._serve)

    @property
    def forms(self) -> list[str]:
        """The form of structured output of every request."""
        return [heard.form for heard in self.heard]

    @property
    def prompts(self) -> list[str]:
        """The text of every request."""
        return [heard.prompt for heard in self.heard]

    def refuse(self, *forms: str, status: int = 400, message: str = "Not supported.") -> None:
        """Refuse requests of these forms (``json_schema``, ``tool_call``, ``json_mode`` …)."""
        self._refused |= {form: error(status, message) for form in forms}

    def model(self, **settings: Any) -> Any:
        """Return a ``ChatOpenAI`` that points at the server; its settings can be overridden."""
        from langchain_openai import ChatOpenAI

        given = {"model": "served", "api_key": KEY, "base_url": self.url, "timeout": 10}
        return ChatOpenAI(**given | settings)

    def settings(self, **fields: Any) -> Settings:
        """Return settings that point at the server and wait little between tries."""
        given = {"api_key": KEY, "base_url": self.url, "min_wait": 0.0, "timeout": 10}
        return Settings(_env_file=None, **given | fields)

    def end(self) -> None:
        """Let go of the requests that hang."""
        self._ended.set()

    def _serve(self, request: Request) -> Response:
        names = {name.lower(): value for name, value in request.headers.items()}
        heard = Heard(request.get_json(), names)
        with self._lock:
            self.heard.append(heard)
            self._in_flight += 1
            self.most_at_once = max(self.most_at_once, self._in_flight)
        try:
            return self._respond(heard)
        finally:
            with self._lock:
                self._in_flight -= 1

    def _respond(self, heard: Heard) -> Response:
        given = heard.headers.get("authorization", "").removeprefix("Bearer ")
        if given != self.key:
            # Worse than the hosted API, which masks the key that it echoes.
            return error(401, f"Incorrect API key provided: {given}.", code="invalid_api_key")
        if heard.form in self._refused:
            return self._refused[heard.form]
        answer = self._next(heard)
        if answer is HANG:
            self._ended.wait()
            return error(500, "The test has ended.")
        if isinstance(answer, Response):
            return answer
        answer = answer if isinstance(answer, Said) else Said(answer)
        time.sleep(answer.delay)
        completion = Completion(heard, answer)
        if heard.body.get("stream"):
            return Response(completion.events(), content_type="text/event-stream")
        return Response(completion.whole(), content_type="application/json")

    def _next(self, heard: Heard) -> Any:
        if isinstance(self.answer, list):
            with self._lock:
                place = min(self._answered, len(self.answer) - 1)
                self._answered += 1
            return self.answer[place]
        asked = isinstance(self.answer, Callable) and not isinstance(self.answer, Response)
        return self.answer(heard) if asked else self.answer


class _KeepAlive(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *args: Any) -> None:
        """Say nothing: what a test prints should be about its failure."""


@pytest.fixture(scope="session")
def _one_http_server() -> Iterator[HTTPServer]:
    """Start one server for all tests: to stop one takes half a second."""
    with HTTPServer(host="127.0.0.1", port=0, threaded=True) as server:
        server.server.RequestHandlerClass = _KeepAlive
        yield server


@pytest.fixture
def http_server(_one_http_server: HTTPServer) -> HTTPServer:
    """A local HTTP server that serves requests at the same time and keeps connections."""
    _one_http_server.clear()
    return _one_http_server


@pytest.fixture
def openai_server(http_server: HTTPServer) -> Iterator[OpenAIServer]:
    """A local server that speaks the OpenAI chat-completions protocol."""
    server = OpenAIServer(http_server)
    yield server
    server.end()
