"""Rerank scores: the right scale for each backend, each score on its own."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.rerankers.scales import sigmoid, to_unit
from state.errors import RerankFailed

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def test_logits_go_through_the_sigmoid() -> None:
    scores = to_unit([8.2, 0.6, -9.1], "logit", "x")
    assert [score >= 0.5 for score in scores] == [True, True, False]
    assert scores == pytest.approx([0.99972, 0.64566, 0.00011], abs=1e-5)


def test_probabilities_are_taken_as_they_are() -> None:
    assert to_unit([0.9, 0.007], "probability", "x") == [0.9, 0.007]


def test_a_single_candidate_keeps_its_score() -> None:
    assert to_unit([7.0], "logit", "x")[0] > 0.99


def test_large_logits_are_legitimate() -> None:
    assert to_unit([7.45, -800.0, 800.0], "logit", "x") == pytest.approx([0.99942, 0, 1], abs=1e-5)


def test_a_logit_where_a_probability_is_declared_is_refused_with_what_to_do() -> None:
    with pytest.raises(RerankFailed, match=r'7\.45.*scale = "logit"'):
        to_unit([0.5, 7.45], "probability", "x")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(bad: float) -> None:
    with pytest.raises(RerankFailed, match="not a number"):
        to_unit([0.5, bad], "logit", "x")


@given(st.lists(FINITE, min_size=1), FINITE)
def test_a_score_does_not_depend_on_the_other_candidates(others: list[float], one: float) -> None:
    assert to_unit([*others, one], "logit", "x")[-1] == to_unit([one], "logit", "x")[0]


@given(FINITE, FINITE)
def test_the_order_of_logits_is_kept(left: float, right: float) -> None:
    low, high = sorted((left, right))
    assert 0 <= sigmoid(low) <= sigmoid(high) <= 1
