"""Ask the tiers of the cascade in turn until one scores (reading 12)."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from backends.jobs import Job, Plan
from backends.rerankers.scales import Scale, to_unit
from backends.settings import Settings
from nodes.calls import Rerank, Scores
from state.errors import ConfigError, CragError, RerankFailed

Make = Callable[[str], Any]
"""From the name of the API's model to a reranker; raises ``ConfigError`` when not set up."""


class Cascade:
    """The tiers, best first: one given, Jina's API, a local cross-encoder, the embedded score.

    A reranker has ``score(query, texts)``, which returns a number per text in their order, and
    optionally ``ascore``, ``name``, and ``scale``: ``"probability"`` (the default) or
    ``"logit"``.

    Args:
        given: The caller's own reranker, or a plain callable; ``None`` for none.
        settings: Say which of the others are set up.
    """

    def __init__(self, given: Any, settings: Settings) -> None:
        """Keep both; a tier is opened when it is first asked."""
        self._tiers: dict[str, Make] = {
            **({"given": lambda model: given} if given is not None else {}),
            "jina": lambda model: _jina(settings, model),
            "cross_encoder": lambda model: _cross_encoder(settings),
            "embedded": lambda model: _embedded(),
        }
        self._made: dict[tuple[str, str], Any] = {}
        self._lock = threading.Lock()

    def plan(self, call: Rerank) -> Plan:
        """Plan one scoring; the reply is a ``Scores`` that says why higher tiers did not score.

        Raises:
            RerankFailed: Not even the last tier scored.
        """
        skipped: list[tuple[str, str]] = []
        for tier in self._tiers:
            try:
                reranker = self._reranker(tier, call.model)
                raw = yield _job(reranker, call)
                return _scores(tier, reranker, raw, call, skipped)
            except (ConfigError, RerankFailed) as error:
                skipped.append((tier, str(error)))
        why = "; ".join(f"{tier}: {reason}" for tier, reason in skipped)
        raise RerankFailed(f"No reranker scored. {why}")

    def _reranker(self, tier: str, model: str) -> Any:
        with self._lock:
            if (tier, model) not in self._made:
                self._made[tier, model] = self._tiers[tier](model)
            return self._made[tier, model]


def check_reranker(reranker: Any) -> None:
    """Say at once when what was plugged in cannot score.

    Raises:
        ConfigError: It has no ``score`` and cannot be called.
    """
    if reranker is not None and not callable(getattr(reranker, "score", reranker)):
        raise ConfigError(
            "reranker must have a method score(query, texts) or be callable like one; "
            f"{type(reranker).__name__} is neither."
        )


def _scores(
    tier: str, reranker: Any, raw: Any, call: Rerank, skipped: list[tuple[str, str]]
) -> Scores:
    name = _name(reranker)
    scale: Scale = getattr(reranker, "scale", "probability")
    values = list(raw)
    if len(values) != len(call.texts):
        raise RerankFailed(f"{name} gave {len(values)} score(s) for {len(call.texts)} text(s).")
    return Scores(to_unit(values, scale, name), tier, name, scale, skipped)


def _job(reranker: Any, call: Rerank) -> Job:
    name = _name(reranker)
    score = getattr(reranker, "score", reranker)
    ascore = getattr(reranker, "ascore", None)
    texts = list(call.texts)

    def run() -> Any:
        try:
            return score(call.query, texts)
        except Exception as error:
            raise _failure(name, error) from error

    async def arun() -> Any:
        if ascore is None:
            return await asyncio.to_thread(run)
        try:
            return await ascore(call.query, texts)
        except Exception as error:
            raise _failure(name, error) from error

    def timed_out(seconds: float) -> RerankFailed:
        return RerankFailed(f"{name} gave no scores within {seconds:g} s.", transient=True)

    return Job("reranker", name, call.query[:200], run, arun, timed_out)


def _failure(name: str, error: Exception) -> CragError:
    if isinstance(error, RerankFailed | ConfigError):
        return error
    return RerankFailed(f"{name} failed: {type(error).__name__}: {error}")


def _name(reranker: Any) -> str:
    own = getattr(reranker, "name", None) or getattr(reranker, "__name__", None)
    return str(own or type(reranker).__name__)


def _jina(settings: Settings, model: str) -> Any:
    from backends.rerankers.jina import JinaReranker

    return JinaReranker.from_settings(settings, model)


def _cross_encoder(settings: Settings) -> Any:
    from backends.rerankers.cross_encoder import CrossEncoder

    return CrossEncoder.from_settings(settings)


def _embedded() -> Any:
    from backends.rerankers.embedded import EmbeddedReranker

    return EmbeddedReranker()
