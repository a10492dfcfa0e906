"""Term overlap over the stored documents: naive, deterministic, and it embeds no query."""

import random
import uuid
from pathlib import Path
from typing import Any

import pytest

from backends import Backends, Settings
from backends.index import Source
from backends.keyword import KeywordIndex, terms
from graphs import refusal
from state.documents import Document
from state.errors import ConfigError
from tests.backends.index_invariants import ODD_METADATA, ODD_TEXTS, source
from tests.backends.word_embedder import WordEmbedder
from tests.stubs import chat, field

PASSAGES = {
    "loans": "A guest telescope may be borrowed for five nights.",
    "desk": "The loan desk has a telescope-shaped clock.",
    "domes": "The east dome belongs to the university.",
}


def open_index(folder: Path, embedder: WordEmbedder | None = None) -> KeywordIndex:
    return KeywordIndex(folder, embedder=embedder or WordEmbedder(), wait=0)


def filled(folder: Path, *sources: Source) -> KeywordIndex:
    index = open_index(folder)
    index.store(sources or [source(name, text) for name, text in PASSAGES.items()])
    return index


def found(documents: list[Document]) -> list[str]:
    return [document["metadata"]["source"] for document in documents]


def test_the_chunk_with_most_of_the_terms_comes_first(tmp_path: Path) -> None:
    with filled(tmp_path) as index:
        documents = index.search("How long may a telescope be borrowed by the university?", 4)
    assert found(documents)[0] == "loans"
    assert [d["metadata"]["score"] for d in documents] == [0.5, 0.25, 0.25]


def test_a_chunk_without_a_shared_term_is_not_returned(tmp_path: Path) -> None:
    with filled(tmp_path) as index:
        assert found(index.search("telescope", 4)) in (["desk", "loans"], ["loans", "desk"])
        assert index.search("payroll", 4) == []
        assert index.search("of to in", 4) == []
        assert index.search("", 4) == []


def test_asking_embeds_nothing(tmp_path: Path) -> None:
    filled(tmp_path).close()

    class Unused(WordEmbedder):
        def embed(self, texts: Any) -> Any:
            raise AssertionError("embedded")

    with open_index(tmp_path, Unused()) as index:
        assert index.search("telescope", 1)


def test_an_index_of_another_embedder_is_searched_too(tmp_path: Path) -> None:
    filled(tmp_path).close()
    other = WordEmbedder()
    other.name = "another"
    with open_index(tmp_path, other) as index:
        assert index.search("telescope", 1)


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_content_comes_back_verbatim(tmp_path: Path, text: str) -> None:
    with filled(tmp_path, source("a", f"{text} findable")) as index:
        assert [d["content"] for d in index.search("findable", 1)] == [f"{text} findable"]


@pytest.mark.parametrize("metadata", ODD_METADATA)
def test_all_metadata_come_back_with_id_and_source(tmp_path: Path, metadata: Any) -> None:
    chunk: Any = {"content": "findable", "metadata": metadata}
    with filled(tmp_path, Source("a.md", "1", [chunk])) as index:
        document = index.search("findable", 1)[0]
    expected = {**metadata, "id": document["id"], "source": "a.md", "score": 1.0}
    assert document["metadata"] == expected
    assert uuid.UUID(document["id"]).version == 4


def test_ids_stay_when_a_source_is_stored_again(tmp_path: Path) -> None:
    with filled(tmp_path, source("a", "alpha one", "alpha two")) as index:
        before = {d["content"]: d["id"] for d in index.search("alpha", 9)}
        index.store([source("a", "alpha two", "alpha three", fingerprint="2")])
        after = {d["content"]: d["id"] for d in index.search("alpha", 9)}
    assert after["alpha two"] == before["alpha two"]
    assert after["alpha three"] not in before.values()
    assert len(after) == 2


def test_a_search_is_the_same_each_time_and_after_reopening(tmp_path: Path) -> None:
    texts = [f"alpha {'beta ' * (i % 2)}n{i}" for i in range(60)]
    index = filled(tmp_path, source("a", *texts))
    first = index.search("alpha beta", 40)
    assert all(index.search("alpha beta", 40) == first for _ in range(100))
    assert [d["id"] for d in index.search("alpha beta", 10)] == [d["id"] for d in first[:10]]
    index.close()
    with open_index(tmp_path) as again:
        assert again.search("alpha beta", 40) == first


def test_the_order_does_not_depend_on_the_order_of_insertion(tmp_path: Path) -> None:
    sources = [source(f"s{i}", f"alpha {'beta ' * (i % 3)}") for i in range(12)]
    shuffled = random.Random(1).sample(sources, len(sources))
    with filled(tmp_path / "a", *sources) as one, filled(tmp_path / "b", *shuffled) as other:
        ranked = [
            sorted((d["metadata"]["score"], d["content"]) for d in index.search("alpha beta", 12))
            for index in (one, other)
        ]
        ids = [d["id"] for d in one.search("alpha", 12)]
    assert ranked[0] == ranked[1]
    assert ids == sorted(ids)


def test_terms_are_long_words_numbers_and_words_of_other_scripts() -> None:
    assert terms("The 3 jobs of RFC-2119, ما هو 天文台") == {
        "jobs", "3", "2119", "ما", "هو", "天文", "文台",
    }  # fmt: skip


def test_the_refusal_graph_runs_on_it_by_name(tmp_path: Path) -> None:
    filled(tmp_path).close()
    grader = chat(lambda p: {"verdict": "five nights" in field(p, "passage"), "why": "w"})
    backends = Backends(
        index="keyword",
        grader=grader,
        generator=chat("Five nights."),
        settings=Settings(_env_file=None, index_path=tmp_path),
    )
    out = refusal.build(backends).compile().invoke({"question": "May a telescope be borrowed?"})
    assert (out["status"], len(grader.prompts)) == ("answered", 2)
    backends.index.close()


def test_the_settings_name_the_way_of_searching(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, index_path=tmp_path, index="keyword")
    assert isinstance(Backends(settings=settings).index, KeywordIndex)
    with pytest.raises(ConfigError, match="chroma, keyword"):
        Backends(index="bm25", settings=settings)
