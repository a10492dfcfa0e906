"""The study graph's roles without a model, and the graph on the embedded default."""

from typing import Any

import pytest

from backends import Backends, Settings
from backends.embedded.study import Evaluator, Router, Triage
from graphs import study
from nodes.study.evaluator import read_judgement
from nodes.study.triage import read_triage
from tests.stubs import StubIndex, document

OSMOSIS = "Osmosis is the net movement of water through a membrane. Nollet described it in 1748."
LIGHT = "Photosynthesis turns light into chemical energy. Chlorophyll absorbs red light."
ARABIC = "الأسموزية هي حركة الماء عبر غشاء شبه منفذ. اكتشفها نوليه عام 1748."


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("What is osmosis?", "simple"),
        ("Who described osmosis?", "simple"),
        ("ما هي الأسموزية؟", "simple"),
        ("Compare osmosis and diffusion", "complex"),
        ("What is the difference between mass and weight?", "complex"),
        ("Who is older, Newton or Leibniz?", "complex"),
        ("What is osmosis and why does it matter?", "complex"),
        ("قارن بين الأسموزية والانتشار", "complex"),
    ],
)
def test_complex_questions_are_told_by_their_wording(question: str, intent: str) -> None:
    found = read_triage(Triage()(question), question, 3)
    assert found is not None
    assert found.intent == intent


def test_a_question_with_several_questions_is_split_into_them() -> None:
    question = "What is osmosis? Who described it, and when was it described?"
    found = read_triage(Triage()(question), question, 3)
    assert found is not None
    assert found.sub_questions == (
        "What is osmosis?",
        "Who described it?",
        "when was it described?",
    )
    assert len(Triage()(question, most=2).splitlines()) == 3


def test_the_router_leaves_the_choice_to_the_index() -> None:
    assert Router()("What is osmosis?") == []


@pytest.mark.parametrize(
    ("question", "verdict", "missing"),
    [
        ("What is osmosis?", "correct", ""),
        ("Who described osmosis in Paris?", "ambiguous", "Paris"),
        ("Who won the football world cup?", "incorrect", "won football world cup"),
    ],
)
def test_the_evaluator_names_the_words_that_are_missing(
    question: str, verdict: str, missing: str
) -> None:
    found = read_judgement(Evaluator()(question, [document("1", OSMOSIS)]))
    assert found is not None
    assert (found.verdict, found.missing) == (verdict, missing)


def test_no_passages_are_no_evidence() -> None:
    found = read_judgement(Evaluator()("What is osmosis?", []))
    assert found is not None
    assert found.verdict == "incorrect"


class Down:
    """No network."""

    name = "down"

    def search(self, query: str, k: int) -> Any:
        raise OSError("no route to host")


def ask(question: str, **context: Any) -> dict[str, Any]:
    index = StubIndex((document("c1", OSMOSIS), document("c2", LIGHT), document("c3", ARABIC)))
    backends = Backends(
        index=index,
        web=Down(),
        sources={"wikipedia": Down(), "arxiv": Down()},
        settings=Settings(_env_file=None),
    )
    out: dict[str, Any] = (
        study.build(backends).compile().invoke({"question": question}, context=context)
    )
    return out


def test_a_question_is_answered_offline_from_the_documents() -> None:
    out = ask("What is osmosis?")
    assert out["answer"] == "Osmosis is the net movement of water through a membrane."
    assert [citation["source"] for citation in out["citations"]] == ["c1.md"]
    assert out["rerankings"][0]["tier"] == "embedded"


def test_an_arabic_question_is_answered_from_the_arabic_document() -> None:
    out = ask("من اكتشف الأسموزية؟")
    assert "نوليه" in out["answer"]
    assert [citation["source"] for citation in out["citations"]] == ["c3.md"]


def test_a_complex_question_is_answered_though_the_network_is_down() -> None:
    out = ask("Who described osmosis, and when was it described?")
    assert out["intent"] == "complex"
    assert out["status"] == "answered"
    failed = {r["source"] for r in out["sources"] if r["outcome"] == "failed"}
    assert failed == {"wikipedia", "arxiv", "web"}


def test_off_topic_the_fallback_says_that_it_has_no_knowledge() -> None:
    out = ask("Who won the football world cup in 2010?")
    assert out["status"] == "low_confidence"
    assert "no knowledge of my own" in out["answer"]
    assert out["citations"] == []
    assert all(report["top_score"] < 0.2 for report in out["rerankings"])


def test_off_topic_in_arabic_the_fallback_answers_in_arabic() -> None:
    out = ask("من فاز بكأس العالم؟")
    assert out["answer"].startswith("ثقة منخفضة")
    assert out["low_confidence"] is True
