"""Jina's API through httpx, against a local server that speaks its protocol."""

import asyncio
import json
import time
from typing import Any

import pytest
from pydantic import SecretStr
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from backends import Settings
from backends.rerankers.jina import JinaReranker
from state.errors import ConfigError, RerankFailed

TEXTS = ["about taxes", "about osmosis", "about tea"]
PATH = "/v1/rerank"


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest, httpserver: HTTPServer) -> Any:
    """Score the texts in either colour."""
    reranker = JinaReranker("jina_secret", "a-model", httpserver.url_for("/v1"), seconds=0.5)

    def score(texts: list[str] = TEXTS) -> list[float]:
        if request.param == "sync":
            return reranker.score("What is osmosis?", texts)
        return asyncio.run(reranker.ascore("What is osmosis?", texts))

    return score


def results(*pairs: tuple[int, float]) -> dict[str, Any]:
    found = [{"index": index, "relevance_score": score} for index, score in pairs]
    return {"model": "a-model", "usage": {"total_tokens": 9}, "results": found}


def test_the_request_is_what_the_api_documents(httpserver: HTTPServer, ask: Any) -> None:
    httpserver.expect_request(
        PATH,
        method="POST",
        headers={"Authorization": "Bearer jina_secret"},
        json={
            "model": "a-model",
            "query": "What is osmosis?",
            "documents": TEXTS,
            "top_n": 3,
            "return_documents": False,
        },
    ).respond_with_json(results((0, 0.1), (1, 0.9), (2, 0.2)))
    assert ask() == [0.1, 0.9, 0.2]


def test_results_in_the_order_of_their_scores_go_back_to_their_texts(
    httpserver: HTTPServer, ask: Any
) -> None:
    httpserver.expect_request(PATH).respond_with_json(results((1, 0.9), (2, 0.2), (0, 0.007)))
    assert ask() == [0.007, 0.9, 0.2]


@pytest.mark.parametrize(
    ("status", "may_pass", "said"),
    [
        (401, False, "JINA_API_KEY"),
        (402, False, "balance"),
        (422, False, "reranker_model"),
        (429, True, "too often"),
        (500, True, "500"),
        (503, True, "503"),
    ],
)
def test_a_refusal_says_what_to_do_and_whether_it_may_pass(
    status: int, may_pass: bool, said: str, httpserver: HTTPServer, ask: Any
) -> None:
    httpserver.expect_request(PATH).respond_with_data(
        "no", status=status, headers={"Retry-After": "3"}
    )
    with pytest.raises(RerankFailed, match=said) as raised:
        ask()
    assert (raised.value.transient, raised.value.retry_after) == (may_pass, 3)
    assert "jina_secret" not in str(raised.value)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(results((0, 0.5), (1, 0.4))),
        json.dumps({"detail": "soon"}),
        json.dumps({"results": [{"index": 0}]}),
        "<html>A proxy's page</html>",
        "",
    ],
)
def test_a_reply_without_a_score_for_each_text_is_a_failure(
    body: str, httpserver: HTTPServer, ask: Any
) -> None:
    httpserver.expect_request(PATH).respond_with_data(body)
    with pytest.raises(RerankFailed, match="without a score for each text"):
        ask()


def test_a_server_that_echoes_the_key_does_not_get_it_into_the_message(
    httpserver: HTTPServer, ask: Any
) -> None:
    httpserver.expect_request(PATH).respond_with_data("bad key: jina_secret", status=418)
    with pytest.raises(RerankFailed, match=r"bad key: \[key\]"):
        ask()


def test_a_server_that_does_not_answer_is_a_failure_that_may_pass(
    httpserver: HTTPServer,
) -> None:
    def late(request: Request) -> Response:
        time.sleep(0.3)
        return Response("{}")

    httpserver.expect_request(PATH).respond_with_handler(late)
    reranker = JinaReranker("k", "a-model", httpserver.url_for("/v1"), seconds=0.05)
    with pytest.raises(RerankFailed, match="cannot be reached") as raised:
        reranker.score("q", TEXTS)
    assert raised.value.transient


def test_without_a_key_there_is_no_reranker() -> None:
    with pytest.raises(ConfigError, match="JINA_API_KEY"):
        JinaReranker.from_settings(Settings(_env_file=None), "a-model")


def test_the_key_and_address_come_from_the_settings(httpserver: HTTPServer) -> None:
    httpserver.expect_request(
        PATH, headers={"Authorization": "Bearer from-settings"}
    ).respond_with_json(results((0, 0.25)))
    settings = Settings(
        _env_file=None,
        jina_api_key=SecretStr("from-settings"),
        jina_base_url=httpserver.url_for("/v1"),
    )
    assert JinaReranker.from_settings(settings, "m").score("q", ["t"]) == [0.25]
