"""An embedder for tests: words hashed into a few dimensions, instant and offline."""

import hashlib
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class WordEmbedder:
    """Texts that share words are near; it remembers what it embedded."""

    def __init__(self, name: str = "words-1", dimensions: int = 64, seed: str = "") -> None:
        self.name = name
        self.heard: list[str] = []
        self._dimensions = dimensions
        self._seed = seed

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.heard += texts
        vectors = np.zeros((len(texts), self._dimensions), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in ["", *re.findall(r"\w+", text.lower())]:
                digest = hashlib.sha256(f"{self._seed}{word}".encode("utf-8", "replace")).digest()
                row[digest[0] % self._dimensions] += 1 + digest[1] / 256
        return vectors
