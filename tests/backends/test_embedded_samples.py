"""The corrective graph on the embedded default, over the sample documents."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from backends import Backends, Settings
from backends.embedder import default_embedder
from backends.ingest.chunking import chunks
from backends.ingest.loading import load
from graphs import corrective
from tests.stubs import StubWeb, document

SAMPLES = Path(str(files("scripts"))) / "samples"
QUESTIONS = json.loads((SAMPLES / "questions.json").read_text("utf-8"))


class ExactIndex:
    """Every chunk of the samples, cut as ingestion cuts them, searched exactly."""

    def __init__(self) -> None:
        self.chunks = [
            document(
                f"{path.name}#{number}", chunk["content"], source=path.name, **chunk["metadata"]
            )
            for path in sorted(SAMPLES.iterdir(), key=str)
            if path.name.endswith(".md")
            for number, chunk in enumerate(chunks(load(path, path.read_bytes()), path.name))
        ]
        self._vectors = default_embedder().embed([chunk["content"] for chunk in self.chunks])

    def search(self, query, k):
        order = (self._vectors @ default_embedder().embed([query])[0]).argsort()[::-1]
        return [self.chunks[i] for i in order[:k]]


@pytest.fixture(scope="module")
def index():
    return ExactIndex()


@pytest.fixture
def web():
    return StubWeb([])


@pytest.fixture
def graph(index, web):
    backends = Backends(index=index, web=web, settings=Settings(_env_file=None))
    return corrective.build(backends).compile()


def of(status: str) -> list:
    chosen = [case for case in QUESTIONS if case["status"] == status]
    return [pytest.param(case, id=case["question"]) for case in chosen]


@pytest.mark.parametrize("case", of("answered"))
def test_a_question_that_the_samples_answer_is_answered(graph, web, case):
    out = graph.invoke({"question": case["question"]})

    assert out["status"] == "answered"
    assert case["says"] in out["answer"]
    assert case["source"] in {citation["source"] for citation in out["citations"]}
    assert not web.queries


@pytest.mark.parametrize("case", of("not_found"))
def test_a_question_that_the_samples_do_not_answer_is_not(graph, web, case):
    out = graph.invoke({"question": case["question"]})

    assert out["status"] == "not_found"
    assert out["citations"] == []
    assert len(web.queries) == 1
    assert len(out["grades"]) == 4
    assert all("“" in grade["reason"] for grade in out["grades"])


def test_there_are_enough_questions_of_both_kinds():
    assert len(of("answered")) >= 6
    assert len(of("not_found")) >= 3


async def test_a_run_without_blocking_ends_alike(graph):
    question = {"question": QUESTIONS[0]["question"]}

    awaited, invoked = await graph.ainvoke(question), graph.invoke(question)

    assert awaited["answer"] == invoked["answer"]
    assert awaited["status"] == "answered"


def test_web_results_off_the_topic_do_not_become_an_answer(index):
    web = StubWeb([document("w1", "Our shop sells garden furniture.", source="https://x.example")])
    backends = Backends(index=index, web=web, settings=Settings(_env_file=None))

    out = corrective.build(backends).compile().invoke({"question": "Who won the cup in 2018?"})

    assert out["status"] == "not_found"


def test_a_web_result_with_the_answer_is_quoted_and_cited(index):
    said = "France won the football world cup in 2018 in Moscow."
    web = StubWeb([document("w1", said, source="https://x.example/cup")])
    backends = Backends(index=index, web=web, settings=Settings(_env_file=None))

    out = (
        corrective.build(backends)
        .compile()
        .invoke({"question": "Who won the football world cup in 2018?"})
    )

    assert out["web_query"] == "won football world cup 2018"
    assert out["answer"] == f"{said} [w1]"
    assert out["citations"][0]["source"] == "https://x.example/cup"


def test_every_role_says_that_the_embedded_engine_played_it(graph):
    usage = graph.invoke({"question": QUESTIONS[0]["question"]})["usage"]

    assert {
        name for role in ("grader", "generator", "checker") for name in usage[role]["models"]
    } == {"embedded extractive"}
