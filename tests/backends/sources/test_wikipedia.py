"""Wikipedia through its real client, against a local server that speaks the MediaWiki API."""

import json
import time
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from backends.sources.wikipedia import WikipediaSource
from state.errors import SourceError

OSMOSIS = "Osmosis is the movement of water.\n\n\n== History ==\nNollet saw it in 1748."
MERCURY = "Mercury may refer to:\n\nMercury (planet)\nMercury (element)"


class Wiki:
    """Pages by title, searched by their words; redirects by title."""

    def __init__(self, server: HTTPServer) -> None:
        self.pages: dict[str, str] = {}
        self.hits: list[str] | None = None
        self.redirects: dict[str, str] = {}
        self.asked: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.failure: Response | None = None
        server.expect_request("/en").respond_with_handler(self.answer)
        server.expect_request("/ar").respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        self.asked.append(dict(request.args))
        self.paths.append(request.path)
        if self.failure is not None:
            return self.failure
        asked = request.args
        query = self._search(asked) if asked.get("list") == "search" else self._page(asked)
        return Response(json.dumps({"query": query}), mimetype="application/json")

    def _search(self, asked: Any) -> dict[str, Any]:
        hits = list(self.pages) if self.hits is None else self.hits
        found = [{"title": title, "ns": 0, "pageid": n} for n, title in enumerate(hits, 1)]
        return {"search": found[: int(asked["srlimit"])]}

    def _page(self, asked: Any) -> dict[str, Any]:
        title = self.redirects.get(asked["titles"], asked["titles"])
        if title not in self.pages:
            return {"pages": {"-1": {"title": title, "ns": 0, "missing": ""}}}
        page = {"title": title, "ns": 0, "pageid": 7, "extract": self.pages[title]}
        return {"pages": {"7": page}}

    def searched(self) -> list[str]:
        return [asked["srsearch"] for asked in self.asked if asked.get("list") == "search"]


@pytest.fixture
def wiki(httpserver: HTTPServer) -> Wiki:
    return Wiki(httpserver)


@pytest.fixture
def source(httpserver: HTTPServer) -> WikipediaSource:
    return WikipediaSource(httpserver.url_for("/{language}"), seconds=0.5)


def test_a_page_comes_with_its_text_title_and_address(wiki: Wiki, source: WikipediaSource) -> None:
    wiki.pages["Osmosis"] = OSMOSIS
    (page,) = source.search("Osmosis", 5)
    assert "Nollet saw it in 1748." in page["content"]
    assert page["metadata"]["title"] == "Osmosis"
    assert page["metadata"]["url"] == "https://en.wikipedia.org/wiki/Osmosis"


def test_the_exact_title_is_tried_first_and_never_corrected(
    wiki: Wiki, source: WikipediaSource
) -> None:
    wiki.pages = {"Special relativity": "About light.", "General relativity": "About gravity."}
    wiki.hits = ["Special relativity"]
    pages = source.search("General relativity", 5)
    assert [page["metadata"]["title"] for page in pages] == [
        "General relativity",
        "Special relativity",
    ]
    assert wiki.searched() == ["General relativity"]
    assert all("srenablerewrites" not in asked for asked in wiki.asked)


def test_no_page_is_nothing_found_and_no_error(wiki: Wiki, source: WikipediaSource) -> None:
    assert source.search("Xyzzy", 5) == []


def test_pages_that_tell_meanings_apart_and_empty_ones_are_left_out(
    wiki: Wiki, source: WikipediaSource
) -> None:
    wiki.pages = {"Mercury": MERCURY, "Mercury (planet)": "The first planet.", "Void": "  "}
    pages = source.search("Mercury", 5)
    assert [page["metadata"]["title"] for page in pages] == ["Mercury (planet)"]


def test_a_redirect_gives_the_page_it_leads_to(wiki: Wiki, source: WikipediaSource) -> None:
    wiki.pages, wiki.redirects = {"Osmosis": OSMOSIS}, {"Osmotic movement": "Osmosis"}
    wiki.hits = []
    (page,) = source.search("Osmotic movement", 5)
    assert page["metadata"]["url"].endswith("/Osmosis")


def test_the_language_chooses_the_wikipedia(wiki: Wiki, source: WikipediaSource) -> None:
    wiki.pages["أسموزية"] = "الأسموزية هي حركة الماء."
    (page,) = source.search("أسموزية", 5, "ar")
    assert set(wiki.paths) == {"/ar"}
    assert page["metadata"]["url"].startswith("https://ar.wikipedia.org/wiki/%D8%A3")


@pytest.mark.parametrize("query", ["uso de Inteligência (modelos", 'a "b [c] {d} | e', "-x ~y*"])
def test_what_the_search_would_read_as_an_operator_is_taken_out(
    query: str, wiki: Wiki, source: WikipediaSource
) -> None:
    wiki.pages["Osmosis"] = OSMOSIS
    assert source.search(query, 5)
    assert not set('"[]{}|~*') & set(wiki.searched()[0])


def test_accents_stay_as_they_are(wiki: Wiki, source: WikipediaSource) -> None:
    source.search("São Tomé e Príncipe", 5)
    assert wiki.searched() == ["São Tomé e Príncipe"]


@pytest.mark.parametrize("query", ["", "  ", '"[]"'])
def test_a_query_without_words_asks_nothing(
    query: str, wiki: Wiki, source: WikipediaSource
) -> None:
    assert source.search(query, 5) == []
    assert wiki.asked == []


def test_throttling_may_pass_and_keeps_the_wait_it_asked_for(
    wiki: Wiki, source: WikipediaSource
) -> None:
    wiki.failure = Response("slow down", 429, headers={"Retry-After": "7"})
    with pytest.raises(SourceError, match="429") as raised:
        source.search("Osmosis", 5)
    assert (raised.value.transient, raised.value.retry_after) == (True, 7)
    assert len(wiki.asked) == 1


@pytest.mark.parametrize(("status", "may_pass"), [(500, True), (503, True), (403, False)])
def test_a_failed_request_is_an_error(
    status: int, may_pass: bool, wiki: Wiki, source: WikipediaSource
) -> None:
    wiki.failure = Response("no", status)
    with pytest.raises(SourceError, match=str(status)) as raised:
        source.search("Osmosis", 5)
    assert raised.value.transient is may_pass


@pytest.mark.parametrize(
    ("body", "may_pass"),
    [
        ({"error": {"code": "maxlag", "info": "Waiting for a database"}}, True),
        ({"error": {"code": "badvalue", "info": "Unrecognised value"}}, False),
    ],
)
def test_an_error_with_status_200_never_looks_like_nothing_found(
    body: dict[str, Any], may_pass: bool, wiki: Wiki, source: WikipediaSource
) -> None:
    wiki.failure = Response(json.dumps(body), mimetype="application/json")
    with pytest.raises(SourceError, match=body["error"]["code"]) as raised:
        source.search("Osmosis", 5)
    assert raised.value.transient is may_pass


def test_a_web_page_instead_of_a_reply_is_an_error(wiki: Wiki, source: WikipediaSource) -> None:
    wiki.failure = Response("<html>Welcome to the hotel's network</html>")
    with pytest.raises(SourceError, match="not an API reply"):
        source.search("Osmosis", 5)


def test_a_server_that_does_not_answer_is_an_error_that_may_pass(
    httpserver: HTTPServer,
) -> None:
    httpserver.expect_request("/en").respond_with_handler(lambda request: time.sleep(0.4))  # type: ignore[arg-type, return-value]
    source = WikipediaSource(httpserver.url_for("/{language}"), seconds=0.05)
    with pytest.raises(SourceError, match="cannot be reached") as raised:
        source.search("Osmosis", 5)
    assert raised.value.transient
    httpserver.clear()


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(SourceError, match="cannot be reached"):
        WikipediaSource("http://127.0.0.1:9/{language}").search("Osmosis", 5)
