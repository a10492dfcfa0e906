"""arXiv through its real client, against a local server that speaks its API."""

import time
from collections.abc import Callable
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from backends.sources.arxiv import ArxivSource, query_of
from state.errors import SourceError

PATH = "/api/query"


def entry(number: int, title: str = "On osmosis", summary: str = "We study osmosis.") -> str:
    return f"""<entry><id>http://arxiv.org/abs/2401.0000{number}v1</id>
<updated>2024-01-02T00:00:00Z</updated><published>2024-01-01T00:00:00Z</published>
<title>{escape(title)}</title><summary>{escape(summary)}</summary>
<author><name>A. Author</name></author>
<link href="http://arxiv.org/abs/2401.0000{number}v1" rel="alternate" type="text/html"/>
<arxiv:primary_category term="physics" scheme="http://arxiv.org/schemas/atom"/>
<category term="physics" scheme="http://arxiv.org/schemas/atom"/></entry>"""


def feed(*entries: str, total: int | None = None) -> str:
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"
 xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><title>arXiv</title>
<id>http://arxiv.org/api/x</id><updated>2024-01-01T00:00:00Z</updated>
<opensearch:totalResults>{len(entries) if total is None else total}</opensearch:totalResults>
<opensearch:startIndex>0</opensearch:startIndex>
<opensearch:itemsPerPage>{len(entries)}</opensearch:itemsPerPage>
{"".join(entries)}</feed>"""


@pytest.fixture
def source(httpserver: HTTPServer) -> ArxivSource:
    return ArxivSource(httpserver.url_for(PATH), seconds_between=0, seconds=0.5)


def serve(
    server: HTTPServer, reply: str | Response | Callable[[Request], Response]
) -> list[dict[str, str]]:
    """Answer every request so; return what was asked."""
    asked: list[dict[str, str]] = []

    def answer(request: Request) -> Response:
        asked.append(dict(request.args))
        if callable(reply) and not isinstance(reply, Response):
            return reply(request)
        return reply if isinstance(reply, Response) else Response(reply, mimetype="text/xml")

    server.expect_request(PATH).respond_with_handler(answer)
    return asked


def test_abstracts_come_with_title_authors_and_address(
    httpserver: HTTPServer, source: ArxivSource
) -> None:
    asked = serve(httpserver, feed(entry(1, "On\n  osmosis"), entry(2)))
    found = source.search("osmosis membrane", 5)
    assert found["doubt"] == ""
    first = found["results"][0]
    assert first["content"] == "We study osmosis."
    assert first["metadata"]["title"] == "On osmosis"
    assert first["metadata"]["url"] == "http://arxiv.org/abs/2401.00001v1"
    assert first["metadata"]["authors"] == ["A. Author"]
    assert asked[0]["search_query"] == "all:osmosis AND all:membrane"
    assert asked[0]["max_results"] == "5"


def test_an_empty_feed_is_nothing_found(httpserver: HTTPServer, source: ArxivSource) -> None:
    serve(httpserver, feed())
    assert source.search("osmosis", 5) == {"results": [], "doubt": ""}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        (
            "uso de Inteligência Artificial (modelos",
            "all:uso AND all:de AND all:inteligencia AND all:artificial AND all:modelos",
        ),
        ('"x" AND (y OR z)', "all:x AND all:y AND all:z"),
        ("COVID-19 R0", "all:covid-19 AND all:r0"),
        ("ما هي الأسموزية", ""),
    ],
)
def test_a_query_is_made_of_what_the_service_takes(text: str, query: str) -> None:
    assert query_of(text) == query


@given(st.text(max_size=80))
def test_no_query_has_what_the_service_refuses(text: str) -> None:
    query = query_of(text)
    assert query.isascii()
    assert not set("()\"'[]{}\\") & set(query)


def test_a_query_without_latin_letters_is_not_sent_and_says_so(
    httpserver: HTTPServer, source: ArxivSource
) -> None:
    asked = serve(httpserver, feed(entry(1)))
    found = source.search("ما هي الأسموزية", 5)
    assert found["results"] == []
    assert "No word" in found["doubt"]
    assert asked == []


def test_what_came_before_an_empty_page_is_kept_and_marked(
    httpserver: HTTPServer, source: ArxivSource
) -> None:
    def pages(request: Request) -> Response:
        first = request.args["start"] == "0"
        return Response(feed(entry(1), entry(2), total=9) if first else feed(total=9))

    serve(httpserver, pages)
    found = source.search("osmosis", 5)
    assert len(found["results"]) == 2
    assert "There may be more" in found["doubt"]


@pytest.mark.parametrize(("status", "may_pass"), [(429, True), (503, True), (400, False)])
def test_a_failed_request_is_an_error_and_is_not_repeated_here(
    status: int, may_pass: bool, httpserver: HTTPServer, source: ArxivSource
) -> None:
    asked = serve(httpserver, Response("no", status))
    with pytest.raises(SourceError, match=str(status)) as raised:
        source.search("osmosis", 5)
    assert raised.value.transient is may_pass
    assert len(asked) == 1


def test_a_web_page_instead_of_a_feed_never_looks_like_nothing_found(
    httpserver: HTTPServer, source: ArxivSource
) -> None:
    serve(httpserver, "<html><body>Rate exceeded.</body></html>")
    with pytest.raises(SourceError, match="not a feed"):
        source.search("osmosis", 5)


def test_a_server_that_does_not_answer_is_an_error_that_may_pass(
    httpserver: HTTPServer,
) -> None:
    serve(httpserver, lambda request: time.sleep(0.4))  # type: ignore[arg-type, return-value]
    slow = ArxivSource(httpserver.url_for(PATH), seconds_between=0, seconds=0.05)
    with pytest.raises(SourceError, match="cannot be reached") as raised:
        slow.search("osmosis", 5)
    assert raised.value.transient
    httpserver.clear()


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SourceError, match="cannot be reached"):
        ArxivSource("http://127.0.0.1:9/q", seconds_between=0).search("osmosis", 5)


def test_requests_keep_their_distance(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("arxiv.time.sleep", waits.append)
    serve(httpserver, feed(entry(1)))
    source = ArxivSource(httpserver.url_for(PATH))
    source.search("osmosis", 1)
    source.search("diffusion", 1)
    assert len(waits) == 1
    assert 2 < waits[0] <= 3
