"""An index with an instant embedder, and a folder of documents."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backends.chroma import ChromaIndex
from tests.backends.word_embedder import WordEmbedder


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def index(tmp_path: Path, embedder: WordEmbedder) -> Iterator[ChromaIndex]:
    with ChromaIndex(tmp_path / "index", embedder=embedder) as index:
        yield index


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder
