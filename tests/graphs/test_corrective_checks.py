"""The loop of drafts and checks: what is regenerated, what is removed, what never passes."""

import logging

import pytest

from tests.graphs.corrective_kit import ANSWER, COLOURS, NOT_FOUND, Kit, events, run
from tests.stubs import checked, field, in_turn

CLAIM = "Acme Ltd has 500 staff"
TWO_CLAIMS = "Acme Ltd runs payroll [d1]. Acme Ltd has 500 staff [d1]."
MADE_UP = checked(CLAIM)


def test_a_regeneration_gets_the_draft_and_its_claims_and_is_told_to_drop_or_fix_them():
    kit = Kit(generator=in_turn(TWO_CLAIMS, ANSWER), checker=in_turn(MADE_UP, checked()))
    kit.ask()
    first, second = kit.generator.prompts
    assert "<draft>" not in first
    assert "<unsupported_claims>" not in first
    assert field(second, "draft") == TWO_CLAIMS
    assert field(second, "unsupported_claims") == f"\n- {CLAIM}\n"
    assert "Drop each of them, or fix it" in second


def test_each_attempt_is_a_new_prompt_even_when_the_model_repeats_itself():
    kit = Kit(generator=TWO_CLAIMS, checker=MADE_UP)
    kit.ask()
    assert len(set(kit.generator.prompts)) == 3


def test_the_check_runs_on_the_documents_that_the_draft_was_written_from():
    kit = Kit()
    kit.ask()
    written = field(kit.generator.prompts[0], "documents")
    assert field(kit.checker.prompts[0], "documents") == written
    assert written.count("<document ") == 2


def test_the_check_is_shown_the_draft_without_its_marks():
    kit = Kit()
    kit.ask()
    assert field(kit.checker.prompts[0], "answer") == "Acme Ltd runs payroll."


@pytest.mark.parametrize("colour", COLOURS)
async def test_at_the_cap_the_unsupported_claims_are_removed_and_the_rest_stays(colour):
    _, out = await run(Kit(generator=TWO_CLAIMS, checker=MADE_UP), colour)
    assert out["answer"] == "Acme Ltd runs payroll [d1]."
    assert out["status"] == "partly_supported"
    assert out["stop_reason"] == (
        "The check did not fully pass after 2 regenerations; 1 unsupported claim(s) were "
        "removed from the answer."
    )
    assert out["unsupported_claims"] == [CLAIM]
    assert len(out["checks"]) == 3


def test_citations_of_removed_claims_go_with_them():
    answer = "Acme Ltd runs payroll for all offices [d1]. Payroll is paid daily [d2]."
    out = Kit(generator=answer, checker=checked("Payroll is paid daily")).ask()
    assert out["answer"] == "Acme Ltd runs payroll for all offices [d1]."
    assert [citation["id"] for citation in out["citations"]] == ["d1"]


def test_when_nothing_is_left_the_answer_is_the_not_found_reply():
    out = Kit(generator="Acme Ltd has 500 staff [d1].", checker=MADE_UP).ask()
    assert (out["status"], out["answer"]) == ("not_found", NOT_FOUND)
    assert out["stop_reason"] == "No supported claim was left after 2 regenerations."
    assert out["citations"] == []
    assert [document["id"] for document in out["documents"]] == ["d1", "d2"]


def test_a_lead_in_alone_is_nothing_left():
    answer = "Here is what the documents say:\n- Acme Ltd has 500 staff [d1]\n"
    assert Kit(generator=answer, checker=MADE_UP).ask()["status"] == "not_found"


def test_a_claim_that_no_sentence_carries_is_reported_as_still_open():
    out = Kit(checker=checked("Quux frobnicates")).ask()
    assert out["answer"] == ANSWER
    assert out["status"] == "partly_supported"
    assert out["unsupported_claims"] == ["Quux frobnicates"]
    assert "0 unsupported claim(s) were removed" in out["stop_reason"]
    assert "1 more could not be placed" in out["stop_reason"]


def test_a_failed_check_without_a_list_never_reads_as_supported():
    out = Kit(checker={"supported": False, "unsupported_claims": []}).ask()
    assert out["status"] == "partly_supported"
    assert "did not say which claim" in out["stop_reason"]


def test_a_check_that_contradicts_itself_is_taken_at_its_list():
    contradiction = {"supported": True, "unsupported_claims": [CLAIM]}
    kit = Kit(generator=TWO_CLAIMS, checker=contradiction)
    assert kit.ask()["status"] == "partly_supported"
    assert kit.heard()["generator"] == 3


@pytest.mark.parametrize("nothing", ["none", "None.", "N/A", "", None, [], ["none"]])
def test_a_list_that_says_that_there_is_nothing_holds_no_claim(nothing):
    kit = Kit(checker={"supported": True, "unsupported_claims": nothing})
    assert kit.ask()["status"] == "answered"


def test_a_check_that_cannot_be_read_is_asked_for_once_more():
    kit = Kit(checker=in_turn("The answer looks fine to me.", checked()))
    out = kit.ask()
    assert out["status"] == "answered"
    assert kit.heard() == kit.heard() | {"checker": 2, "generator": 1}
    assert kit.checker.prompts[0] == kit.checker.prompts[1]


@pytest.mark.parametrize("said", ["Looks fine!", "", "supported", '{"supported": true|false}', "{"])
def test_a_check_that_stays_unreadable_never_counts_as_supported(said):
    kit = Kit(checker=said)
    out = kit.ask()
    assert out["status"] == "partly_supported"
    assert out["stop_reason"].endswith("nothing is confirmed.")
    assert [check["problem"] for check in out["checks"]] == ["unreadable"] * 3
    assert not any(check["supported"] for check in out["checks"])
    assert kit.heard()["checker"] == 6


def test_an_empty_draft_does_not_pass_and_is_not_sent_to_the_checker():
    kit = Kit(generator="  \n ")
    out = kit.ask()
    assert (out["status"], out["answer"]) == ("not_found", NOT_FOUND)
    assert kit.heard() == kit.heard() | {"generator": 3, "checker": 0}


def test_a_draft_of_nothing_but_thinking_is_empty():
    kit = Kit(generator=in_turn("<think>Acme?</think>", ANSWER))
    assert kit.ask()["answer"] == ANSWER
    assert kit.heard() == kit.heard() | {"generator": 2, "checker": 1}


@pytest.mark.parametrize(
    "said",
    ["NOT FOUND", "not found.", "**NOT FOUND**", "NO_ANSWER", "N0T F0UND", "I don't know.",
     "I couldn't find this in the documents.", "The documents do not mention payroll.",
     "لا أعرف", "Das weiß ich nicht."],
)  # fmt: skip
def test_an_abstaining_draft_is_not_found_without_a_check_or_a_loop(said):
    kit = Kit(generator=said)
    out = kit.ask()
    assert (out["status"], out["answer"]) == ("not_found", NOT_FOUND)
    assert out["stop_reason"] == "The documents do not contain the answer."
    assert kit.heard() == kit.heard() | {"generator": 1, "checker": 0}
    assert [document["id"] for document in out["documents"]] == ["d1", "d2"]


def test_checks_and_drafts_are_logged(caplog):
    caplog.set_level(logging.INFO, "crag")
    Kit(generator=in_turn(TWO_CLAIMS, ANSWER), checker=in_turn(MADE_UP, "?", checked())).ask()
    assert [check["supported"] for check in events(caplog, "check")] == [False, True]
    assert events(caplog, "check")[0]["unsupported_claims"] == [CLAIM]
    assert [unread["raw"] for unread in events(caplog, "unreadable_check")] == ["?"]
    assert len(events(caplog, "draft")) == 2
