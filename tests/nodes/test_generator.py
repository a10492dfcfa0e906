"""The generator, driven by hand."""

from typing import Any

import pytest

from nodes.calls import Ask, Pack, Packed, Text
from nodes.generator import DOES_NOT_FIT, DOES_NOT_SAY, generate
from state.errors import ContextOverflow, ModelUnavailable
from tests.nodes.by_hand import DOCUMENTS, drive, state

FITS = Packed(DOCUMENTS, [])
CHECKED = {"supported": False, "unsupported_claims": ["It is big"], "problem": ""}


def said(text: str) -> Text:
    return Text(text, "stub")


def test_documents_are_packed_for_who_writes_and_who_checks():
    calls, _ = drive(generate(state(), None), FITS, said("Acme Ltd runs payroll [d1]."))
    packing, asking = calls
    assert packing == Pack(DOCUMENTS, ("generator", "checker"), "Who runs payroll?", 1.0)
    assert isinstance(asking, Ask)
    assert (asking.role, asking.prompt.name, asking.schema) == ("generator", "answer", None)
    assert asking.fields["docs"] == DOCUMENTS
    assert asking.fields["draft"] == ""


def test_the_first_draft_is_no_regeneration():
    _, update = drive(generate(state(), None), FITS, said("Acme Ltd runs payroll [d1]."))
    assert update == {
        "draft": "Acme Ltd runs payroll [d1].",
        "citations": [{"id": "d1", "source": "d1.md", "title": "d1.md"}],
        "left_out": [],
        "invalid_citations": 0,
        "regenerations": 0,
        "stop_reason": "",
    }


def test_a_regeneration_is_told_what_was_wrong():
    given = state(draft="It is big.", unsupported_claims=["It is big"], checks=[CHECKED, CHECKED],
                  regenerations=1, invalid_citations=2)  # fmt: skip
    calls, update = drive(generate(given, None), FITS, said("Acme Ltd runs payroll [9]."))
    fields = calls[1].fields
    assert fields["draft"] == "It is big."
    assert fields["unsupported_claims"] == ["It is big"]
    assert fields["earlier_drafts"] == 2
    assert (update["regenerations"], update["invalid_citations"]) == (2, 3)


def test_an_abstaining_draft_says_why_there_is_nothing_to_check():
    _, update = drive(generate(state(), None), FITS, said("NOT FOUND"))
    assert update["stop_reason"] == DOES_NOT_SAY


def test_a_prompt_that_was_too_long_is_sent_once_more_with_half_of_the_evidence():
    left: Any = {"id": "d2", "tokens": 9, "kept_tokens": 0}
    half = Packed(DOCUMENTS[:1], [left])
    replies = FITS, ContextOverflow("too long"), half, said("Acme Ltd runs payroll [d1].")
    calls, update = drive(generate(state(), None), *replies)
    assert [call.share for call in calls if isinstance(call, Pack)] == [1.0, 0.5]
    assert calls[3].fields["docs"] == DOCUMENTS[:1]
    assert (update["documents"], update["left_out"]) == (DOCUMENTS[:1], [left])


def test_a_prompt_that_stays_too_long_ends_the_run_with_the_reason():
    replies = FITS, ContextOverflow("too long"), FITS, ContextOverflow("Set CRAG_CONTEXT_WINDOW.")
    calls, update = drive(generate(state(), None), *replies)
    assert len(calls) == 4
    assert update["draft"] == ""
    assert update["stop_reason"] == f"{DOES_NOT_FIT} Set CRAG_CONTEXT_WINDOW."


def test_without_any_evidence_that_fits_nobody_is_asked():
    calls, update = drive(generate(state(), None), Packed([], []), Packed([], []))
    assert all(isinstance(call, Pack) for call in calls)
    assert update["stop_reason"].startswith(DOES_NOT_FIT)


def test_any_other_failure_is_an_error():
    with pytest.raises(ModelUnavailable, match="down"):
        drive(generate(state(), None), FITS, ModelUnavailable("down"))


def test_what_was_left_out_before_stays_on_record():
    earlier: Any = {"id": "d9", "tokens": 9, "kept_tokens": 0}
    _, update = drive(generate(state(left_out=[earlier]), None), FITS, said("Acme [d1]."))
    assert update["left_out"] == [earlier]
