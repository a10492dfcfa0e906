"""Chunks: cleaning up, cutting, deduplicating, pooling, choosing."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.study.merge_pool import distinct, merge_pool
from nodes.study.normalize import clean, content_id, normalize
from nodes.study.queries import keywords
from nodes.study.rerank import select
from state.study import Chunk, StudyContext
from tests.stubs import document

PASSAGE = (
    "Osmosis is the net movement of water molecules through a membrane from a region of low "
    "solute concentration to a region of high solute concentration."
)
CONTEXT = StudyContext()


def chunk(text: str, score: float | None = None, origin: Any = "web", **more: Any) -> Chunk:
    return Chunk(
        id=content_id(text),
        content=text,
        metadata={"source": more.get("source", f"{origin}.example")},
        origin=origin,
        rank=more.get("rank", 0),
        score=score,
    )


def normalized(*texts: str, **context: Any) -> list[Chunk]:
    raw = {"source": "web", "documents": [document(f"d{i}", t) for i, t in enumerate(texts)]}
    state: Any = {"raw_results": [raw], "tried_sources": [], "original_q": "", "tool_queries": {}}
    return normalize(state, StudyContext(**context))["new_chunks"]


@pytest.mark.parametrize(
    "text",
    [
        "مُحَمَّد بن عبد الله",
        "می‌خواهم",
        "E = mc² and x₁ ≤ x₂ ∫ f(x) dx",
        "if x:\n    return  1",
        "👩‍🔬 at work",
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ],
)
def test_letters_formulas_and_code_stay_as_they_are(text: str) -> None:
    assert clean(f"```\n{text}\n```") == f"```\n{text}\n```"
    if "  " not in text.lstrip():
        assert clean(text) == text


def test_noise_goes() -> None:
    assert clean("\ufeffa\u200b b\u00a0 c\r\n\r\n\r\n\r\nd\x00e\u00ad \n") == "a b c\n\nde"


def test_indentation_stays_and_runs_of_spaces_fold() -> None:
    assert clean("def f():\n    return   1") == "def f():\n    return 1"


def test_code_in_fences_is_left_alone() -> None:
    code = "```python\nx  =  1\n\n\n\ny = 2\n```"
    assert clean(f"a   b\n{code}\nc") == f"a b\n{code}\nc"


@given(st.text(max_size=300))
def test_cleaning_twice_changes_nothing_more(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_a_broken_character_becomes_a_question_mark() -> None:
    assert clean("os\udcffmosis") == "os?mosis"


def test_the_same_text_has_the_same_id_from_any_source() -> None:
    (one,), (other,) = normalized("Osmosis.\r\n"), normalized("\ufeffOsmosis.")
    assert one["id"] == other["id"] == content_id("Osmosis.")
    assert len(one["id"]) == 64


def test_long_results_are_cut_and_short_and_empty_ones_are_not() -> None:
    long = " ".join(f"Sentence number {n} is here." for n in range(100))
    chunks = normalized(long, "Short.", "   ", chunk_chars=300)
    assert all(len(c["content"]) <= 300 for c in chunks)
    assert [c["content"] for c in chunks if c["content"] == "Short."] == ["Short."]
    words = [w for c in chunks if c["content"] != "Short." for w in c["content"].split()]
    assert sorted(words) == sorted(long.split())


def test_the_parts_of_a_long_result_do_not_crowd_the_others_out() -> None:
    long = " ".join(f"Sentence number {n} is here." for n in range(100))
    chunks = sorted(normalized(long, "Short.", chunk_chars=300), key=lambda c: c["rank"])
    assert "Short." in [c["content"] for c in chunks[:2]]
    assert len({c["rank"] for c in chunks}) == len(chunks)


def test_scores_of_a_sources_own_scale_are_left_out() -> None:
    raw = {"source": "web", "documents": [document("d", "Text.", score=-3.2, distance=1.6)]}
    state: Any = {"raw_results": [raw], "tried_sources": [], "original_q": "", "tool_queries": {}}
    (only,) = normalize(state, CONTEXT)["new_chunks"]
    assert not {"score", "distance"} & only["metadata"].keys()
    assert only["score"] is None


@pytest.mark.parametrize(
    "other",
    [
        PASSAGE,
        PASSAGE.upper(),
        PASSAGE.replace(" ", "\n "),
        f"{PASSAGE} Indeed.",
    ],
)
def test_nearly_the_same_passage_is_kept_once_with_both_sources(other: str) -> None:
    twins = [chunk(PASSAGE, source="one"), chunk(other, source="two", origin="wikipedia")]
    (kept,) = distinct(twins)
    assert {kept["metadata"]["source"], *kept["metadata"]["also_in"]} == {"one", "two"}


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (f"{PASSAGE} Seen in 1748.", f"{PASSAGE} Seen in 1749."),
        (PASSAGE, "Diffusion is the net movement of anything from high to low concentration."),
        ("Yes.", "No."),
        ("+", "-"),
    ],
)
def test_what_differs_is_kept_twice(left: str, right: str) -> None:
    assert len(distinct([chunk(left), chunk(right)])) == 2


def test_the_best_score_survives_and_a_curated_copy_counts() -> None:
    (kept,) = distinct([chunk(PASSAGE, 0.4), chunk(PASSAGE, 0.9), chunk(PASSAGE, origin="curated")])
    assert kept["score"] == 0.9
    assert kept["origin"] == "curated"


def test_the_pool_does_not_depend_on_the_order_of_arrival() -> None:
    chunks = [
        chunk("About osmosis.", rank=0, origin="wikipedia"),
        chunk("About water.", rank=0, origin="web"),
        chunk("About osmosis.", rank=1, origin="arxiv"),
        chunk("Scored.", 0.7, rank=4),
    ]
    pools = [distinct(order) for order in itertools.permutations(chunks)]
    assert all(pool == pools[0] for pool in pools)
    assert [c["content"] for c in pools[0]] == ["Scored.", "About osmosis.", "About water."]


def pooled(ranked: list[Chunk], new: list[Chunk], **context: Any) -> list[Chunk]:
    state: Any = {"ranked": ranked, "new_chunks": new}
    return merge_pool(state, StudyContext(**context))["pool"]


def test_chunks_are_carried_from_their_threshold_up_to_their_cap() -> None:
    ranked = [chunk(f"Chunk {s}", s) for s in (0.9, 0.8, 0.7, 0.6, 0.55, 0.49)]
    assert [c["score"] for c in pooled(ranked, [])] == [0.9, 0.8, 0.7, 0.6]
    assert [c["score"] for c in pooled(ranked, [], carry_max=8)] == [0.9, 0.8, 0.7, 0.6, 0.55]
    assert [c["score"] for c in pooled(ranked, [], keep_threshold=0.8)] == [0.9, 0.8]
    assert pooled(ranked, [], carry_max=0) == []


def test_the_pool_is_capped_and_carried_chunks_come_first() -> None:
    new = [chunk(f"New passage {chr(97 + n)}.", rank=n) for n in range(20)]
    pool = pooled([chunk("Carried.", 0.6)], new, pool_max=10, final_context_n=8)
    assert len(pool) == 10
    assert pool[0]["content"] == "Carried."
    assert [c["rank"] for c in pool[1:]] == list(range(9))


def test_the_best_curated_chunks_have_a_place_and_keep_their_score() -> None:
    web = [chunk(f"Web {n}", 0.9 - n / 100) for n in range(9)]
    curated = [chunk(f"Own {n}", 0.3 - n / 100, origin="curated") for n in range(3)]
    ranked = select([*web, *curated], most=8, pinned=2)
    assert [c["content"] for c in ranked[-2:]] == ["Own 0", "Own 1"]
    assert len(ranked) == 8
    scores = [c["score"] for c in ranked]
    assert scores == sorted(scores, reverse=True)


def test_pins_never_take_more_than_there_is() -> None:
    curated = [chunk(f"Own {n}", 0.1, origin="curated") for n in range(5)]
    assert len(select([*curated, chunk("Web", 0.9)], most=1, pinned=5)) == 1
    assert select([], most=8, pinned=2) == []


def test_ties_are_broken_by_id() -> None:
    chunks = [chunk(f"Tie {n}", 0.5) for n in range(6)]
    kept = select(chunks, most=3, pinned=0)
    assert kept == select(chunks[::-1], most=3, pinned=0)
    assert [c["id"] for c in kept] == sorted(c["id"] for c in chunks)[:3]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("What is the capital of Australia?", "capital Australia"),
        ("How does C++ differ from C#?", "C++ differ C#"),
        ("ما هي عاصمة فرنسا؟", "عاصمة فرنسا"),
        ("Who is who?", "Who is who?"),
        ("If A = {1;2;3} what is A ∩ B?", "1 2 3 B"),
    ],
)
def test_keywords_are_the_words_that_name_something(question: str, query: str) -> None:
    assert keywords(question) == query
