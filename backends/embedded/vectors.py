"""Embeddings of sentences, kept so that grading and answering share them."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from backends.embedder import Embedder, default_embedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_MOST = 16_384
"""Vectors kept: 1.5 kB each, 25 MB in all."""


class VectorCache:
    """Remembers the vectors of the texts used last, by model and text; thread-safe.

    Two threads that ask for a new text at the same time may both embed it; no harm is done.
    """

    def __init__(self, most: int = _MOST) -> None:
        """Start empty."""
        self._most = most
        self._kept: OrderedDict[bytes, NDArray[float32]] = OrderedDict()
        self._lock = threading.Lock()

    def embed(self, embedder: Embedder, texts: Sequence[str]) -> "NDArray[float32]":
        """Return vectors of shape (len(texts), dimensions), rows of length 1."""
        import numpy as np

        keys = [_key(embedder.name, text) for text in texts]
        found = self._known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            new = embedder.embed(list(missing.values()))
            found |= dict(zip(missing, new, strict=True))
            self._keep(found)
        return np.stack([found[key] for key in keys])

    def _known(self, keys: Sequence[bytes]) -> "dict[bytes, NDArray[float32]]":
        with self._lock:
            known = {key: self._kept[key] for key in keys if key in self._kept}
            for key in known:
                self._kept.move_to_end(key)
            return known

    def _keep(self, found: "dict[bytes, NDArray[float32]]") -> None:
        with self._lock:
            self._kept.update(found)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


_cache = VectorCache()


def vectors(texts: Sequence[str]) -> "NDArray[float32]":
    """Embed one text or more with the embedded model; shape (len(texts), 384)."""
    return _cache.embed(default_embedder(), texts)


def _key(model: str, text: str) -> bytes:
    return hashlib.blake2b(f"{model}\0{text}".encode("utf-8", "replace"), digest_size=16).digest()
