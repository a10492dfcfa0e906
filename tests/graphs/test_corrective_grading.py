"""Grades: read tolerantly, failing closed, one a document, in the order of retrieval."""

import logging
import random

import pytest

from backends import Backends, Settings
from graphs import corrective
from state.errors import IndexFailed, ModelError
from tests.graphs.corrective_kit import (
    COLOURS,
    INDEXED,
    NOT_FOUND,
    Kit,
    events,
    only,
    rejecting,
    run,
)  # fmt: skip
from tests.stubs import StubIndex, chat, document, documents, field, grade, in_turn


class RateLimited(Exception):
    """What a client raises when the server is busy."""

    status_code = 429


class Refused(Exception):
    """What a client raises when the server refuses the request."""

    status_code = 400


def failing_on(text: str, error: Exception):
    return lambda prompt: error if text in field(prompt, "document") else grade(True)


def test_every_document_is_graded_once_and_on_its_own():
    kit = Kit()
    kit.ask()
    shown = [field(prompt, "document") for prompt in kit.grader.prompts]
    assert sorted(shown) == sorted(d["content"] for d in INDEXED)


def test_rejected_documents_never_reach_the_generator_or_the_checker():
    kit = Kit(grader=only("d2"))
    out = kit.ask()
    for prompt in [*kit.generator.prompts, *kit.checker.prompts]:
        assert "paid on the 25th" in prompt
        assert not any(d["content"] in prompt for d in INDEXED if d["id"] != "d2")
    assert [document["id"] for document in out["documents"]] == ["d2"]


@pytest.mark.parametrize(
    "said",
    ["Relevant!", "", "yes", "null", '{"relevant": maybe}', '{"relevant": "true|false"}',
     '{"reason": "no verdict"}', '{"relevant": true} or {"relevant": false}'],
)  # fmt: skip
def test_a_grade_that_cannot_be_read_is_not_relevant_and_its_raw_reply_is_logged(caplog, said):
    caplog.set_level(logging.INFO, "crag")
    kit = rejecting(grader=lambda prompt: said if "Acme" in prompt else grade(False))
    out = kit.ask()
    unread = out["grades"][0]
    assert unread == {
        "document_id": "d1",
        "relevant": False,
        "reason": "The grader's reply could not be read.",
        "problem": "unreadable",
    }
    (logged,) = [event for event in events(caplog, "grade") if event["problem"]]
    assert logged["raw"] == said
    assert kit.heard()["grader"] == 4
    assert kit.heard()["web"] == 1


def test_one_unreadable_grade_among_four_leaves_the_others_standing():
    kit = Kit(grader=lambda prompt: "garbage" if "Acme" in prompt else grade(True))
    out = kit.ask()
    assert [document["id"] for document in out["documents"]] == ["d2", "d3", "d4"]
    assert [verdict["problem"] for verdict in out["grades"]] == ["unreadable", "", "", ""]
    assert kit.web.heard == []


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    "error", [RateLimited("busy"), Refused("content filter"), ValueError("bug")]
)
async def test_a_grader_that_fails_on_one_document_rejects_it_and_the_others_count(colour, error):
    kit = Kit(grader=failing_on("Acme", error), max_attempts=2)
    _, out = await run(kit, colour)
    assert [document["id"] for document in out["documents"]] == ["d2", "d3", "d4"]
    assert [verdict["problem"] for verdict in out["grades"]] == ["failed", "", "", ""]
    assert out["grades"][0]["reason"].startswith("The grader gave no verdict: ")
    assert out["usage"]["grader"]["failed"] == (2 if isinstance(error, RateLimited) else 1)


@pytest.mark.parametrize("colour", COLOURS)
async def test_a_grader_that_fails_on_all_documents_is_an_error_not_a_not_found(colour):
    kit = Kit(grader=RateLimited("busy"), max_attempts=1)
    with pytest.raises(ModelError, match=r"^No document could be graded\. .*429"):
        await run(kit, colour)
    assert (kit.rewriter.prompts, kit.web.heard) == ([], [])


def test_failures_and_rejections_together_are_no_outage():
    kit = rejecting(grader=in_turn(*[ValueError("bug")] * 3, grade(False)))
    assert kit.ask()["status"] == "answered"
    assert kit.heard()["web"] == 1


def test_an_evaluator_that_raises_fails_on_its_document_alone():
    def evaluate(doc, question):
        return {"relevant": 1 / (doc["id"] != "d1") > 0}

    backends = Backends(
        grader=evaluate,
        generator=chat("Payroll is paid on the 25th [d2]."),
        checker=chat({"supported": True}),
        index=StubIndex(INDEXED),
        settings=Settings(_env_file=None),
    )
    out = corrective.build(backends).compile().invoke({"question": "When?"})
    assert [grade["problem"] for grade in out["grades"]] == ["failed", "", "", ""]


@pytest.mark.parametrize("colour", COLOURS)
async def test_grades_stand_in_the_order_of_retrieval_whatever_they_took(colour):
    ids = [f"d{n}" for n in range(12)]
    waits = random.Random(7)
    kit = Kit(found=documents(*ids), grader=lambda p: grade(True, field(p, "document")))
    kit.grader.delay = lambda prompt: waits.random() / 50
    _, out = await run(kit, colour, top_k=12)
    assert [verdict["document_id"] for verdict in out["grades"]] == ids
    assert [verdict["reason"] for verdict in out["grades"]] == [f"Content of {i}." for i in ids]
    assert [document["id"] for document in out["documents"]] == ids


@pytest.mark.parametrize("colour", COLOURS)
async def test_documents_are_graded_at_the_same_time(colour):
    kit = Kit()
    kit.grader.delay = 0.05
    await run(kit, colour)
    assert kit.grader.most_at_once == 4


async def test_calls_at_the_same_time_are_limited_by_the_settings():
    kit = Kit(max_concurrency=2)
    kit.grader.delay = 0.02
    await run(kit, "ainvoke")
    assert kit.grader.most_at_once == 2


def test_the_same_text_from_two_files_is_graded_once_and_both_sources_are_kept():
    same = "Payroll is run by\nACME Ltd."
    kit = Kit(
        found=[
            document("a", same, source="hr.md"),
            document("b", same.upper().replace("\n", "  "), source="it.md"),
            document("c", "Something else."),
        ],
        grader=grade(True),
    )
    out = kit.ask()
    assert kit.heard()["grader"] == 2
    assert [d["id"] for d in out["documents"]] == ["a", "c"]
    assert out["documents"][0]["metadata"] == {"id": "a", "source": "hr.md", "also_in": ["it.md"]}


def test_two_texts_under_one_id_are_told_apart():
    found = [document("d", "Acme runs payroll."), document("d", "The canteen is closed.")]
    kit = Kit(found=found, grader=lambda prompt: grade("Acme" in field(prompt, "document")))
    out = kit.ask()
    assert [verdict["document_id"] for verdict in out["grades"]] == ["d", "d-2"]
    assert "canteen" not in kit.generator.prompts[0]
    assert [document["id"] for document in out["documents"]] == ["d"]


def test_documents_without_text_are_not_graded():
    kit = Kit(found=[{"id": "blank", "content": " \n"}, *INDEXED[:1]])
    kit.ask()
    assert kit.heard()["grader"] == 1


def test_a_grade_needs_no_reason_but_the_output_always_has_one():
    out = Kit(grader={"relevant": "Yes.", "reason": None}).ask()
    assert {verdict["reason"] for verdict in out["grades"]} == {"No reason was given."}
    assert out["status"] == "answered"


def test_every_grade_is_logged_with_its_reason(caplog):
    caplog.set_level(logging.INFO, "crag")
    Kit(grader=lambda prompt: grade(True, f"About {field(prompt, 'document')}")).ask()
    logged = {event["document_id"]: event["reason"] for event in events(caplog, "grade")}
    assert logged == {d["id"]: f"About {d['content']}" for d in INDEXED}


@pytest.mark.parametrize("colour", COLOURS)
async def test_an_index_that_fails_is_an_error_not_an_empty_index(colour):
    kit = Kit(found=ConnectionError("refused"))
    with pytest.raises(IndexFailed, match="stub index failed: ConnectionError: refused"):
        await run(kit, colour)
    assert kit.web.heard == []


def test_off_corpus_questions_are_not_answered_from_memory():
    kit = rejecting(found=[], web=[])
    out = kit.ask("How far is Mars?")
    assert (out["status"], out["answer"], kit.generator.prompts) == ("not_found", NOT_FOUND, [])


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("من يدير الرواتب؟", "لم يُعثر على الإجابة في المستندات."),
        ("谁负责工资？", "在文档中未能找到答案。"),
        ("給与は誰が管理していますか？", "文書の中に回答は見つかりませんでした。"),
        ("Wer macht die Lohnabrechnung?", NOT_FOUND),
        (INDEXED[0]["content"], NOT_FOUND),
    ],
)
def test_the_not_found_reply_is_in_the_script_of_the_question(question, reply):
    assert rejecting(web=[]).ask(question)["answer"] == reply


def test_the_generator_is_told_to_answer_in_the_language_of_the_question():
    kit = Kit()
    kit.ask("Qui gère la paie ?")
    assert "Answer in the language of the question" in kit.generator.prompts[0]
