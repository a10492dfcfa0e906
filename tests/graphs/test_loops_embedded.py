"""The groundedness and Self-RAG graphs on the embedded default: no key, no network."""

import pytest

from backends import Backends, Settings
from backends.embedded.answer_grader import AnyGrader
from backends.embedded.reflection import AnyGenerator
from graphs import groundedness, self_rag
from nodes.self_rag.reflection import read
from tests.stubs import StubIndex, document

OVEN = document(
    "warranty-1",
    "A deck oven is under warranty for 36 months, parts and labour included. "
    "Stone plates are covered by the warranty for the first 6 months only.",
)
CARE = document("care-1", "Brush the stone plates with a dry, soft brush. Water cracks the stone.")
QUESTION = "How long is the warranty of a deck oven?"
OFF_TOPIC = "Who won the football world cup in 1998?"


def run(graph, question=QUESTION, found=(OVEN, CARE), **context):
    backends = Backends(index=StubIndex(found), settings=Settings(_env_file=None))
    return graph.build(backends).compile().invoke({"question": question}, context=context)


@pytest.mark.parametrize("graph", [groundedness, self_rag])
def test_a_question_that_the_documents_answer_is_answered_with_its_source(graph):
    out = run(graph)
    assert out["status"] == "answered"
    assert "36 months" in out["answer"]
    assert out["citations"][0]["id"] == "warranty-1"
    assert set(out["usage"]["generator"]["models"]) == {"embedded extractive"}


@pytest.mark.parametrize(
    ("graph", "status"), [(groundedness, "no_answer"), (self_rag, "not_found")]
)
def test_a_question_off_the_topic_is_not_answered(graph, status):
    out = run(graph, OFF_TOPIC)
    assert out["status"] == status
    assert out["citations"] == []


async def test_both_run_without_blocking():
    for graph in (groundedness, self_rag):
        backends = Backends(index=StubIndex((OVEN, CARE)), settings=Settings(_env_file=None))
        out = await graph.build(backends).compile().ainvoke({"question": QUESTION})
        assert "36 months" in out["answer"]


def test_every_segment_is_a_sentence_of_its_passage_and_is_said_once():
    out = run(self_rag)
    texts = [segment["text"] for segment in out["segments"]]
    assert len(set(texts)) == len(texts)
    for segment in out["segments"]:
        passage = next(d for d in (OVEN, CARE) if d["id"] == segment["passage"])
        assert segment["text"] in passage["content"]
        assert segment["is_sup"] == "Fully"


def test_the_extracts_end_by_themselves():
    out = run(self_rag, max_segments=30)
    assert "cap" not in out["stop_reason"]
    assert out["retrievals"] == 1


@pytest.mark.parametrize(
    ("answer", "grounded", "answers"),
    [
        ("A deck oven is under warranty for 36 months.", True, True),
        ("A deck oven is under warranty for 48 months.", False, True),
        ("Brush the stone plates with a dry, soft brush.", True, False),
        ("I love Christmas.", False, False),
    ],
)
def test_an_answer_is_held_against_documents_and_question(answer, grounded, answers):
    grade = AnyGrader()(QUESTION, docs=[OVEN, CARE], answer=answer)
    assert (grade["grounded"], grade["answers_question"]) == (grounded, answers)
    assert bool(grade["unsupported_claims"]) is not grounded


def test_an_answer_without_documents_is_not_grounded():
    grade = AnyGrader()(QUESTION, docs=[], answer="A deck oven is covered for 36 months.")
    assert grade["grounded"] is False


def test_the_same_evaluator_still_grades_single_documents_and_writes_whole_answers():
    assert AnyGrader()(QUESTION, doc=OVEN)["relevant"] is True
    assert "[warranty-1]" in AnyGenerator()(QUESTION, [OVEN])


def test_an_irrelevant_passage_is_said_to_be_irrelevant_and_is_not_quoted():
    said = read(AnyGenerator()(OFF_TOPIC, answer="", passage=OVEN))
    assert (said.is_rel, said.text) == ("Irrelevant", "")


def test_nothing_to_grade_is_an_error_of_the_caller():
    with pytest.raises(TypeError, match="nothing to grade"):
        AnyGrader()(QUESTION)
