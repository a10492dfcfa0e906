"""A model can be asked in one event loop after the other, over connections that are kept."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from backends import Backends, Settings
from backends.loops import client_here
from backends.models import shares_client
from nodes.calls import together
from tests.backends.asking import answer, asking, returning


class _Keeping(BaseHTTPRequestHandler):
    """Answers over a connection that stays open, as hosted endpoints do."""

    protocol_version = "HTTP/1.1"
    ports: set[int]

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.ports.add(self.client_address[1])
        choice = {"index": 0, "message": {"role": "assistant", "content": "Sirius."}}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        raw = json.dumps({**body, "choices": [{**choice, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def keeping() -> Iterator[ThreadingHTTPServer]:
    handler = type("Handler", (_Keeping,), {"ports": set()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()


def settings(server: ThreadingHTTPServer) -> Settings:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return Settings(_env_file=None, base_url=url, max_attempts=1)


@pytest.mark.parametrize("own", ["settings", "user's", "bound", "falling back"])
def test_each_event_loop_has_connections_of_its_own(keeping: Any, own: str) -> None:
    chosen = settings(keeping)
    model = ChatOpenAI(model="m", api_key="a-local-key", base_url=chosen.base_url)
    given = {
        "settings": None,
        "user's": model,
        "bound": model.bind(seed=1),
        "falling back": model.with_fallbacks([model]),
    }[own]
    backends = Backends(model=given, settings=chosen)
    graph = asking(backends, returning(lambda: together(answer() for _ in range(3))))
    for _ in range(4):
        out = asyncio.run(graph.ainvoke({}))
        assert [text.text for text in out["reply"]] == ["Sirius."] * 3


def test_connections_are_kept_within_a_loop(keeping: Any) -> None:
    graph = asking(Backends(settings=settings(keeping)), returning(answer))

    async def ask_often() -> None:
        for _ in range(5):
            await graph.ainvoke({})

    asyncio.run(ask_often())
    assert len(keeping.RequestHandlerClass.ports) == 1


def test_a_loops_client_is_closed_with_the_loop() -> None:
    async def twice() -> Any:
        first, second = await client_here(), await client_here()
        assert first is second
        assert not first.is_closed
        return first

    first, second = asyncio.run(twice()), asyncio.run(twice())
    assert first is not second
    assert first.is_closed
    assert second.is_closed


def test_a_client_that_the_user_brings_is_left_alone() -> None:
    from openai import DefaultAsyncHttpxClient

    client = DefaultAsyncHttpxClient()
    model = ChatOpenAI(model="m", api_key="a-local-key", http_async_client=client)
    assert not shares_client(model)
    assert shares_client(ChatOpenAI(model="m", api_key="a-local-key"))
