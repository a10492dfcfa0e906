"""What graders and checkers say is read tolerantly, and never made up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from state.verdicts import NO_REASON, AnswerCheck, DocumentGrade, read_yes_no

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=5,
)


@pytest.mark.parametrize(
    "said",
    [True, 1, "true", "True", "yes", "YES", "Yes.", "yes, relevant", "**yes**", '"yes"', "y",
     " Yes - it names the vendor", "はい", "نعم", "是", "sí", "ja", "Да"],
)  # fmt: skip
def test_a_yes_is_a_yes(said):
    assert DocumentGrade(relevant=said).relevant is True


@pytest.mark.parametrize(
    "said",
    [False, 0, "false", "no", "No.", "no - off topic", "**no**", '"no"', "NO", "n", "nein",
     "No, the document is about something else", "いいえ", "لا", "否", "non", "нет"],
)  # fmt: skip
def test_a_no_is_a_no(said):
    assert DocumentGrade(relevant=said).relevant is False


@pytest.mark.parametrize(
    "said",
    [None, "", " ", "maybe", "relevant", "irrelevant", "not relevant", "true|false", "yes/no",
     "yes or no", "no, yes", "unknown", "n/a", 2, 0.5, [], [True], {}, "nope", "yesterday", "-"],
)  # fmt: skip
def test_what_is_neither_is_not_guessed(said):
    with pytest.raises(ValidationError):
        DocumentGrade(relevant=said)


@given(st.text(max_size=30))
def test_no_text_breaks_the_reading_of_a_yes_or_no(said):
    assert read_yes_no(said) in (True, False, said)


@pytest.mark.parametrize(
    ("reason", "kept"),
    [("On topic.", "On topic."), (None, NO_REASON), ("", NO_REASON), (" ", NO_REASON),
     (["On topic.", "Names it."], "On topic. Names it."), (7, NO_REASON), ({"a": 1}, NO_REASON)],
)  # fmt: skip
def test_a_grade_stands_whatever_its_reason_looks_like(reason, kept):
    assert DocumentGrade.model_validate({"relevant": True, "reason": reason}).reason == kept


def test_keys_that_were_not_asked_for_are_ignored():
    said = {"relevant": True, "reason": "r", "confidence": 0.9, "document": "…"}
    assert DocumentGrade.model_validate(said).relevant is True


def test_a_grade_without_a_verdict_is_none():
    with pytest.raises(ValidationError):
        DocumentGrade.model_validate({"reason": "It is relevant."})


@pytest.mark.parametrize(
    ("said", "claims"),
    [
        (None, []), ([], []), ("", []), ("It is big", ["It is big"]),
        (["It is big", None, "", " ", "none", "N/A."], ["It is big"]),
        ([{"claim": "It is big"}], ["It is big"]),
        (["  It is big\n"], ["It is big"]),
        ("None", []),
    ],
)  # fmt: skip
def test_claims_are_read_in_all_the_ways_they_come(said, claims):
    read = AnswerCheck.model_validate({"supported": not claims, "unsupported_claims": said})
    assert read.unsupported_claims == claims
    assert read.supported is not bool(claims)


@pytest.mark.parametrize("said", [[1], [["x"]], {"a": "b"}, 7, [{"other": "x"}]])
def test_claims_that_are_no_texts_make_the_check_unreadable(said):
    with pytest.raises(ValidationError):
        AnswerCheck.model_validate({"supported": True, "unsupported_claims": said})


@given(json_values, json_values)
def test_a_check_that_is_read_is_never_supported_with_a_claim_listed(supported, claims):
    try:
        read = AnswerCheck.model_validate({"supported": supported, "unsupported_claims": claims})
    except ValidationError:
        return
    assert not (read.supported and read.unsupported_claims)


@given(json_values)
def test_whatever_a_model_says_is_a_verdict_or_a_validation_error(said):
    for schema in (DocumentGrade, AnswerCheck):
        try:
            read = schema.model_validate(said)
        except ValidationError:
            continue
        assert isinstance(read, schema)
