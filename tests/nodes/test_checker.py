"""The answer check, driven by hand."""

import pytest

from nodes.calls import Ask, Reading
from nodes.checker import check
from state.errors import ModelUnavailable
from state.verdicts import AnswerCheck
from tests.nodes.by_hand import DOCUMENTS, drive, state

DRAFTED = state(draft="Acme Ltd runs payroll [d1].")
UNREADABLE = Reading(None, "Looks fine!", "stub")


def read(**fields) -> Reading:
    return Reading(AnswerCheck(**fields), "raw", "stub")


def test_the_draft_is_held_against_its_documents_without_its_marks():
    (call,), update = drive(check(DRAFTED, None), read(supported=True))
    assert isinstance(call, Ask)
    assert (call.role, call.prompt.name, call.schema) == ("checker", "answer_check", AnswerCheck)
    assert call.fields == {"docs": DOCUMENTS, "answer": "Acme Ltd runs payroll."}
    assert update == {
        "checks": [{"supported": True, "unsupported_claims": [], "problem": ""}],
        "unsupported_claims": [],
    }


def test_the_claims_that_are_not_supported_are_handed_on():
    reply = read(supported=False, unsupported_claims=["It is big"])
    _, update = drive(check(DRAFTED, None), reply)
    assert update["unsupported_claims"] == ["It is big"]


def test_an_unreadable_check_is_asked_for_once_more():
    calls, update = drive(check(DRAFTED, None), UNREADABLE, read(supported=True))
    assert calls[0] == calls[1]
    assert update["checks"][0]["supported"] is True


def test_two_unreadable_checks_are_one_that_did_not_pass():
    calls, update = drive(check(DRAFTED, None), UNREADABLE, UNREADABLE)
    assert len(calls) == 2
    assert update["checks"] == [
        {"supported": False, "unsupported_claims": [], "problem": "unreadable"}
    ]


@pytest.mark.parametrize(
    "given",
    [state(draft=""), state(draft=" \n"), state(draft="[d1]"), {**DRAFTED, "documents": []}],
    ids=["empty", "blank", "only a mark", "no documents"],
)
def test_what_cannot_be_supported_does_not_pass_and_nobody_is_asked(given):
    calls, update = drive(check(given, None))
    assert calls == []
    assert update["checks"][0]["supported"] is False


def test_a_failed_check_is_an_error_not_a_verdict():
    with pytest.raises(ModelUnavailable, match="down"):
        drive(check(DRAFTED, None), ModelUnavailable("down"))
