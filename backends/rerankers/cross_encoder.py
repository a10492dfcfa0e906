"""A local cross-encoder: any one exported to ONNX, from a folder that the user names."""

import json
import threading
from pathlib import Path
from typing import Any

from backends.onnx_session import open_session
from backends.settings import Settings
from state.errors import ConfigError

_BATCH = 8
_LONGEST = 512
_FILES = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")


class CrossEncoder:
    """Reads query and text together, and emits a logit.

    The folder is laid out as sentence-transformers and Optimum write it: ``model.onnx`` (or
    ``onnx/model.onnx``), ``tokenizer.json`` and ``config.json``. Thread-safe, loaded at the
    first use.

    Args:
        folder: The model's folder.
    """

    scale = "logit"

    def __init__(self, folder: Path) -> None:
        """Look for the files; load nothing.

        Raises:
            ConfigError: A file is missing.
        """
        self.name = folder.name
        self._model = next((folder / f for f in _FILES if (folder / f).is_file()), None)
        self._tokenizer_file = folder / "tokenizer.json"
        self._longest = _longest(folder / "config.json")
        if self._model is None or not self._tokenizer_file.is_file():
            raise ConfigError(
                f"CRAG_CROSS_ENCODER: {folder} has no model.onnx and tokenizer.json. Export the "
                "model with: optimum-cli export onnx --model NAME FOLDER"
            )
        self._loaded: tuple[Any, Any] | None = None
        self._lock = threading.Lock()

    @classmethod
    def from_settings(cls, settings: Settings) -> "CrossEncoder":
        """Make the reranker of the settings' folder.

        Raises:
            ConfigError: None is named, or a file is missing.
        """
        if settings.cross_encoder is None:
            raise ConfigError("CRAG_CROSS_ENCODER names no model folder.")
        return cls(settings.cross_encoder)

    def score(self, query: str, texts: list[str]) -> list[float]:
        """Return one logit per text, in their order; a long text is cut at the model's length."""
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        logits = [0.0] * len(texts)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            found = self._logits([(query, texts[i]) for i in batch])
            for place, logit in zip(batch, found, strict=True):
                logits[place] = logit
        return logits

    def _logits(self, pairs: list[tuple[str, str]]) -> list[float]:
        import numpy as np

        tokenizer, session = self._load()
        encoded = tokenizer.encode_batch([(_plain(a), _plain(b)) for a, b in pairs])
        columns = {
            "input_ids": [e.ids for e in encoded],
            "attention_mask": [e.attention_mask for e in encoded],
            "token_type_ids": [e.type_ids for e in encoded],
        }
        wanted = {each.name for each in session.get_inputs()}
        feeds = {k: np.asarray(v, np.int64) for k, v in columns.items() if k in wanted}
        output = np.asarray(session.run(None, feeds)[0], np.float64).reshape(len(pairs), -1)
        # Two classes: the sigmoid of their difference is the second one's probability.
        logits = output[:, 0] if output.shape[1] == 1 else output[:, -1] - output[:, 0]
        return [float(logit) for logit in logits]

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._tokenizer_file, str(self._model), self._longest)
            return self._loaded


def _load(tokenizer_file: Path, model: str, longest: int) -> tuple[Any, Any]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    tokenizer.enable_truncation(longest, strategy="longest_first")
    padding = tokenizer.padding or {}
    tokenizer.enable_padding(**{k: padding[k] for k in ("pad_id", "pad_token") if k in padding})
    return tokenizer, open_session(model)


def _longest(config: Path) -> int:
    """Return how many tokens the model reads, at most 512."""
    try:
        known = json.loads(config.read_text("utf-8")).get("max_position_embeddings", _LONGEST)
    except (OSError, ValueError, AttributeError):
        return _LONGEST
    return min(int(known), _LONGEST)


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
