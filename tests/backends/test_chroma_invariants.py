"""The invariants of an index, held by Chroma."""

from pathlib import Path

import pytest

from backends.chroma import ChromaIndex
from tests.backends.index_invariants import IndexInvariants, OpenIndex


class TestChromaIndex(IndexInvariants):
    @pytest.fixture
    def open_index(self, tmp_path: Path) -> OpenIndex:
        return lambda embedder: ChromaIndex(tmp_path / "index", embedder=embedder, wait=0)
