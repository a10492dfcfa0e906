"""Whether to retrieve: the threshold on P(Yes), the emitted token, or neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.self_rag.decision import decide, decision
from nodes.self_rag.ending import start
from state.self_rag import SelfRagContext


def proposal(emitted, p_retrieve=None, text="A text.", end=""):
    return {
        "step": 0,
        "path": 0,
        "emitted": emitted,
        "p_retrieve": p_retrieve,
        "text": text,
        "is_use": 5,
        "score": 0.5,
        "scored_by": "tokens",
        "end": end,
    }


@pytest.mark.parametrize(
    ("emitted", "p", "at_hand", "expected"),
    [
        ("Yes", None, False, ("Yes", "token")),
        ("No", None, False, ("No", "token")),
        ("Continue", None, True, ("Continue", "token")),
        ("Continue", None, False, ("Yes", "token")),
        (None, None, False, ("Yes", "unreadable")),
        (None, None, True, ("Yes", "unreadable")),
        ("No", 0.21, False, ("Yes", "probability")),
        ("No", 0.2, False, ("No", "probability")),
        ("Continue", 0.21, True, ("Yes", "probability")),
        ("Continue", 0.1, True, ("Continue", "probability")),
        ("Continue", 0.1, False, ("No", "probability")),
        ("Yes", 0.1, True, ("No", "probability")),
    ],
)
def test_the_decision_and_what_it_rests_on(emitted, p, at_hand, expected):
    assert decision(proposal(emitted, p), 0.2, at_hand=at_hand) == expected


def test_a_text_that_ends_the_answer_asks_for_nothing_when_it_has_no_token():
    ended = proposal(None, text="", end="The model ended its answer.")
    assert decision(ended, 0.2, at_hand=False) == ("No", "unreadable")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_threshold_never_retrieves_more(p, one, other):
    low, high = sorted([one, other])
    at_high = decision(proposal("Yes", p), high, at_hand=False)[0] == "Yes"
    at_low = decision(proposal("Yes", p), low, at_hand=False)[0] == "Yes"
    assert at_low or not at_high


def test_a_wish_that_the_threshold_denies_ends_the_answer_and_says_why():
    state = start({"question": "q"}, None)
    state = {**state, "proposals": [proposal("Yes", 0.1, text="")]}
    update = decide(state, SelfRagContext())
    assert "not above the threshold" in update["candidates"][0]["end"]
    assert update["decisions"][0]["decided_by"] == "probability"
