"""The grader, driven by hand."""

import pytest

from nodes.calls import Ask, Pack, Packed, Reading
from nodes.grader import grade, select
from state.errors import ContextOverflow, ModelError, ModelRejected, ModelUnavailable
from state.verdicts import DocumentGrade
from tests.nodes.by_hand import DOCUMENTS, drive, state, verdict

TASK = {"question": "Who?", "document": DOCUMENTS[0]}
FITS = Packed([DOCUMENTS[0]], [])


def read(relevant: bool, reason: str = "A reason.") -> Reading:
    return Reading(DocumentGrade(relevant=relevant, reason=reason), "raw", "stub")


def test_one_document_is_packed_for_the_grader_and_asked_about():
    calls, update = drive(grade(TASK, None), FITS, read(True))
    packing, asking = calls
    assert packing == Pack([DOCUMENTS[0]], ("grader",), "Who?")
    assert isinstance(asking, Ask)
    assert (asking.role, asking.prompt.name, asking.schema) == (
        "grader", "document_grader", DocumentGrade,
    )  # fmt: skip
    assert asking.fields == {"question": "Who?", "doc": DOCUMENTS[0]}
    assert update == {"grades": [verdict("d1", True, reason="A reason.")]}


def test_the_document_is_shown_as_it_was_packed():
    shorter = {**DOCUMENTS[0], "content": "Acme"}
    calls, _ = drive(grade(TASK, None), Packed([shorter], []), read(False))
    assert calls[1].fields["doc"] == shorter


def test_an_unreadable_reply_is_not_asked_for_again():
    calls, update = drive(grade(TASK, None), FITS, Reading(None, "garbage", "stub"))
    assert len(calls) == 2
    assert update["grades"][0]["relevant"] is False
    assert update["grades"][0]["problem"] == "unreadable"


@pytest.mark.parametrize("error", [ModelUnavailable, ModelRejected, ContextOverflow, ModelError])
def test_a_failed_call_is_a_document_that_is_not_relevant(error):
    _, update = drive(grade(TASK, None), FITS, error("no luck"))
    assert update == {
        "grades": [verdict("d1", False, "failed", "The grader gave no verdict: no luck")]
    }


def test_a_document_for_which_there_is_no_room_is_not_asked_about():
    calls, update = drive(grade(TASK, None), Packed([], []))
    assert len(calls) == 1
    assert "leaves no room" in update["grades"][0]["reason"]


def test_the_relevant_documents_are_kept():
    given = state(grades=[verdict("d1", False), verdict("d2", True)])
    assert select(given, None) == {"documents": [DOCUMENTS[1]]}


def test_when_all_are_relevant_there_is_nothing_to_write_again():
    assert select(state(grades=[verdict("d1", True), verdict("d2", True)]), None) == {}


def test_grades_go_by_their_place_not_by_their_id():
    twins = [DOCUMENTS[0], {**DOCUMENTS[1], "id": "d1"}]
    given = state(documents=twins, grades=[verdict("d1", False), verdict("d1", True)])
    assert select(given, None) == {"documents": [twins[1]]}


@pytest.mark.parametrize(
    ("documents", "grades", "reason"),
    [
        ([], [], "The index has no document for this question."),
        (DOCUMENTS, [verdict("d1", False), verdict("d2", False)],
         "None of the 2 retrieved documents was graded relevant."),
        (DOCUMENTS, [verdict("d1", False, "failed"), verdict("d2", False, "unreadable")],
         "None of the 2 retrieved documents was graded relevant."),
    ],
)  # fmt: skip
def test_without_a_relevant_document_the_reason_is_kept(documents, grades, reason):
    assert select(state(documents=documents, grades=grades), None) == {"stop_reason": reason}


def test_an_outage_of_the_grader_is_an_error():
    failed = [verdict("d1", False, "failed", "first"), verdict("d2", False, "failed", "second")]
    with pytest.raises(ModelError, match=r"No document could be graded\. second"):
        select(state(grades=failed), None)
