"""Every route of the study graph's drawing, with the thresholds at, under and over each bound."""

import pytest

from state.errors import BadQuestion, ModelUnavailable
from tests.graphs.study_kit import COMPLEX, PIPELINE, QUESTION, START, Kit, call_tools, run, verdict
from tests.stubs import StubIndex, StubWeb, in_turn

COLOURS = pytest.mark.parametrize("colour", ["sync", "async"])
EVERY_SOURCE = ["curated", "wikipedia", "arxiv", "web"]
LIMIT = 1e-9


@COLOURS
async def test_a_greeting_is_answered_without_any_call(colour: str) -> None:
    kit = Kit()
    nodes, out = await run(kit, colour, "Hello!")
    assert nodes == ["triage", "reply_chitchat"]
    assert out["status"] == "answered"
    assert out["usage"] == {}
    assert kit.triage.prompts == []
    assert not any(kit.queries().values())


@COLOURS
async def test_a_refused_topic_ends_at_the_refusal_without_any_call(colour: str) -> None:
    kit = Kit()
    nodes, out = await run(kit, colour, "Who should I vote for in the election?")
    assert nodes == ["triage", "reply_refusal"]
    assert (out["status"], out["topic"]) == ("refused", "politics")
    assert kit.triage.prompts == []
    assert not any(kit.queries().values())


@COLOURS
async def test_the_model_may_find_a_message_unsafe(colour: str) -> None:
    nodes, out = await run(Kit(triage="INTENT: unsafe\nTOPIC: religion"), colour, "Judge my faith")
    assert nodes == ["triage", "reply_refusal"]
    assert out["topic"] == "religion"


@COLOURS
async def test_the_model_may_find_a_message_to_be_small_talk(colour: str) -> None:
    nodes, out = await run(Kit(triage="INTENT: chitchat"), colour, "Well, there we are again")
    assert nodes == ["triage", "reply_chitchat"]
    assert out["answer"]


@COLOURS
async def test_a_simple_question_skips_the_evaluator(colour: str) -> None:
    kit = Kit(score=0.36)
    nodes, out = await run(kit, colour)
    assert nodes == [*START, "generate"]
    assert kit.evaluator.prompts == []
    assert out["status"] == "answered"
    assert out["low_confidence"] is False


@COLOURS
@pytest.mark.parametrize(
    ("score", "answers"), [(0.35 - LIMIT, False), (0.35, False), (0.35 + LIMIT, True)]
)
async def test_a_simple_question_answers_over_its_threshold_only(
    score: float, answers: bool, colour: str
) -> None:
    nodes, _ = await run(Kit(score=score), colour)
    after_rerank = nodes[len(START)]
    assert after_rerank == ("generate" if answers else "retry_check")


@COLOURS
@pytest.mark.parametrize(
    ("score", "then"),
    [
        (0.2 - LIMIT, "retry_check"),
        (0.2, "retry_check"),
        (0.2 + LIMIT, "evaluator"),
        (0.8 - LIMIT, "evaluator"),
        (0.8, "generate"),
        (0.8 + LIMIT, "generate"),
    ],
)
async def test_a_complex_question_goes_by_two_thresholds(
    score: float, then: str, colour: str
) -> None:
    nodes, _ = await run(Kit(triage=COMPLEX, score=score), colour)
    assert nodes[len(START)] == then


@COLOURS
async def test_the_thresholds_are_parameters(colour: str) -> None:
    kit = Kit(triage=COMPLEX, score=0.6)
    nodes, _ = await run(kit, colour, high_threshold=0.6)
    assert nodes == [*START, "generate"]


@COLOURS
async def test_sufficient_evidence_is_answered_from(colour: str) -> None:
    kit = Kit(triage=COMPLEX, score=0.5, evaluator=verdict("correct"))
    nodes, out = await run(kit, colour)
    assert nodes == [*START, "evaluator", "generate"]
    assert out["verdict"] == "correct"
    assert out["retries"] == 0


@COLOURS
@pytest.mark.parametrize("word", ["ambiguous", "incorrect"])
async def test_insufficient_evidence_searches_again_and_then_answers(
    word: str, colour: str
) -> None:
    replies = in_turn(verdict(word, "the role of membranes"), verdict("correct"))
    kit = Kit(triage=COMPLEX, score=0.5, evaluator=replies)
    nodes, out = await run(kit, colour)
    again = ["evaluator", "retry_check", *PIPELINE, "evaluator", "generate"]
    assert nodes == [*START, *again]
    assert out["retries"] == 1
    assert [e["verdict"] for e in out["evaluations"]] == [word, "correct"]


@COLOURS
async def test_two_retries_are_made_and_the_third_goes_to_the_fallback(colour: str) -> None:
    kit = Kit(triage=COMPLEX, score=0.1)
    nodes, out = await run(kit, colour)
    round_ = ["retry_check", *PIPELINE]
    assert nodes == [*START, *round_, *round_, "retry_check", "fallback"]
    assert out["retries"] == 3
    assert out["low_confidence"] is True
    assert out["status"] == "low_confidence"


@COLOURS
async def test_a_simple_question_retries_with_all_sources_and_keywords(colour: str) -> None:
    kit = Kit(score=0.1, rewriter="solvent flow")
    nodes, out = await run(kit, colour, "What is the meaning of osmosis in biology?")
    assert nodes.count("router") == 3
    assert out["sources_to_use"] == EVERY_SOURCE
    assert kit.queries()["wikipedia"] == ["osmosis biology", "solvent flow"]
    assert len(kit.rewriter.prompts) == 1
    assert out["tried_sources"] == EVERY_SOURCE


@COLOURS
async def test_without_retries_the_first_miss_goes_to_the_fallback(colour: str) -> None:
    nodes, out = await run(Kit(score=0.1), colour, max_retries=0)
    assert nodes == [*START, "retry_check", "fallback"]
    assert out["retries"] == 1


@COLOURS
async def test_when_every_source_fails_no_further_pass_is_made(colour: str) -> None:
    broken = {name: StubIndex(OSError("no route to host")) for name in EVERY_SOURCE}
    kit = Kit(triage=COMPLEX, sources=broken, generator="NOT FOUND")
    nodes, out = await run(kit, colour)
    assert nodes == [*START, "retry_check", "fallback"]
    assert "failed" in out["stop_reason"]
    assert [report["outcome"] for report in out["sources"]] == ["failed"] * 5


@COLOURS
async def test_a_simple_question_turns_to_the_others_when_its_one_source_failed(
    colour: str,
) -> None:
    kit = Kit(sources={"curated": StubIndex(OSError("disk gone"))})
    nodes, out = await run(kit, colour)
    assert nodes == [*START, "retry_check", *PIPELINE, "generate"]
    outcomes = {(r["source"], r["attempt"]): r["outcome"] for r in out["sources"]}
    assert outcomes["curated", 0] == outcomes["curated", 1] == "failed"
    assert outcomes["web", 1] == "hits"


@COLOURS
async def test_one_failing_source_takes_no_other_down(colour: str) -> None:
    kit = Kit(triage=COMPLEX, sources={"arxiv": StubIndex(OSError("HTTP 429"))})
    nodes, out = await run(kit, colour)
    assert nodes == [*START, "generate"]
    by_source = {report["source"]: report for report in out["sources"]}
    assert by_source["arxiv"]["outcome"] == "failed"
    assert "HTTP 429" in by_source["arxiv"]["error"]
    assert by_source["wikipedia"]["outcome"] == "hits"
    assert {chunk["origin"] for chunk in out["pool"]} == {"curated", "wikipedia", "web"}


@COLOURS
async def test_nothing_found_is_told_from_a_failure(colour: str) -> None:
    nothing = {name: StubIndex(()) for name in EVERY_SOURCE}
    nodes, out = await run(Kit(triage=COMPLEX, sources=nothing), colour)
    assert nodes[-1] == "fallback"
    assert {report["outcome"] for report in out["sources"]} == {"no_hits"}
    assert nodes.count("router") == 3


@COLOURS
async def test_a_complex_question_asks_all_sources_at_once_without_a_model(colour: str) -> None:
    kit = Kit(triage=COMPLEX)
    _, out = await run(kit, colour, "How do osmosis and diffusion differ in a cell?")
    assert kit.router.prompts == []
    heard = {source: sorted(queries) for source, queries in kit.queries().items()}
    assert heard == {
        "curated": ["What is diffusion?", "What is osmosis?"],
        "wikipedia": ["osmosis diffusion differ cell"],
        "arxiv": ["osmosis diffusion differ cell"],
        "web": ["How do osmosis and diffusion differ in a cell?"],
    }
    assert [k for _, k in kit.sources["wikipedia"].heard] == [15]
    assert out["search_query"] == "osmosis diffusion differ cell"


@COLOURS
async def test_a_simple_question_asks_the_sources_whose_tools_the_model_calls(
    colour: str,
) -> None:
    kit = Kit(router=call_tools("search_wikipedia", "search_arxiv", query="osmosis cell"))
    _, out = await run(kit, colour)
    assert out["sources_to_use"] == ["wikipedia", "arxiv"]
    assert kit.queries()["wikipedia"] == ["osmosis cell"]
    assert kit.queries()["curated"] == []


@COLOURS
async def test_a_model_that_calls_no_tool_gets_the_curated_index(colour: str) -> None:
    kit = Kit(router="I would look into the course material.")
    _, out = await run(kit, colour)
    assert out["sources_to_use"] == ["curated"]
    assert kit.queries()["curated"] == ["What is osmosis?"]


@COLOURS
async def test_the_evaluators_retry_keeps_its_sources_and_aims_at_what_is_missing(
    colour: str,
) -> None:
    kit = Kit(
        triage=COMPLEX,
        score=0.5,
        evaluator=in_turn(verdict("ambiguous", "speed of diffusion"), verdict("correct")),
        rewriter="diffusion coefficient",
    )
    _, out = await run(kit, colour, allowed_sources=["curated", "web"])
    assert out["sources_to_use"] == ["curated", "web"]
    assert kit.queries()["curated"][-1] == kit.queries()["web"][-1] == "diffusion coefficient"
    assert "speed of diffusion" in kit.rewriter.prompts[0]
    assert "What is diffusion?" in kit.rewriter.prompts[0]
    assert kit.queries()["arxiv"] == []


@pytest.mark.parametrize(
    ("limit", "passes"), [(11, 1), (17, 1), (18, 2), (24, 2), (25, 3), (99, 3)]
)
def test_when_the_recursion_limit_nears_the_fallback_ends_the_run(limit: int, passes: int) -> None:
    kit = Kit(triage=COMPLEX, score=0.5, evaluator=verdict("ambiguous"))
    out = kit.graph().invoke({"question": QUESTION}, {"recursion_limit": limit})
    assert out["low_confidence"] is True
    assert len(out["rerankings"]) == passes


@COLOURS
async def test_an_outage_of_the_triage_takes_the_complex_path(colour: str) -> None:
    kit = Kit(triage=TimeoutError("no reply"))
    nodes, out = await run(kit, colour)
    assert nodes == [*START, "generate"]
    assert (out["intent"], out["sub_questions"]) == ("complex", ["What is osmosis?"])


@COLOURS
async def test_a_slow_triage_is_cut_off_and_takes_the_complex_path(colour: str) -> None:
    kit = Kit()
    kit.triage.delay = 0.5
    _, out = await run(kit, colour, triage_timeout_s=0.05)
    assert out["intent"] == "complex"
    assert out["usage"]["triage"]["failed"] == out["usage"]["triage"]["calls"] == 1


@COLOURS
async def test_an_unreadable_triage_takes_the_complex_path_never_the_refusal(colour: str) -> None:
    kit = Kit(triage="Hmm, this might be unsafe or simple, hard to say.")
    _, out = await run(kit, colour)
    assert out["intent"] == "complex"


@COLOURS
async def test_an_unreadable_evaluation_counts_as_ambiguous(colour: str) -> None:
    kit = Kit(triage=COMPLEX, score=0.5, evaluator=in_turn("Looks fine?", verdict("correct")))
    nodes, out = await run(kit, colour)
    assert nodes[len(START) :][:2] == ["evaluator", "retry_check"]
    assert out["evaluations"][0]["verdict"] == "ambiguous"
    assert out["evaluations"][0]["problem"] == "unreadable"


@COLOURS
async def test_an_outage_of_the_generator_is_an_error_not_an_answer(colour: str) -> None:
    kit = Kit(generator=TimeoutError("no reply"))
    with pytest.raises(ModelUnavailable, match="generator"):
        await run(kit, colour)


@COLOURS
async def test_a_blank_question_is_refused_before_anything_runs(colour: str) -> None:
    kit = Kit()
    with pytest.raises(BadQuestion):
        await run(kit, colour, "  ")
    assert kit.triage.prompts == []


@COLOURS
async def test_four_sources_write_at_once_and_come_out_in_one_order(colour: str) -> None:
    """Four parallel writers of one key must not clash, whichever of them answers first."""
    slow_first, slow_last = Kit(triage=COMPLEX), Kit(triage=COMPLEX)
    slow_first.sources["wikipedia"] = StubIndex(slow_first.sources["wikipedia"]._found, delay=0.1)
    slow_last.sources["web"] = StubWeb(slow_last.sources["web"]._found, delay=0.1)
    _, first = await run(slow_first, colour)
    _, last = await run(slow_last, colour)
    assert first["pool"] == last["pool"]
    assert len(first["pool"]) == 4
