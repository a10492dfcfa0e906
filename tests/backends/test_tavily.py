"""The real Tavily client against a local server: hits, no hits, and every way to fail."""

import json
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import SecretStr
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from backends import Backends, Settings
from backends.tavily import TavilySearch
from nodes.calls import search_web
from state.documents import Document
from state.errors import WebSearchFailed
from tests.backends.asking import run

KEY = "tvly-recognisable-0123456789abcdef"
HIT = {
    "title": "Riga",
    "url": "https://example.org/riga",
    "content": "Built in 1863.",
    "score": 0.8,
}
colours = pytest.mark.parametrize("colour", ["sync", "async"])
Serve = Callable[..., list[Request]]


@pytest.fixture
def serve(http_server: HTTPServer) -> Serve:
    """Answer searches with a body (or a whole response), and return what arrives."""

    def start(body: Any = None, status: int = 200, **headers: str) -> list[Request]:
        heard: list[Request] = []

        def answer(request: Request) -> Response:
            heard.append(request)
            if isinstance(body, Response):
                return body
            text = body if isinstance(body, str) else json.dumps(body)
            kind = "text/html" if text.startswith("<") else "application/json"
            return Response(text, status, headers, content_type=kind)

        http_server.expect_request("/search", method="POST").respond_with_handler(answer)
        return heard

    return start


def settings(http_server: HTTPServer, **fields: Any) -> Settings:
    given = {
        "tavily_api_key": KEY,
        "tavily_base_url": http_server.url_for(""),
        "min_wait": 0.0,
        "max_attempts": 1,
    }
    return Settings(_env_file=None, **given | fields)


async def found(
    colour: str, settings: Settings, query: str = "How old is it?", k: int = 4
) -> list[Document]:
    backends = Backends(settings=settings)
    return (await run(colour, backends, lambda: search_web(query, k)))["reply"]


def results(*hits: Any, **rest: Any) -> dict[str, Any]:
    return {"query": "q", "results": list(hits), "response_time": 0.1, **rest}


@colours
async def test_every_hit_is_a_document_of_its_own(
    http_server: HTTPServer, serve: Serve, colour: str
) -> None:
    other = {**HIT, "url": "https://example.org/b", "title": "B", "content": " Ünïcode {x}\n"}
    heard = serve(results(HIT, other, answer="not this"))
    one, two = await found(colour, settings(http_server), k=3)
    assert one["content"] == "Built in 1863."
    assert one["metadata"] == {
        "url": HIT["url"],
        "title": "Riga",
        "score": 0.8,
        "source": HIT["url"],
    }
    assert two["content"] == " Ünïcode {x}\n"
    assert one["id"] != two["id"]
    (request,) = heard
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.get_json() == {"query": "How old is it?", "max_results": 3}


@colours
async def test_hits_without_text_are_left_out(
    http_server: HTTPServer, serve: Serve, colour: str
) -> None:
    empty = [{**HIT, "content": nothing} for nothing in (None, "", " \n")]
    serve(results(*empty, HIT, {"url": "x", "title": "y"}))
    assert len(await found(colour, settings(http_server))) == 1


@colours
async def test_no_hits_are_no_documents(http_server: HTTPServer, serve: Serve, colour: str) -> None:
    serve(results())
    assert await found(colour, settings(http_server)) == []


@colours
@pytest.mark.parametrize("key", [None, "", "  "])
async def test_without_a_key_nothing_goes_out(
    http_server: HTTPServer, serve: Serve, colour: str, key: str | None
) -> None:
    heard = serve(results(HIT))
    secret = None if key is None else SecretStr(key)
    chosen = settings(http_server).model_copy(update={"tavily_api_key": secret})
    with pytest.raises(WebSearchFailed, match="Set TAVILY_API_KEY"):
        await found(colour, chosen)
    assert heard == []


REFUSED = [
    (400, "refused the query", False),
    (401, "Check TAVILY_API_KEY", False),
    (403, "Check what TAVILY_API_KEY may do", False),
    (404, "CRAG_TAVILY_BASE_URL", False),
    (418, "failed .418.", False),
    (429, "asked too often", True),
    (432, "plan is used up", False),
    (433, "pay-as-you-go", False),
    (500, "failed .500.", True),
    (503, "failed .503.", True),
]


@colours
@pytest.mark.parametrize(("status", "says", "may_pass"), REFUSED)
@pytest.mark.parametrize("page", [False, True])
async def test_every_refusal_is_told_apart_and_tried_again_only_if_it_may_pass(
    http_server: HTTPServer,
    serve: Serve,
    colour: str,
    status: int,
    says: str,
    may_pass: bool,
    page: bool,
) -> None:
    body = "<html>No.</html>" if page else {"detail": {"error": f"It said: {KEY} is bad."}}
    heard = serve(body, status)
    with pytest.raises(WebSearchFailed, match=says) as raised:
        await found(colour, settings(http_server, max_attempts=3))
    assert len(heard) == (3 if may_pass else 1)
    assert ("It said: [key] is bad." in str(raised.value)) is not page
    assert KEY not in str(raised.value)
    assert "\n" not in str(raised.value)


@colours
async def test_the_wait_that_is_asked_for_decides(
    http_server: HTTPServer, serve: Serve, colour: str
) -> None:
    heard = serve({"detail": {"error": "Slow down."}}, 429, **{"retry-after": "60"})
    with pytest.raises(WebSearchFailed, match="asks to wait 60 s") as raised:
        await found(colour, settings(http_server, max_attempts=4, max_wait=30))
    assert len(heard) == 1
    assert raised.value.retry_after == 60


@colours
@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("<!DOCTYPE html><html>Sign in</html>", "not an API reply"),
        ('{"results": [{"ti', "not an API reply"),
        ("[]", "not an API reply"),
        ("{}", "no results but"),
        ({"results": None}, "no results but"),
        ({"error": "Out of order."}, "Out of order"),
        ({"detail": {"error": "Out of order."}, "results": []}, "Out of order"),
        ({"results": "HTTPError(401)"}, "no results but"),
        ({"results": ["HTTPError(401)"]}, "str where a document"),
    ],
)
async def test_what_comes_with_status_200_and_is_no_result_is_a_failure(
    http_server: HTTPServer, serve: Serve, colour: str, body: Any, says: str
) -> None:
    serve(body)
    with pytest.raises(WebSearchFailed, match=says):
        await found(colour, settings(http_server))


@colours
async def test_a_server_that_does_not_answer_is_given_up_by_the_client(
    http_server: HTTPServer, colour: str
) -> None:
    ended = threading.Event()
    http_server.expect_request("/search").respond_with_handler(
        lambda request: Response("late") if ended.wait() else Response()
    )
    search = TavilySearch(SecretStr(KEY), base_url=http_server.url_for(""), timeout=0.1)
    backends = Backends(web=search, settings=settings(http_server, max_attempts=2))
    try:
        with pytest.raises(WebSearchFailed, match="no reply in time") as raised:
            await run(colour, backends, lambda: search_web("q", 4))
    finally:
        ended.set()
    assert raised.value.transient


@colours
async def test_a_dead_endpoint_is_named(http_server: HTTPServer, colour: str) -> None:
    dead = settings(http_server, tavily_base_url="http://127.0.0.1:9")
    with pytest.raises(WebSearchFailed, match="cannot be reached") as raised:
        await found(colour, dead)
    assert raised.value.transient


@colours
async def test_long_queries_are_cut_at_a_word_and_many_results_capped(
    http_server: HTTPServer, serve: Serve, colour: str
) -> None:
    heard = serve(results(HIT))
    await found(colour, settings(http_server), "lighthouse " * 60, k=50)
    await found(colour, settings(http_server), "x" * 500, k=0)
    words, unbroken = (request.get_json() for request in heard)
    assert words["query"] == ("lighthouse " * 36).strip()
    assert words["max_results"] == 20
    assert unbroken["query"] == "x" * 400
    assert unbroken["max_results"] == 1


@colours
async def test_a_blank_query_does_not_go_out(
    http_server: HTTPServer, serve: Serve, colour: str
) -> None:
    heard = serve(results(HIT))
    with pytest.raises(WebSearchFailed, match="no query"):
        await found(colour, settings(http_server), " \n")
    assert heard == []


@colours
async def test_the_key_is_in_no_log_and_no_representation(
    http_server: HTTPServer, serve: Serve, colour: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    serve({"detail": {"error": f"Bad key {KEY}"}}, 401)
    search = TavilySearch.from_settings(settings(http_server))
    with pytest.raises(WebSearchFailed) as raised:
        await run(colour, Backends(web=search), lambda: search_web("q", 4))
    assert raised.value.__cause__ is None
    said = [str(vars(record)) for record in caplog.records]
    for text in (*said, caplog.text, repr(search), repr(vars(search)), repr(raised.value)):
        assert KEY not in text
    assert any("receipt" in text or "web" in text for text in said)


def test_the_name_and_the_settings() -> None:
    chosen = Settings(_env_file=None, tavily_api_key=KEY, timeout=7)
    search = TavilySearch.from_settings(chosen)
    assert search.name == "tavily"
    assert Backends(settings=chosen).web.name == "tavily"
