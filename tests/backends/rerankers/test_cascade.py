"""The cascade: who scores, and why no higher tier did."""

import asyncio
import re
import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from pytest_httpserver import HTTPServer

from backends import Backends, Settings
from backends.rerankers import Cascade
from backends.rerankers.embedded import EmbeddedReranker
from graphs import study
from nodes.calls import Rerank, Scores
from state.errors import ConfigError, RerankFailed
from tests.backends.rerankers.test_cross_encoder import write_model, write_tokenizer
from tests.graphs.study_kit import Kit, run

TEXTS = ("Osmosis is the movement of water through a membrane.", "Taxes are due in spring.")
CALL = Rerank("What is osmosis?", TEXTS, model="a-model")


def score(cascade: Cascade, call: Rerank = CALL) -> Scores:
    """Answer the plan's jobs, as the gateway does."""
    plan, reply = cascade.plan(call), None
    error: RerankFailed | ConfigError | None = None
    while True:
        try:
            job = plan.throw(error) if error else plan.send(reply)
        except StopIteration as done:
            scores: Scores = done.value
            return scores
        try:
            reply, error = job.run(), None
        except RerankFailed as failure:
            error = failure


def settings(**given: Any) -> Settings:
    return Settings(_env_file=None, **given)


def test_without_anything_set_up_the_embedded_score_is_used_and_the_reasons_are_told() -> None:
    scores = score(Cascade(None, settings()))
    assert (scores.tier, scores.scale) == ("embedded", "probability")
    assert [tier for tier, _ in scores.skipped] == ["jina", "cross_encoder"]
    assert scores.values[0] > 0.8
    assert scores.values[1] < 0.2


def test_a_local_cross_encoder_comes_before_the_embedded_score(tmp_path: Path) -> None:
    write_tokenizer(tmp_path)
    write_model(tmp_path / "model.onnx")
    call = Rerank("osmosis", ("water", "tax"))
    scores = score(Cascade(None, settings(cross_encoder=tmp_path)), call)
    assert (scores.tier, scores.scale) == ("cross_encoder", "logit")
    assert scores.values == pytest.approx([0.98201, 0.00669], abs=1e-5)


def jina(httpserver: HTTPServer, **given: Any) -> Settings:
    return settings(jina_api_key=SecretStr("k"), jina_base_url=httpserver.url_for("/v1"), **given)


def test_the_api_comes_first_when_its_key_is_set(httpserver: HTTPServer) -> None:
    found = [{"index": 1, "relevance_score": 0.007}, {"index": 0, "relevance_score": 0.9}]
    httpserver.expect_request("/v1/rerank").respond_with_json({"results": found})
    scores = score(Cascade(None, jina(httpserver)))
    assert (scores.tier, scores.model, scores.values) == ("jina", "a-model", [0.9, 0.007])
    assert scores.skipped == []


def test_an_api_that_refuses_is_told_and_the_next_tier_scores(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/v1/rerank").respond_with_data("no", status=402)
    scores = score(Cascade(None, jina(httpserver)))
    assert scores.tier == "embedded"
    assert "balance" in dict(scores.skipped)["jina"]


def test_a_plain_callable_can_score() -> None:
    scores = score(Cascade(lambda query, texts: [0.5 for _ in texts], settings()))
    assert (scores.tier, scores.values) == ("given", [0.5, 0.5])


@pytest.mark.parametrize(
    ("raw", "said"), [([0.5], "1 score.* for 2"), ([0.5, 7.45], "scale"), (OSError("gone"), "gone")]
)
def test_a_reranker_that_fails_hands_over_and_says_why(raw: Any, said: str) -> None:
    def given(query: str, texts: list[str]) -> Any:
        if isinstance(raw, Exception):
            raise raw
        return raw

    scores = score(Cascade(given, settings()))
    assert scores.tier == "embedded"
    assert re.search(said, dict(scores.skipped)["given"])


def test_what_cannot_score_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="score"):
        Backends(reranker=object())


def test_when_no_tier_scores_every_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object, query: str, texts: list[str]) -> list[float]:
        raise OSError("weights are gone")

    monkeypatch.setattr(EmbeddedReranker, "score", broken)
    with pytest.raises(RerankFailed, match=r"JINA_API_KEY.*weights are gone"):
        score(Cascade(None, settings()))


@pytest.mark.parametrize("colour", ["sync", "async"])
async def test_an_async_reranker_is_awaited(colour: str) -> None:
    class Both:
        name = "both"
        heard: tuple[str, ...] = ()

        def score(self, query: str, texts: list[str]) -> list[float]:
            self.heard += ("sync",)
            return [0.9] * len(texts)

        async def ascore(self, query: str, texts: list[str]) -> list[float]:
            await asyncio.sleep(0)
            self.heard += ("async",)
            return [0.9] * len(texts)

    both, kit = Both(), Kit()
    kit.reranker = both  # type: ignore[assignment]
    await run(kit, colour)
    assert both.heard == (colour,)


async def test_a_blocking_reranker_does_not_block_the_event_loop() -> None:
    kit, threads = Kit(), []
    kit.reranker.score = lambda query, texts: (  # type: ignore[method-assign]
        threads.append(threading.current_thread()) or [0.9] * len(texts)
    )
    await study.build(kit.backends()).compile().ainvoke({"question": "What is osmosis?"})
    assert threads[0] is not threading.main_thread()


def test_the_embedded_score_depends_on_nothing_else() -> None:
    reranker = EmbeddedReranker()
    together = reranker.score("What is osmosis?", [*TEXTS, ""])
    assert together[:2] == [reranker.score("What is osmosis?", [text])[0] for text in TEXTS]
    assert together[2] == 0


def test_the_embedded_score_reads_arabic() -> None:
    texts = ["الأسموزية هي حركة الماء عبر غشاء.", "الضرائب تدفع في الربيع."]
    on_topic, off_topic = EmbeddedReranker().score("ما هي الأسموزية؟", texts)
    assert on_topic > 0.8
    assert off_topic < 0.2
