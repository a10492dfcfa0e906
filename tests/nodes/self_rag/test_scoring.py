"""Scores: weighted sums of tokens that are each in [0, 1]."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.calls import Text
from nodes.self_rag.reflection import read
from nodes.self_rag.scoring import LOWEST, score
from state.self_rag import SelfRagContext
from tests.nodes.self_rag.test_probabilities import reply, token


def scored(text, passage=True, **weights):
    said = text if isinstance(text, Text) else Text(text, "stub")
    return score(said, read(said.text), passage=passage, context=SelfRagContext(**weights))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[IsRel=Relevant] x [IsSup=Fully] [IsUse=5]", 2.5),
        ("[IsRel=Relevant] x [IsSup=Partially] [IsUse=3]", 1.75),
        ("[IsRel=Relevant] x [IsSup=No] [IsUse=1]", 1.0),
        ("[IsRel=Irrelevant] x [IsSup=No] [IsUse=1]", 0.0),
        ("[IsRel=Irrelevant] x [IsUse=2]", 0.125),
        ("[IsRel=Relevant] x [IsSup=Fully]", 2.0),
    ],
)
def test_the_default_weights_are_one_one_and_a_half(text, value):
    assert scored(text).value == value
    assert scored(text).by == "tokens"


@pytest.mark.parametrize(
    "text", ["x", "", "[IsUse=5] x", "[IsRel=Relevant] x [IsUse=5]", "x [IsSup=Fully]"]
)
def test_a_candidate_whose_tokens_cannot_be_read_scores_below_every_other(text):
    weights = {"weight_is_rel": 0, "weight_is_sup": 0, "weight_is_use": 0}
    worst = scored("[IsRel=Irrelevant] x [IsSup=No] [IsUse=1]", **weights)
    assert scored(text).value == LOWEST < worst.value
    assert not scored(text).readable


@pytest.mark.parametrize("use", [1, 2, 3, 4, 5])
def test_a_segment_without_a_passage_is_scored_by_its_usefulness_alone(use):
    text = f"[Retrieve=No] x [IsUse={use}]"
    assert scored(text, passage=False).value == 0.5 * (use - 1) / 4


def test_a_segment_without_any_token_is_readable_when_there_was_no_passage():
    assert scored("x", passage=False).readable
    assert scored("x", passage=False).value == 0


def test_the_weight_of_usefulness_changes_the_ranking():
    supported = "[IsRel=Relevant] x [IsSup=Fully] [IsUse=1]"
    useful = "[IsRel=Relevant] x [IsSup=No] [IsUse=5]"
    for weight, better in [(0, supported), (0.5, supported), (1.5, useful), (10, useful)]:
        ranked = sorted([supported, useful], key=lambda t: scored(t, weight_is_use=weight).value)
        assert ranked[-1] == better


@pytest.mark.parametrize("name", ["weight_is_rel", "weight_is_sup", "weight_is_use"])
def test_every_weight_counts(name):
    text = "[IsRel=Relevant] x [IsSup=Fully] [IsUse=5]"
    assert scored(text, **{name: 3.0}).value > scored(text, **{name: 0.0}).value


def test_token_probabilities_are_scored_by_their_expected_worth():
    said = reply(
        "[IsRel=",
        token("Relevant", 0.8, Relevant=0.8, Irrelevant=0.2),
        "] x [IsSup=",
        token("Fully", 0.5, Fully=0.5, Partially=0.3, No=0.2),
        "] [IsUse=",
        token("5", 0.6, **{"5": 0.6, "1": 0.4}),
        "]",
    )
    assert scored(said).by == "probabilities"
    assert scored(said).value == pytest.approx(0.8 + (0.5 + 0.15) + 0.5 * 0.6)


def test_it_says_tokens_when_only_some_probabilities_are_exposed():
    said = reply(
        "[IsRel=",
        token("Relevant", 0.8, Relevant=0.8, Irrelevant=0.2),
        "] x [IsSup=",
        token("Fully"),
        "]",
    )
    assert scored(said).by == "tokens"
    assert scored(said).value == pytest.approx(1.8)


RELS = st.sampled_from(["Relevant", "Irrelevant"])
SUPS = st.sampled_from(["Fully", "Partially", "No"])
WEIGHTS = st.floats(0, 100)


@given(RELS, SUPS, st.integers(1, 5), WEIGHTS, WEIGHTS, WEIGHTS)
def test_a_readable_score_lies_between_zero_and_the_sum_of_the_weights(rel, sup, use, a, b, c):
    text = f"[IsRel={rel}] x [IsSup={sup}] [IsUse={use}]"
    found = scored(text, weight_is_rel=a, weight_is_sup=b, weight_is_use=c)
    assert 0 <= found.value <= a + b + c + 1e-5
