"""What a run starts with, whatever the thread held before."""

import pytest

from nodes.intake import start_clean, valid_question
from state.corrective import CorrectiveState
from state.errors import BadQuestion


@pytest.mark.parametrize(
    "question", ["x", " x ", "{{x}}", "نعم؟", "\x00", "👩\u200d👩\u200d👧", "?" * 1_000_000]
)
def test_any_text_with_something_in_it_is_a_question(question):
    assert valid_question(question) == question


@pytest.mark.parametrize("question", [None, "", " ", "\u2003\n", 7, b"x", [], {}, "\udfff", True])
def test_anything_else_is_refused(question):
    with pytest.raises(BadQuestion):
        valid_question(question)


def test_a_bad_question_is_a_value_error_too():
    assert issubclass(BadQuestion, ValueError)


def test_every_field_of_the_state_is_reset():
    left_over = dict.fromkeys(CorrectiveState.__annotations__, "left over")
    update = start_clean({**left_over, "question": "Why?"}, None)
    assert set(update) == set(left_over)
    assert "left over" not in update.values()
