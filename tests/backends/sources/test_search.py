"""Searching named sources through the gateway: defaults, failures, deadlines, memory."""

from typing import Any

import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.retrievers import BaseRetriever

from backends import Backends, Settings
from backends.sources import Memory, check_sources
from graphs import study
from nodes.calls import Found, SearchSource
from state.errors import ConfigError, SourceError
from tests.graphs.study_kit import COMPLEX, Kit, run
from tests.stubs import StubIndex, document

CALL = SearchSource("wikipedia", "osmosis", 5)


class Throttled:
    """Always refused; a further attempt may pass."""

    name = "throttled"

    def __init__(self) -> None:
        self.asked = 0

    def search(self, query: str, k: int) -> Any:
        self.asked += 1
        raise SourceError("HTTP 429", transient=True)


def test_nothing_after_something_is_doubted_and_the_earlier_results_are_used() -> None:
    memory = Memory()
    first = Found([document("w1")])
    assert memory.checked(CALL, first) == first
    again = memory.checked(CALL, Found([]))
    assert again.documents == first.documents
    assert "asked too often" in again.doubt


def test_nothing_at_first_is_nothing_found() -> None:
    assert Memory().checked(CALL, Found([])) == Found([])


def test_another_query_or_language_is_not_the_same_one() -> None:
    memory = Memory()
    memory.checked(CALL, Found([document("w1")]))
    for other in (
        SearchSource("wikipedia", "diffusion", 5),
        SearchSource("wikipedia", "osmosis", 5, "ar"),
        SearchSource("arxiv", "osmosis", 5),
    ):
        assert memory.checked(other, Found([])) == Found([])


def test_the_memory_is_bounded() -> None:
    memory = Memory(most=1)
    memory.checked(CALL, Found([document("w1")]))
    memory.checked(SearchSource("wikipedia", "diffusion", 5), Found([document("w2")]))
    assert memory.checked(CALL, Found([])) == Found([])


async def test_a_throttled_source_shows_as_doubtful_in_the_output() -> None:
    replies = iter([[document("w1", "Osmosis moves water.")]])
    kit = Kit(
        triage=COMPLEX, score=0.1, sources={"wikipedia": StubIndex(lambda q: next(replies, []))}
    )
    kit.rewriter.reply = lambda prompt: ""
    _, out = await run(kit, "sync")
    reports = [report for report in out["sources"] if report["source"] == "wikipedia"]
    assert [report["outcome"] for report in reports] == ["hits", "hits", "hits"]
    assert reports[0]["error"] == ""
    assert "asked too often" in reports[1]["error"]


async def test_an_emptied_index_is_believed() -> None:
    replies = iter([[document("c1", "Osmosis moves water.")]])
    kit = Kit(score=0.1, sources={"curated": StubIndex(lambda q: next(replies, []))})
    _, out = await run(kit, "sync", "osmosis", allowed_sources=["curated"], max_retries=1)
    assert [report["outcome"] for report in out["sources"]] == ["hits", "no_hits"]


@pytest.mark.parametrize("colour", ["sync", "async"])
async def test_the_wait_for_a_throttled_source_ends_with_its_deadline(colour: str) -> None:
    throttled = Throttled()
    kit = Kit(triage=COMPLEX, sources={"arxiv": throttled}, max_attempts=10)
    kit.settings = Settings(_env_file=None, max_attempts=10, min_wait=60, max_wait=60)
    _, out = await run(kit, colour, source_timeout_s=0.2)
    report = next(report for report in out["sources"] if report["source"] == "arxiv")
    assert report["outcome"] == "failed"
    assert throttled.asked < 10
    assert out["status"] == "answered"


@pytest.mark.parametrize("colour", ["sync", "async"])
async def test_a_source_that_hangs_is_left_behind_at_its_deadline(colour: str) -> None:
    slow = StubIndex((document("a1"),), delay=0.6)
    _, out = await run(Kit(triage=COMPLEX, sources={"arxiv": slow}), colour, source_timeout_s=0.1)
    report = next(report for report in out["sources"] if report["source"] == "arxiv")
    assert report["outcome"] == "failed"
    assert "no reply within" in report["error"]
    assert out["status"] == "answered"


async def test_an_error_text_never_becomes_a_chunk() -> None:
    kit = Kit(triage=COMPLEX, sources={"web": StubIndex(lambda q: "HTTPError(401 Unauthorized)")})
    _, out = await run(kit, "sync")
    report = next(report for report in out["sources"] if report["source"] == "web")
    assert report["outcome"] == "failed"
    assert "401" in report["error"]
    assert not any("401" in chunk["content"] for chunk in out["pool"])


def test_a_source_that_was_not_set_up_is_reported_with_what_to_do() -> None:
    kit = Kit(triage=COMPLEX)
    del kit.sources["web"]
    out = study.build(kit.backends()).compile().invoke({"question": "What is osmosis?"})
    report = next(report for report in out["sources"] if report["source"] == "web")
    assert report["outcome"] == "failed"
    assert "TAVILY_API_KEY" in report["error"]


async def test_a_langchain_retriever_can_be_a_source() -> None:
    class Retriever(BaseRetriever):
        def _get_relevant_documents(
            self, query: str, *, run_manager: Any
        ) -> list[LangChainDocument]:
            return [LangChainDocument(f"Osmosis, as asked: {query}", metadata={"source": "lc"})]

    kit = Kit(triage=COMPLEX, sources={"wikipedia": Retriever()})
    _, out = await run(kit, "async")
    assert "lc" in {chunk["metadata"].get("source") for chunk in out["pool"]}


def test_an_unknown_source_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="bing"):
        check_sources({"bing": None})
    with pytest.raises(ConfigError, match="bing"):
        Backends(sources={"bing": StubIndex()})


def test_a_source_that_cannot_search_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="arxiv"):
        Backends(sources={"arxiv": object()})


def test_the_settings_name_the_addresses_of_the_default_sources() -> None:
    settings = Settings(
        _env_file=None,
        wikipedia_url="http://127.0.0.1:9/{language}",
        arxiv_url="http://127.0.0.1:9",
    )
    backends = Backends(settings=settings)
    for name in ("wikipedia", "arxiv"):
        with pytest.raises(SourceError, match="cannot be reached"):
            backends.source(name).search("osmosis", 1)
        assert backends.source(name) is backends.source(name)
