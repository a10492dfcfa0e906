"""An index, a retriever or a web search is taken in whatever shape it comes."""

import asyncio
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from backends import Backends, Settings
from backends.adapters import documents_from
from nodes.calls import search_index, search_web
from state.documents import Document
from state.errors import ConfigError, IndexFailed, SourceError, WebSearchFailed
from tests.backends.asking import run
from tests.stubs import AsyncIndex, AsyncWeb, StubIndex, StubWeb, document, documents

colours = pytest.mark.parametrize("colour", ["sync", "async"])


async def found(colour: str, index: Any, k: int = 4, **settings: Any) -> list[Document]:
    given = {"min_wait": 0.0, "max_attempts": 1, **settings}
    backends = Backends(index=index, settings=Settings(_env_file=None, **given))
    return (await run(colour, backends, lambda: search_index("Sirius", k)))["reply"]


async def found_on_the_web(colour: str, web: Any, **settings: Any) -> list[Document]:
    given = {"min_wait": 0.0, "max_attempts": 1, **settings}
    backends = Backends(web=web, settings=Settings(_env_file=None, **given))
    return (await run(colour, backends, lambda: search_web("Sirius", 4)))["reply"]


def texts(documents: list[Document]) -> list[str]:
    return [document["content"] for document in documents]


# --- what can be searched -------------------------------------------------------------------


@colours
@pytest.mark.parametrize("kind", [StubIndex, AsyncIndex])
async def test_an_object_with_search_is_asked_for_k_and_cut_to_k(colour: str, kind: Any) -> None:
    index = kind(documents("a", "b", "c"))
    assert [d["id"] for d in await found(colour, index, k=2)] == ["a", "b"]
    assert index.heard == [("Sirius", 2)]


@colours
async def test_an_object_whose_search_is_a_coroutine_is_awaited(colour: str) -> None:
    class Index:
        async def search(self, query: str, k: int) -> list[Document]:
            await asyncio.sleep(0)
            return documents("a")

    assert [d["id"] for d in await found(colour, Index())] == ["a"]


def store(cls: type[Any] = InMemoryVectorStore) -> Any:
    texts = [f"Star number {i}." for i in range(9)]
    return cls.from_texts(
        texts, DeterministicFakeEmbedding(size=8), metadatas=[{"source": t} for t in texts]
    )


@colours
@pytest.mark.parametrize("k", [1, 3, 7])
async def test_a_vector_stores_retriever_is_asked_for_k(colour: str, k: int) -> None:
    assert len(await found(colour, store().as_retriever(), k=k)) == k


@colours
async def test_a_vector_store_is_searched_too(colour: str) -> None:
    assert len(await found(colour, store(), k=7)) == 7


class BlockingStore(InMemoryVectorStore):
    """A store without an async side of its own, as most of them are."""

    asimilarity_search = VectorStore.asimilarity_search


class Fixed(BaseRetriever):
    """A retriever that returns the same documents, and keeps the threads it ran in."""

    given: list[LangChainDocument]
    threads: list[str] = []  # noqa: RUF012 - a pydantic field

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[LangChainDocument]:
        self.threads.append(threading.current_thread().name)
        return self.given


@colours
@pytest.mark.parametrize("index", [store(BlockingStore), Fixed(given=[LangChainDocument("x")])])
async def test_what_has_no_async_side_runs_in_a_thread_that_ends_with_the_program(
    colour: str, index: Any
) -> None:
    assert await found(colour, index, k=1)
    if isinstance(index, Fixed):
        assert index.threads[-1] == "crag-call"


@colours
async def test_a_retriever_is_cut_to_k(colour: str) -> None:
    given = [LangChainDocument(page_content=f"d{i}", id=f"d{i}") for i in range(9)]
    assert [d["id"] for d in await found(colour, Fixed(given=given), k=3)] == ["d0", "d1", "d2"]


@pytest.mark.parametrize("source", ["path/to/docs", 7, [], object(), StubIndex])
@pytest.mark.parametrize("argument", ["index", "web"])
def test_what_cannot_search_is_refused_at_once(argument: str, source: Any) -> None:
    with pytest.raises(ConfigError, match=argument):
        Backends(**{argument: source})


# --- what searches return -------------------------------------------------------------------

HIT = {"url": "https://example.org/a", "title": "A", "content": "Sirius.", "score": 0.9}


@colours
@pytest.mark.parametrize(
    "given",
    [
        [HIT],
        (HIT,),
        {"results": [HIT], "answer": "…"},
        json.dumps([HIT]),
        json.dumps({"results": [HIT]}),
        lambda: iter([HIT]),
        [{"page_content": "Sirius.", "metadata": {"url": HIT["url"], "title": "A"}}],
        [LangChainDocument(page_content="Sirius.", metadata={"url": HIT["url"], "title": "A"})],
    ],
    ids=["list", "tuple", "dict", "text", "dict text", "iterator", "page_content", "LangChain"],
)
async def test_results_are_converted_from_every_shape(colour: str, given: Any) -> None:
    web = StubWeb(lambda query: given() if callable(given) else given)
    (only,) = await found_on_the_web(colour, web)
    assert only["content"] == "Sirius."
    assert only["metadata"]["source"] == only["metadata"]["url"] == HIT["url"]
    assert only["metadata"]["title"] == "A"
    assert only["id"].startswith("web-")


@colours
@pytest.mark.parametrize("nothing", [None, [], {}.values(), "", "  ", "[]", "null", '""'])
@pytest.mark.parametrize("wrapped", [False, True])
async def test_no_results_are_no_documents_and_no_failure(
    colour: str, nothing: Any, wrapped: bool
) -> None:
    if wrapped and isinstance(nothing, str):
        nothing = json.dumps({"results": []})
    elif wrapped:
        nothing = {"results": nothing}
    assert await found_on_the_web(colour, AsyncWeb(lambda query: nothing)) == []
    assert await found(colour, StubIndex(lambda query: nothing)) == []


@colours
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("HTTPError(401 Unauthorized)", "401 Unauthorized"),
        ('"Rate limited."', "Rate limited"),
        ({"error": "Rate limited."}, "Rate limited"),
        ({"error": "Rate limited.", "results": []}, "Rate limited"),
        ({"detail": {"error": "No such thing."}}, "No such thing"),
        ("<html>502 Bad Gateway</html>", "502"),
        (7, "int"),
        (["HTTPError(401)"], "str where a document"),
        ([None], "NoneType where a document"),
        ([{"url": "x"}], "no text; its keys are"),
        ([{"content": None}], "no text"),
        ([{"content": "x", "metadata": "y"}], "metadata is str"),
        (LangChainDocument("x"), "list of documents"),
        ({"content": "x"}, "no results"),
    ],
)
async def test_garbage_is_a_failure_and_never_a_document(
    colour: str, given: Any, says: str
) -> None:
    with pytest.raises(WebSearchFailed, match=says):
        await found_on_the_web(colour, StubWeb(lambda query: given))
    with pytest.raises(IndexFailed, match=says):
        await found(colour, AsyncIndex(lambda query: given))


@colours
async def test_results_that_fail_half_way_are_a_failure(colour: str) -> None:
    def some(query: str) -> Iterator[Document]:
        yield document("a")
        raise OSError("disk")

    with pytest.raises(IndexFailed, match="stub index failed: OSError: disk"):
        await found(colour, StubIndex(some))


def test_ids_are_kept_and_made_stable_where_there_are_none() -> None:
    one, other = documents_from(
        [{"id": 0, "content": "a"}, {"id": "", "content": "b"}], IndexFailed
    )
    assert one["id"] == "0"
    again = documents_from([{"content": "b"}], IndexFailed)
    assert other["id"] == again[0]["id"] != documents_from([{"content": "c"}], IndexFailed)[0]["id"]
    (named,) = documents_from([{"content": "a", "metadata": {"id": "m1"}}], IndexFailed)
    assert named["id"] == "m1"


def test_metadata_becomes_plain_json_and_text_stays_verbatim() -> None:
    text = "  \r\nA\x00 {x} <b> \ufeff "
    metadata = {"score": np.float32(0.5), "page": np.int64(3), "tags": {"x"}, 7: ("a", None)}
    (only,) = documents_from([{"content": text, "metadata": metadata}], IndexFailed)
    assert only["content"] == text
    assert only["metadata"] == {"score": 0.5, "page": 3, "tags": ["x"], "7": ["a", None]}
    json.dumps(only)


def test_a_lone_surrogate_is_replaced_since_nothing_can_carry_it() -> None:
    (only,) = documents_from([{"content": "a\ud800b 🦄", "title": "\udc00"}], IndexFailed)
    assert only["content"] == "a?b 🦄"
    assert only["metadata"]["title"] == "?"


def test_what_was_given_is_not_changed() -> None:
    given = {"id": "a", "content": "x", "url": "u", "metadata": {"page": 1}}
    documents_from([given], IndexFailed)
    assert given == {"id": "a", "content": "x", "url": "u", "metadata": {"page": 1}}


# --- what searches raise --------------------------------------------------------------------


class Refused(Exception):
    """An error of a client, with the response that it came with."""

    def __init__(self, status: int, **headers: str) -> None:
        super().__init__(f"HTTP {status}")
        self.response = type("Response", (), {"status_code": status, "headers": headers})()


@colours
@pytest.mark.parametrize("source", [StubIndex, AsyncIndex])
async def test_what_an_index_raises_is_named(colour: str, source: Any) -> None:
    error = KeyError("embedding")
    with pytest.raises(IndexFailed, match=r"stub index failed: KeyError: 'embedding'") as raised:
        await found(colour, source(error))
    assert raised.value.__cause__ is error
    assert not raised.value.transient


@colours
async def test_errors_of_the_projects_own_pass_as_they_are(colour: str) -> None:
    for error in (ConfigError("Run crag ingest again."), IndexFailed("The index is locked.")):
        with pytest.raises(type(error), match=str(error)):
            await found(colour, StubIndex(error))


@colours
@pytest.mark.parametrize("status", [408, 429, 500, 503])
async def test_a_failure_that_may_pass_is_tried_again(colour: str, status: int) -> None:
    web = StubWeb(Refused(status, **{"retry-after": "0"}))
    with pytest.raises(WebSearchFailed, match=str(status)):
        await found_on_the_web(colour, web, max_attempts=3)
    assert len(web.heard) == 3


@colours
@pytest.mark.parametrize("error", [Refused(401), Refused(404), ValueError("x"), StopIteration()])
async def test_a_failure_that_stays_costs_one_call(colour: str, error: Exception) -> None:
    web = StubWeb(error)
    with pytest.raises(WebSearchFailed):
        await found_on_the_web(colour, web, max_attempts=3)
    assert len(web.heard) == 1


@colours
async def test_a_search_that_hangs_is_given_up(colour: str) -> None:
    ended = threading.Event()
    with pytest.raises(IndexFailed, match=r"stub index gave no reply within 0\.1 s"):
        await found(colour, StubIndex(lambda query: ended.wait()), timeout=0.1)
    ended.set()


@colours
async def test_keys_in_an_error_are_not_shown(colour: str) -> None:
    error = OSError("GET https://api.example.org/search?api_key=abcdef0123456789&q=x failed")
    with pytest.raises(WebSearchFailed) as raised:
        await found_on_the_web(colour, StubWeb(error))
    assert "abcdef" not in str(raised.value)
    assert "q=x" in str(raised.value)
    assert raised.value.__cause__ is None


def test_an_index_that_hangs_and_one_that_is_empty_are_different_things() -> None:
    assert issubclass(IndexFailed, SourceError)
    assert documents_from([], SourceError) == []
