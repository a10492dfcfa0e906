"""What the study graph answers: citations, languages, fallbacks, and who scored."""

from typing import Any

import pytest

from tests.graphs.study_kit import COMPLEX, Kit, run, verdict
from tests.stubs import StubIndex, document, field, in_turn

ARABIC = "ما هي الخاصية الأسموزية؟"


def chunks(*scored: tuple[str, float]) -> tuple[Any, dict[str, float]]:
    """Make an index of texts, and what each scores."""
    found = tuple(document(f"d{n}", text) for n, (text, _) in enumerate(scored))
    return StubIndex(found), dict(scored)


def kit_of(*scored: tuple[str, float], **parts: Any) -> Kit:
    index, scores = chunks(*scored)
    return Kit(sources={"curated": index}, score=scores.__getitem__, **parts)


async def test_marks_are_dropped_and_the_cited_sources_are_listed() -> None:
    _, out = await run(
        kit_of(
            ("Water crosses the membrane.", 0.9),
            ("Salt stays behind outside.", 0.8),
            ("Sugar dissolves in tea.", 0.7),
            generator="Water crosses the membrane [1]. Salt stays behind [2].",
        ),
        "sync",
    )
    assert out["answer"] == "Water crosses the membrane. Salt stays behind."
    assert [citation["source"] for citation in out["citations"]] == ["d0.md", "d1.md"]
    shown = {document["id"] for document in out["documents"]}
    assert {citation["id"] for citation in out["citations"]} <= shown


async def test_marks_can_be_kept_and_name_the_documents_in_order() -> None:
    kit = kit_of(
        ("Water crosses the membrane.", 0.8),
        ("Salt stays behind outside.", 0.9),
        generator="Salt stays behind outside [1].",
    )
    _, out = await run(kit, "sync", citation_marks=True)
    assert out["answer"] == "Salt stays behind outside [1]."
    assert out["documents"][0]["content"] == "Salt stays behind outside."
    assert out["citations"][0]["id"] == out["documents"][0]["id"]


async def test_a_mark_of_a_chunk_that_was_not_given_is_removed_and_counted() -> None:
    kit = kit_of(("Water moves.", 0.9), generator="Water moves [1]. It is blue [7].")
    _, out = await run(kit, "sync", citation_marks=True)
    assert out["answer"] == "Water moves [1]. It is blue."
    assert out["invalid_citations"] == 1
    assert len(out["citations"]) == 1


async def test_a_fact_cited_from_the_wrong_chunk_is_attributed_to_the_right_one() -> None:
    kit = kit_of(
        ("The membrane of a cell is thin.", 0.9),
        ("Osmosis was described by Nollet in 1748.", 0.8),
        generator="Osmosis was described by Nollet in 1748 [1].",
    )
    _, out = await run(kit, "sync")
    assert [citation["source"] for citation in out["citations"]] == ["d1.md"]


async def test_citations_survive_filtering_and_reordering() -> None:
    """Numbers are positions in the prompt and nothing else; everything after goes by id."""
    kit = kit_of(
        ("Weather is mild in spring.", 0.05),
        ("Roots take up water by osmosis.", 0.6),
        ("Cells burst in pure water.", 0.9),
        generator="Cells burst in pure water [1]. Roots take up water by osmosis [2].",
    )
    _, out = await run(kit, "sync")
    assert [citation["source"] for citation in out["citations"]] == ["d2.md", "d1.md"]


async def test_chunks_that_scored_low_never_reach_the_generator() -> None:
    scored = [("The best.", 0.92), ("Fluff one.", 0.05), ("Fluff two.", 0.03), ("Fluff.", 0.02)]
    kit = kit_of(*scored, generator="It is the best [1].")
    _, out = await run(kit, "sync")
    assert "Fluff" not in field(kit.generator.prompts[0], "documents")
    assert len(out["documents"]) == 1
    assert len(out["ranked"]) == 4


async def test_two_chunks_of_one_page_are_one_citation() -> None:
    index = StubIndex(
        (
            document("p1", "Water moves through pores.", source="page"),
            document("p2", "Salt is left behind then.", source="page"),
        )
    )
    kit = Kit(sources={"curated": index}, generator="Water moves [1]. Salt is left behind [2].")
    _, out = await run(kit, "sync")
    assert len(out["citations"]) == 1


async def test_a_generator_that_finds_no_answer_says_so_in_the_questions_language() -> None:
    _, english = await run(Kit(generator="NOT FOUND"), "sync")
    _, arabic = await run(Kit(generator="NOT FOUND"), "sync", ARABIC)
    assert english["status"] == arabic["status"] == "not_found"
    assert english["answer"].startswith("The sources")
    assert arabic["answer"].startswith("المصادر")
    assert english["citations"] == []


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("Hello!", "Hello"),
        ("مرحبا", "أهل"),
        ("Which religion is the true one?", "I do not judge"),
        ("أي دين هو الصحيح؟", "لا أفتي"),
        ("asdfghjkl", "I could not"),
        ("شسيبلاتن", "لم أفهم"),
    ],
)
async def test_short_replies_come_in_the_language_of_the_message(question: str, start: str) -> None:
    _, out = await run(Kit(), "sync", question)
    assert out["answer"].startswith(start)


async def test_other_languages_fall_to_english_and_a_setting_overrides() -> None:
    nothing = {"curated": StubIndex(())}
    kit = {"score": 0.1, "sources": nothing, "generator": "NOT FOUND"}
    _, german = await run(Kit(**kit), "sync", "Was ist Osmose?", allowed_sources=["curated"])
    _, told = await run(
        Kit(**kit), "sync", "Was ist Osmose?", allowed_sources=["curated"], language="ar"
    )
    assert german["answer"].startswith("Low confidence")
    assert told["answer"].startswith("ثقة منخفضة")


async def test_the_generator_is_told_the_language() -> None:
    kit, told = Kit(), Kit()
    await run(kit, "sync", ARABIC)
    await run(told, "sync", ARABIC, language="en")
    assert "Write in the language of the question." in kit.generator.prompts[0]
    assert "Write in English." in told.generator.prompts[0]


async def test_partial_evidence_gives_a_hybrid_answer_that_says_so() -> None:
    kit = Kit(
        triage=COMPLEX,
        score=0.5,
        evaluator=verdict("ambiguous", "rates"),
        generator="Water moves through a membrane [1]. In general, rates vary.",
    )
    _, out = await run(kit, "sync")
    assert out["low_confidence"] is True
    assert out["answer"].startswith("Low confidence: the sources found cover")
    assert "[1]" not in out["answer"]
    assert len(out["citations"]) == 1
    assert "rates" in out["stop_reason"]


async def test_without_evidence_the_models_knowledge_is_labelled_and_uncited() -> None:
    kit = Kit(score=0.1, generator="Osmosis moves water [1].")
    _, out = await run(kit, "sync")
    assert out["status"] == "low_confidence"
    assert "general knowledge" in out["answer"]
    assert out["answer"].endswith("Osmosis moves water.")
    assert out["citations"] == []
    assert out["documents"] == []


async def test_knowledge_can_be_refused_and_the_generator_is_not_asked_then() -> None:
    kit = Kit(score=0.1)
    _, out = await run(kit, "sync", on_no_evidence="refuse")
    assert kit.generator.prompts == []
    assert out["low_confidence"] is True
    assert "I give no answer" in out["answer"]


async def test_a_generator_without_knowledge_of_its_own_says_so() -> None:
    _, out = await run(Kit(score=0.1, generator="NOT FOUND"), "sync")
    assert "no knowledge of my own" in out["answer"]


async def test_good_chunks_are_carried_into_the_next_pass() -> None:
    def first_then_nothing() -> Any:
        replies = iter([[document("d0", "Water moves by osmosis.")]])
        return StubIndex(lambda query: next(replies, []))

    kit = Kit(
        triage="INTENT: complex",
        score=0.6,
        sources={"curated": first_then_nothing()},
        evaluator=in_turn(verdict("ambiguous"), verdict("correct")),
    )
    _, out = await run(kit, "sync", allowed_sources=["curated"])
    assert [chunk["content"] for chunk in out["ranked"]] == ["Water moves by osmosis."]
    assert out["status"] == "answered"


async def test_the_output_says_who_scored_and_why_no_higher_tier_did() -> None:
    kit = Kit()
    kit.reranker.score = lambda query, texts: [7.45] * len(texts)  # type: ignore[method-assign]
    graph_backends = kit.backends()
    graph_backends.cascade._tiers["embedded"] = lambda model: (
        lambda query, texts: [0.9] * len(texts)
    )
    from graphs import study

    out = study.build(graph_backends).compile().invoke({"question": "What is osmosis?"})
    report = out["rerankings"][0]
    assert report["tier"] == "embedded"
    reasons = {skipped["tier"]: skipped["reason"] for skipped in report["skipped"]}
    assert list(reasons) == ["given", "jina", "cross_encoder"]
    assert "7.45" in reasons["given"]
    assert "JINA_API_KEY" in reasons["jina"]
