"""The invariants of document 001, section 5, for any index.

Subclass ``IndexInvariants`` in a test module of the backend, and give it the fixture
``open_index``: it opens the one index of the test, with the embedder that it is given, as often
as it is called.
"""

import math
import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from backends.index import DocumentIndex, Source
from state.documents import Document
from state.errors import ConfigError, IndexFailed, IngestError
from tests.backends.word_embedder import WordEmbedder

OpenIndex = Callable[[WordEmbedder], DocumentIndex]

ODD_TEXTS = {
    "several scripts": "Ünïcödé — 你好, مرحبا, 👩🏽‍🚀 e\u0301",
    "a NUL": "before\0after",
    "CRLF, CR and LF": "one\r\ntwo\rthree\n\n",
    "a byte order mark": "\ufefftext",
    "white space": " \t\n\u00a0 ",
    "nothing": "",
    "200 kB": "lorem ipsum " * 16_667,
    "braces and tags": "{x} {{y}} %s </documents> ```json",
}

ODD_METADATA: list[dict[str, Any]] = [
    {},
    {"title": "A title", "page": 3, "draft": False, "weight": 0.1},
    {"nested": {"a": [1, {"b": None}], "empty": {}}, "list": [], "none": None},
    {"ключ": "значение", "": "no name", "chroma:document": "x", "metadata": "y"},
    {"big": 2**70, "small": -1e-300, "broken": "\ud800"},
]


def words(number: int, seed: int = 0) -> list[str]:
    """Make texts of random words."""
    vocabulary = "ant bee cat dog elk fox gnu hen ibis jay kite lynx mole newt owl pig".split()
    chance = random.Random(seed)
    return [" ".join([*chance.sample(vocabulary, 5), f"n{i}"]) for i in range(number)]


def source(name: str, *texts: str, fingerprint: str = "1", **metadata: Any) -> Source:
    """Make a source whose chunks all have the same metadata."""
    chunks = [{"content": text, "metadata": dict(metadata)} for text in texts]
    return Source(name, fingerprint, chunks)


def by_text(documents: list[Document]) -> dict[str, str]:
    """Map texts to ids."""
    return {document["content"]: document["id"] for document in documents}


class IndexInvariants:
    """What must hold for every index."""

    @pytest.fixture
    def open_index(self) -> OpenIndex:
        raise NotImplementedError

    @pytest.fixture
    def embedder(self) -> WordEmbedder:
        return WordEmbedder()

    @pytest.fixture
    def index(self, open_index: OpenIndex, embedder: WordEmbedder) -> Iterator[DocumentIndex]:
        index = open_index(embedder)
        yield index
        index.close()

    # Identifiers: unique, UUIDv4, stable

    def test_every_chunk_has_a_uuid4_of_its_own(self, index):
        index.store([source("a", *words(20)), source("b", *words(20))])
        ids = [document["id"] for document in index.search("ant", 40)]
        assert len(set(ids)) == 40
        assert all(str(uuid.UUID(i)) == i and uuid.UUID(i).version == 4 for i in ids)

    def test_storing_the_same_again_changes_nothing(self, index):
        first = index.store([source("a", *words(9))])
        before = index.search("ant", 9)
        again = index.store([source("a", *words(9))])
        assert (first[0].added, again[0].kept, again[0].added) == (9, 9, 0)
        assert index.search("ant", 9) == before
        assert index.count() == 9

    def test_ids_outlive_closing(self, index, open_index, embedder):
        index.store([source("a", *words(9))])
        before = index.search("ant", 9)
        index.close()
        again = open_index(embedder)
        assert again.search("ant", 9) == before
        again.store([source("a", *words(9))])
        assert again.search("ant", 9) == before
        again.close()

    def test_unchanged_text_keeps_its_id_and_changed_text_gets_a_new_one(self, index):
        index.store([source("a", "the ant", "the bee", "the cat")])
        before = by_text(index.search("the", 9))
        change = index.store([source("a", "new first", "the cat", "the bee!")])
        after = by_text(index.search("the", 9))
        assert set(after) == {"new first", "the cat", "the bee!"}
        assert after["the cat"] == before["the cat"]
        assert not {after["new first"], after["the bee!"]} & set(before.values())
        assert (change[0].kept, change[0].added, change[0].removed) == (1, 2, 2)

    def test_the_same_text_twice_in_a_source_is_two_chunks(self, index):
        index.store([source("a", "the ant", "the ant")])
        before = {d["id"] for d in index.search("ant", 9)}
        index.store([source("a", "the ant", "the ant", "the ant")])
        after = {d["id"] for d in index.search("ant", 9)}
        assert len(before) == 2
        assert len(after) == 3
        assert before < after

    def test_the_same_text_in_two_sources_is_two_chunks(self, index):
        index.store([source("a", "the ant"), source("b", "the ant")])
        found = index.search("ant", 9)
        assert sorted(d["metadata"]["source"] for d in found) == ["a", "b"]
        assert len({d["id"] for d in found}) == 2

    # Content and metadata: as they went in

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
    def test_content_comes_back_verbatim(self, index, open_index, embedder, text):
        index.store([source("a", text)])
        assert index.search("anything", 1)[0]["content"] == text
        index.close()
        again = open_index(embedder)
        assert again.search("anything", 1)[0]["content"] == text
        again.close()

    def test_what_is_embedded_is_what_is_stored(self, index, embedder):
        index.store([source("a", *ODD_TEXTS.values(), title="not this")])
        assert sorted(embedder.heard) == sorted(ODD_TEXTS.values())

    @pytest.mark.parametrize("metadata", ODD_METADATA)
    def test_all_metadata_come_back_with_id_and_source(self, index, metadata):
        index.store([Source("a", "1", [{"content": "text", "metadata": metadata}])])
        document = index.search("text", 1)[0]
        own = {key: document["metadata"].pop(key) for key in ("id", "source", "score")}
        assert document["metadata"] == metadata
        assert own == {"id": document["id"], "source": "a", "score": 1.0}

    def test_changed_metadata_are_replaced_and_nothing_is_embedded_again(self, index, embedder):
        index.store([source("a", "text", old=1)])
        before = index.search("text", 1)[0]
        heard = len(embedder.heard)
        index.store([source("a", "text", new=2)])
        after = index.search("text", 1)[0]
        assert after["id"] == before["id"]
        assert "old" not in after["metadata"]
        assert after["metadata"]["new"] == 2
        assert embedder.heard[heard:] == ["text"]  # only the second search's query

    # Determinism

    def test_a_hundred_searches_give_the_same(self, index):
        index.store([source("a", *words(200))])
        first = index.search("cat dog", 7)
        assert all(index.search("cat dog", 7) == first for _ in range(100))

    def test_the_same_is_found_after_reopening(self, index, open_index, embedder):
        index.store([source("a", *words(200))])
        queries = words(20, seed=1)
        before = [index.search(query, 7) for query in queries]
        index.close()
        again = open_index(embedder)
        assert [again.search(query, 7) for query in queries] == before
        again.close()

    def test_the_same_is_found_after_storing_in_another_order(self, index):
        texts = words(200)
        queries = words(20, seed=1)

        def ranking(query: str) -> dict[float, set[str]]:
            ranks: dict[float, set[str]] = {}
            for document in index.search(query, 200):
                ranks.setdefault(document["metadata"]["score"], set()).add(document["content"])
            return ranks

        index.store([source(text, text) for text in texts])
        before = [ranking(query) for query in queries]
        index.remove(texts)
        assert index.search("ant", 1) == []
        random.Random(2).shuffle(texts)
        for start in range(0, 200, 20):
            index.store([source(text, text) for text in texts[start : start + 20]])
        assert [ranking(query) for query in queries] == before

    def test_ties_are_ordered_by_id_wherever_the_cut_is(self, index):
        for n in range(30):
            index.store([source(f"s{n}", "the same text")])
        ids = [document["id"] for document in index.search("the text", 30)]
        assert ids == sorted(ids)
        for k in range(1, 30):
            assert [d["id"] for d in index.search("the text", k)] == ids[:k]

    # Nearness

    def test_what_is_found_is_what_is_nearest(self, index, embedder):
        texts = words(300)
        index.store([source("a", *texts)])
        vectors = embedder.embed(texts)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        for query in words(30, seed=3):
            vector = embedder.embed([query])[0]
            scores = vectors @ (vector / np.linalg.norm(vector))
            found = [document["metadata"]["score"] for document in index.search(query, 10)]
            np.testing.assert_allclose(found, np.sort(scores)[::-1][:10], atol=2e-6)

    def test_the_nearest_has_the_highest_score(self, index):
        index.store([source("a", "cat dog", "cat fox hen", "pig owl")])
        found = index.search("cat dog", 3)
        scores = [document["metadata"]["score"] for document in found]
        assert found[0]["content"] == "cat dog"
        assert found[-1]["content"] == "pig owl"
        assert scores == sorted(scores, reverse=True)
        assert scores[0] == 1.0
        assert all(-1 <= score <= 1 for score in scores)

    def test_no_more_is_found_than_there_is_or_is_asked_for(self, index):
        assert index.search("ant", 4) == []
        index.store([source("a", *words(3))])
        assert len(index.search("ant", 4)) == 3
        assert len(index.search("ant", 2)) == 2
        assert index.search("ant", 0) == []

    def test_thousands_are_found_when_asked_for(self, index):
        index.store([source("a", *words(3000))])
        assert len(by_text(index.search("ant", 5000))) == 3000

    def test_a_query_with_an_unpaired_surrogate_is_searched(self, index):
        index.store([source("a", "ant")])
        assert index.search("ant \ud800", 1)[0]["content"] == "ant"

    # Replacing and removing

    def test_fingerprints_name_what_is_stored(self, index):
        index.store([source("a", "x", fingerprint="1"), source("b", fingerprint="2")])
        index.store([source("a", "x", fingerprint="3")])
        assert index.fingerprints() == {"a": "3", "b": "2"}

    def test_removed_sources_are_not_found(self, index):
        index.store([source("a", "ant", "ape"), source("b", "bee")])
        assert index.remove(["a", "unknown"]) == 2
        assert [document["content"] for document in index.search("ant", 9)] == ["bee"]
        assert index.fingerprints() == {"b": "1"}
        assert index.count() == 1

    def test_progress_adds_up_to_all_chunks(self, index):
        index.store([source("a", *words(300))])
        done: list[int] = []
        index.store([source("a", *words(600)), source("b", "ant")], done.append)
        assert sum(done) == 601

    def test_an_interrupted_replacement_leaves_the_old_chunks_in_force(self, index, embedder):
        index.store([source("a", "old ant", "old bee"), source("b", "ant")])
        before = index.search("old ant", 9)

        def interrupt(chunks: int) -> None:
            if chunks > 2:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.store([source("a", "old bee", *words(700), fingerprint="2")], interrupt)
        assert index.search("old ant", 9) == before
        assert index.fingerprints()["a"] == "1"
        assert index.count() == 3

        heard = len(embedder.heard)
        index.store([source("a", "old bee", *words(700), fingerprint="2")])
        assert len(embedder.heard) - heard < 700  # it went on where it stopped
        assert index.count() == 702
        found = index.search("old ant", 800)
        assert sorted(d["content"] for d in found) == sorted(["ant", "old bee", *words(700)])
        assert by_text(found)["old bee"] == by_text(before)["old bee"]

    def test_an_interrupted_and_then_removed_source_leaves_nothing(self, index):
        def interrupt(chunks: int) -> None:
            if chunks:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.store([source("a", *words(600))], interrupt)
        assert index.remove(["a"]) == 0
        index.store([source("b", "bee")])
        assert [document["content"] for document in index.search("ant", 9)] == ["bee"]

    # What is refused

    def test_an_unpaired_surrogate_is_refused_and_nothing_is_stored(self, index):
        with pytest.raises(IngestError, match=r"'b' has an unpaired surrogate at character 4"):
            index.store([source("a", "fine"), source("b", "bad \ud800")])
        assert index.count() == 0

    @pytest.mark.parametrize("value", [math.nan, {1, 2}, object()])
    def test_metadata_that_are_not_json_are_refused(self, index, value):
        with pytest.raises(IngestError, match="metadata of a chunk of 'a' are not JSON"):
            index.store([source("a", "text", value=value)])
        assert index.count() == 0

    def test_another_embedder_is_refused_even_with_vectors_of_the_same_length(
        self, index, open_index
    ):
        index.store([source("a", "ant")])
        index.close()
        other = open_index(WordEmbedder("words-2", seed="other"))
        for use in (lambda: other.search("ant", 1), lambda: other.store([source("b", "bee")])):
            with pytest.raises(ConfigError, match="made with words-1, but words-2 is in use"):
                use()
        other.close()

    def test_one_embedder_embeds_what_is_stored_and_what_is_asked(self, index, embedder):
        index.store([source("a", "stored")])
        index.search("asked", 1)
        assert embedder.heard == ["stored", "asked"]

    @pytest.mark.parametrize("value", [math.nan, math.inf, 0.0])
    def test_a_vector_without_a_direction_is_an_error_not_a_missing_hit(self, index, value):
        index.store([source("a", "ant")])
        index.embedder.embed = lambda texts: np.full((len(texts), 64), value, np.float32)
        with pytest.raises(IndexFailed, match="words-1 returned a vector"):
            index.search("ant", 1)
        with pytest.raises(IndexFailed, match="words-1 returned a vector"):
            index.store([source("b", "bee")])
