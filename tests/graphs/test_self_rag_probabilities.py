"""Self-RAG with a real client whose endpoint exposes log-probabilities, or refuses them."""

import math
import re
from typing import Any

import pytest

from backends import Backends, Settings
from graphs import self_rag
from tests.openai_server import OpenAIServer, said
from tests.stubs import StubIndex, documents, field

QUESTION = "What is Sirius?"
_PIECE = re.compile(r"\s*\w{1,3}|\W")


def spoken(text: str, **chances: dict[str, float]) -> Any:
    """Say a text in tokens of up to three letters, with the chances of what follows a ``=``."""
    entries, before = [], ""
    for piece in _PIECE.findall(text):
        name = re.search(r"\[(\w+)=$", before)
        asked = chances.get(name[1], {}) if name else {}
        other = {value[:3]: math.log(p) for value, p in asked.items() if p}
        entries.append((piece, other.get(piece, -0.01), other or {piece: -0.01}))
        before += piece
    return said(text, logprobs=tuple(entries))


def endpoint(p_yes: float, text: str = " A segment. [IsUse=3]"):
    """Answer with some probability of wanting a document, as an endpoint would sample it."""

    def answer(heard: Any) -> Any:
        prompt = heard.prompt
        if "<passage>" in prompt:
            support = 0.9 if "d2" in field(prompt, "passage") else 0.4
            return spoken(
                f"[IsRel=Relevant] From {field(prompt, 'passage')} [IsSup=Fully] [IsUse=5]",
                IsSup={"Fully": support, "No": 1 - support},
                IsRel={"Relevant": 0.7, "Irrelevant": 0.3},
                IsUse={"5": 0.5, "1": 0.5},
            )
        if field(prompt, "answer_so_far"):
            return spoken("[Retrieve=No]", Retrieve={"No": 1.0, "Yes": 1e-6})
        emitted = "Yes" if p_yes > 0.5 else "No"
        return spoken(f"[Retrieve={emitted}]{text}", Retrieve={"Yes": p_yes, "No": 1 - p_yes})

    return answer


def build(server: OpenAIServer, index: StubIndex) -> Any:
    backends = Backends(model=server.model(), index=index, settings=Settings(_env_file=None))
    return self_rag.build(backends).compile()


@pytest.fixture
def index() -> StubIndex:
    return StubIndex(tuple(documents("d1", "d2", "d3")))


@pytest.mark.parametrize(
    ("p_yes", "retrieves"), [(0.9, True), (0.21, True), (0.19, False), (0.05, False)]
)
async def test_the_probability_decides_and_not_the_token_or_the_log_probability(
    openai_server, index, p_yes, retrieves
):
    openai_server.answer = endpoint(p_yes)
    graph = build(openai_server, index)
    for out in (
        graph.invoke({"question": QUESTION}),
        await graph.ainvoke({"question": QUESTION}),
    ):
        decision = out["decisions"][0]
        assert decision["decided_by"] == "probability"
        assert decision["p_retrieve"] == pytest.approx(p_yes, abs=1e-5)
        assert (decision["retrieve"] == "Yes") is retrieves
        assert out["segments"][0]["p_retrieve"] == decision["p_retrieve"]
    assert len(index.queries) == (2 if retrieves else 0)


def test_the_endpoint_is_asked_for_log_probabilities_with_alternatives(openai_server, index):
    openai_server.answer = endpoint(0.9)
    build(openai_server, index).invoke({"question": QUESTION})
    assert all(heard.body["logprobs"] is True for heard in openai_server.heard)
    assert {heard.body["top_logprobs"] for heard in openai_server.heard} == {20}


def test_candidates_are_scored_by_their_token_probabilities(openai_server, index):
    openai_server.answer = endpoint(0.9)
    out = build(openai_server, index).invoke({"question": QUESTION})
    best = out["segments"][0]
    assert (best["passage"], best["scored_by"]) == ("d2", "probabilities")
    assert best["score"] == pytest.approx(0.7 + 0.9 + 0.5 * 0.5, abs=1e-4)
    assert best["is_sup"] == "Fully"


def test_the_rate_of_retrieval_moves_with_the_threshold(openai_server, index):
    graph = build(openai_server, index)
    chances = [0.02, 0.1, 0.15, 0.3, 0.6, 0.95]
    rates = []
    for threshold in (0.0, 0.12, 0.2, 0.5, 0.99):
        index.heard.clear()
        for p_yes in chances:
            openai_server.answer = endpoint(p_yes)
            graph.invoke({"question": QUESTION}, context={"retrieve_threshold": threshold})
        rates.append(index.queries.count(QUESTION))
    assert rates == [6, 4, 3, 2, 0]


async def test_an_endpoint_that_refuses_log_probabilities_is_asked_without(openai_server, index):
    plain = endpoint(0.05)

    def answer(heard: Any) -> Any:
        if heard.body.get("logprobs"):
            from tests.openai_server import error

            return error(400, "logprobs is not supported.")
        return plain(heard)

    openai_server.answer = answer
    graph = build(openai_server, index)
    out = graph.invoke({"question": QUESTION})
    assert out["decisions"][0]["decided_by"] == "token"
    assert out["decisions"][0]["p_retrieve"] is None
    assert out["segments"][0]["scored_by"] == "tokens"
    refused = [heard for heard in openai_server.heard if heard.body.get("logprobs")]
    assert len(refused) == 1
    again = await graph.ainvoke({"question": QUESTION})
    assert again["answer"] == out["answer"]


def test_an_endpoint_that_ignores_the_wish_for_log_probabilities_decides_by_token(
    openai_server, index
):
    openai_server.answer = lambda heard: (
        "[Retrieve=No] A segment. [IsUse=4]"
        if not field(heard.prompt, "answer_so_far")
        else "[Retrieve=No]"
    )
    out = build(openai_server, index).invoke({"question": QUESTION})
    assert (out["answer"], out["decisions"][0]["decided_by"]) == ("A segment.", "token")
