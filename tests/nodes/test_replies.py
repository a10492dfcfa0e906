"""The three ways in which a corrective run ends."""

import pytest

from nodes.replies import NOT_FOUND, accept, not_found, not_found_reply, trim
from state.corrective import CorrectiveContext
from tests.nodes.by_hand import DOCUMENTS, state

CONTEXT = CorrectiveContext()
UNREADABLE = {"supported": False, "unsupported_claims": [], "problem": "unreadable"}
FAILED = {"supported": False, "unsupported_claims": ["It is big"], "problem": ""}
DRAFT = "Acme Ltd runs payroll [d1]. It is big [d2]."


def at_the_cap(**changes):
    given = {"draft": DRAFT, "checks": [FAILED], "unsupported_claims": ["It is big"]}
    return state(**{**given, "regenerations": 2, **changes})


def test_an_accepted_draft_is_the_answer():
    assert accept(state(draft=DRAFT), CONTEXT) == {
        "answer": DRAFT,
        "status": "answered",
        "stop_reason": "The check found every claim supported.",
        "unsupported_claims": [],
    }


def test_a_trimmed_draft_keeps_the_citations_of_what_is_left():
    update = trim(at_the_cap(), CONTEXT)
    assert (update["answer"], update["status"]) == (
        "Acme Ltd runs payroll [d1].",
        "partly_supported",
    )
    assert [citation["id"] for citation in update["citations"]] == ["d1"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, "The check did not fully pass after 2 regenerations; 1 unsupported claim(s) were "
             "removed from the answer."),
        ({"regenerations": 1},
         "The check did not fully pass after 1 regeneration, where the run's recursion limit "
         "ended it; 1 unsupported claim(s) were removed from the answer."),
        ({"unsupported_claims": ["It is big", "Quux"]},
         "The check did not fully pass after 2 regenerations; 1 unsupported claim(s) were "
         "removed from the answer; 1 more could not be placed in it, so it may still hold them."),
        ({"unsupported_claims": []},
         "The check did not pass after 2 regenerations, and did not say which claim it missed."),
        ({"unsupported_claims": [], "checks": [FAILED, UNREADABLE]},
         "The check of the answer could not be read after 2 regenerations; nothing is confirmed."),
    ],
)  # fmt: skip
def test_the_stop_reason_says_what_the_last_check_left_open(changes, reason):
    assert trim(at_the_cap(**changes), CONTEXT)["stop_reason"] == reason


def test_a_draft_of_which_nothing_is_left_is_not_found():
    update = trim(at_the_cap(draft="It is big."), CONTEXT)
    assert (update["answer"], update["status"]) == (NOT_FOUND, "not_found")
    assert update["stop_reason"] == "No supported claim was left after 2 regenerations."
    assert "documents" not in update


def test_rejected_documents_are_not_shown_as_evidence():
    update = not_found(state(stop_reason="Why."), CONTEXT)
    assert update["documents"] == []
    assert update["stop_reason"] == "Why."


def test_the_documents_of_a_draft_are_shown():
    assert "documents" not in not_found(state(draft="NOT FOUND", documents=DOCUMENTS), CONTEXT)


@pytest.mark.parametrize(
    ("question", "start"),
    [("Why?", "The answer"), ("لماذا؟", "لم"), ("なぜ？", "文書"), ("为什么？", "在")],
)
def test_the_reply_follows_the_script_of_the_question(question, start):
    assert not_found_reply(question).startswith(start)
