"""Exact search over vectors in memory."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.chroma.nearest import Vectors, unit
from state.errors import IndexFailed


def random_rows(number: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((number, 384)).astype(np.float32)
    return unit(rows, "random")


def names(number: int) -> list[str]:
    return [f"{i:06}" for i in range(number)]


def test_all_of_the_nearest_are_found_among_many():
    rows = random_rows(20_000)
    for query in random_rows(10, seed=1):
        best = np.sort(rows.astype(np.float64) @ query.astype(np.float64))[::-1][:10]
        found = Vectors(names(20_000), rows).nearest(query, 10)
        np.testing.assert_allclose([score for _, score in found], best, atol=1e-6)


@given(st.integers(1, 40), st.randoms())
def test_equal_rows_tie_by_id_wherever_they_stand(k: int, chance):
    rows = np.concatenate([random_rows(20), random_rows(1, seed=1).repeat(20, axis=0)])
    order = list(range(40))
    chance.shuffle(order)
    shuffled = Vectors([names(40)[i] for i in order], rows[order])
    sorted_ = Vectors(names(40), rows)
    query = random_rows(1, seed=1)[0]
    assert shuffled.nearest(query, k) == sorted_.nearest(query, k)
    assert [i for i, _ in sorted_.nearest(query, 20)] == names(40)[20:]


def test_scores_are_cosines():
    rows = unit(np.array([[3, 0], [0, 5], [-2, 0], [1, 1]], np.float32), "test")
    found = Vectors(["same", "across", "opposite", "between"], rows).nearest(rows[0], 4)
    assert found == [("same", 1.0), ("between", 0.707107), ("across", 0.0), ("opposite", -1.0)]
    assert all(type(score) is float for _, score in found)


def test_nothing_is_found_in_nothing():
    assert Vectors([], np.empty((0, 0), np.float32)).nearest(np.ones(3, np.float32), 4) == []


@pytest.mark.parametrize("value", [np.nan, np.inf, 0])
def test_a_vector_without_a_direction_is_refused(value: float):
    with pytest.raises(IndexFailed, match="some-model returned a vector that is NaN"):
        unit(np.array([[1, 0], [value, 0]], np.float32), "some-model")
