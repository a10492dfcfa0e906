"""How the updates of parallel nodes are joined, whatever their grouping."""

import operator

from hypothesis import given
from hypothesis import strategies as st

from state.reducers import NEW_RUN, add_usage, collect

lists = st.lists(st.integers(), max_size=5)
counts = st.integers(0, 10**6)
# Receipts are rounded to a millionth of a second.
usages = st.dictionaries(
    st.sampled_from(["grader", "generator", "search", "web"]),
    st.fixed_dictionaries(
        {
            "calls": counts,
            "failed": counts,
            "input_tokens": counts,
            "output_tokens": counts,
            "seconds": st.integers(0, 10**10).map(lambda n: n / 1_000_000),
            "models": st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, unique=True),
        }
    ),
    max_size=4,
)


@given(lists, lists, lists)
def test_collecting_does_not_depend_on_the_grouping_and_keeps_the_order(a, b, c):
    assert collect(collect(a, b), c) == a + b + c == collect(a, collect(b, c))


@given(lists)
def test_collecting_nothing_changes_nothing_and_none_starts_anew(a):
    assert collect(a, []) == a == collect(None, a)
    assert collect(a, None) == []


@given(lists, lists)
def test_collecting_leaves_both_lists_as_they_were(a, b):
    old, new = list(a), list(b)
    collect(old, new).append(0)
    assert (old, new) == (a, b)


@given(usages, usages, usages)
def test_adding_usage_does_not_depend_on_the_grouping(a, b, c):
    assert add_usage(add_usage(a, b), c) == add_usage(a, add_usage(b, c))


@given(usages, usages)
def test_sums_do_not_depend_on_the_order_and_every_role_is_kept(a, b):
    left, right = add_usage(a, b), add_usage(b, a)
    assert set(left) == set(right) == set(a) | set(b)
    for role in left:
        for field in ("calls", "failed", "input_tokens", "output_tokens", "seconds"):
            assert operator.itemgetter(field)(left[role]) == right[role][field]
        assert set(left[role]["models"]) == set(right[role]["models"])


@given(usages, usages)
def test_a_new_run_starts_from_nothing(a, b):
    assert add_usage(a, None) == {}
    assert add_usage(a, {**b, NEW_RUN: None}) == add_usage(None, b)


@given(usages, usages)
def test_adding_usage_leaves_both_as_they_were(a, b):
    old, new = {**a}, {**b}
    total = add_usage(old, new)
    total["web"] = {**total.get("web", {}), "calls": -1}  # type: ignore[typeddict-item]
    assert (old, new) == (a, b)
