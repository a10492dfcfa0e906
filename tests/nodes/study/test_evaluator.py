"""How the evaluator's lines are read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.study.evaluator import read_judgement


@pytest.mark.parametrize(
    ("reply", "verdict", "cause", "missing"),
    [
        ("VERDICT: correct\nCAUSE: none\nMISSING: none", "correct", "none", ""),
        (
            "verdict: Incorrect.\ncause: bad_query\nmissing: dates",
            "incorrect",
            "bad_query",
            "dates",
        ),
        (
            "**VERDICT:** ambiguous\n**CAUSE:** bad query\n**MISSING:** the year",
            "ambiguous",
            "bad_query",
            "the year",
        ),
        (
            '{\n"VERDICT": "ambiguous",\n"CAUSE": "bad_query",\n"MISSING": "the year"\n}',
            "ambiguous",
            "bad_query",
            "the year",
        ),
        ("MISSING: x\nVERDICT - incorrect", "incorrect", "none", "x"),
        ("Let me think.\nVERDICT = `correct`", "correct", "none", ""),
        ("```\nVERDICT: ambiguous\nMISSING: N/A\n```", "ambiguous", "none", ""),
        ("incorrect", "incorrect", "none", ""),
        ("VERDICT: ambiguous\nCAUSE: bad_query\nMISSING: لا شيء", "ambiguous", "bad_query", ""),
        ("VERDICT: correct\nCAUSE: bad_query\nMISSING: all of it", "correct", "none", ""),
    ],
)
def test_lines_are_read_in_the_forms_that_models_give(
    reply: str, verdict: str, cause: str, missing: str
) -> None:
    found = read_judgement(reply)
    assert found is not None
    assert (found.verdict, found.cause, found.missing) == (verdict, cause, missing)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "The passages are fine.",
        "VERDICT: correct\nVERDICT: incorrect",
        "VERDICT: correct or ambiguous",
        "VERDICT: not correct",
        "VERDICT: perfect",
        "It is correct that the passages are incorrect.",
    ],
)
def test_what_gives_no_one_verdict_is_not_read(reply: str) -> None:
    assert read_judgement(reply) is None


@given(st.text(max_size=400))
def test_any_reply_can_be_read(reply: str) -> None:
    found = read_judgement(reply)
    assert found is None or found.verdict in ("correct", "ambiguous", "incorrect")


@given(st.text(max_size=2000))
def test_what_is_missing_stays_short(text: str) -> None:
    found = read_judgement(f"VERDICT: ambiguous\nMISSING: {text}")
    assert found is None or len(found.missing) <= 400
