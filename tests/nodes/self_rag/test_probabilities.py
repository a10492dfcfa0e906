"""P(Retrieve=Yes) and its like, however a tokenizer splits the token."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.calls import Text, Token
from nodes.self_rag.probabilities import VALUES, probabilities


def token(text, p=1.0, **alternatives):
    """Make a token with the probabilities of what might stand in its place."""
    return Token(text, math.log(p), {t: math.log(q) for t, q in alternatives.items()})


def reply(*tokens):
    whole = "".join(t if isinstance(t, str) else t.text for t in tokens)
    plain = {"other": 0.5}
    made = [t if isinstance(t, Token) else token(t, 1.0, **plain) for t in tokens]
    return Text(whole.strip(), "stub", tuple(made))


CHANCES = {"Yes": 0.6, "No": 0.3, "Continue": 0.1}
SPLITS = {
    "a token for the value": (
        "[",
        "Retrieve",
        "=",
        token("Yes", 0.6, Yes=0.6, No=0.3, Continue=0.1),
        "]",
    ),
    "the sign with the value": (
        "[Retrieve",
        token("=Yes", 0.6, **{"=Yes": 0.6, "=No": 0.3, "=Continue": 0.1}),
        "]",
    ),
    "the value split": ("[Ret", "rieve=", token("Y", 0.6, Y=0.6, N=0.3, Cont=0.1), "es", "]"),
    "the value with the bracket": (
        "[Retrieve=",
        token("Yes]", 0.6, **{"Yes]": 0.6, "No]": 0.3, "Continue": 0.1}),
    ),
    "all in one": (
        token(
            "[Retrieve=Yes]",
            0.6,
            **{"[Retrieve=Yes]": 0.6, "[Retrieve=No]": 0.3, "[Retrieve=Continue]": 0.1},
        ),
    ),
    "a name cut in the middle": (
        "[Ret",
        token("rieve=Yes", 0.6, **{"rieve=Yes": 0.6, "rieve=No": 0.3, "rieve=Continue": 0.1}),
        "]",
    ),
    "spaces and case": (
        "[retrieve",
        " =",
        token(
            " yes", 0.6, **{" yes": 0.4, " Yes": 0.15, "YES": 0.05, " no": 0.3, " continue": 0.1}
        ),
        " ]",
    ),
    "letter by letter": (*"[Retrieve=", token("Y", 0.6, Y=0.6, N=0.3, C=0.1), *"es]"),
    "text around it": (
        "Well",
        ": ",
        "[Retrieve=",
        token("Yes", 0.6, Yes=0.6, No=0.3, Continue=0.1),
        "] Yes",
        " No",
    ),
}


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS.keys())
def test_the_probabilities_are_found_however_the_token_is_split(split):
    assert probabilities(reply(*split), "retrieve") == pytest.approx(CHANCES)


def test_they_are_probabilities_and_not_log_probabilities():
    likely = reply("[Retrieve=", token("Yes", 0.9, Yes=0.9, No=0.05), "]")
    unlikely = reply("[Retrieve=", token("No", 0.9, Yes=0.05, No=0.9), "]")
    assert probabilities(likely, "retrieve")["Yes"] == pytest.approx(0.9 / 0.95)
    assert probabilities(unlikely, "retrieve")["Yes"] == pytest.approx(0.05 / 0.95)


def test_a_value_that_is_not_among_the_alternatives_has_probability_zero():
    found = probabilities(reply("[Retrieve=", token("No", 0.5, No=0.5, Maybe=0.4), "]"), "retrieve")
    assert found == {"Yes": 0.0, "No": 1.0, "Continue": 0.0}


def test_nothing_is_known_when_no_alternative_begins_a_value():
    said = reply("[Retrieve=", token("Perhaps", 0.5, Perhaps=0.5, Maybe=0.4), "]")
    assert probabilities(said, "retrieve") is None


def test_the_emitted_token_counts_when_it_is_not_among_its_alternatives():
    said = reply("[Retrieve=", token("Yes", 0.1, No=0.3), "]")
    assert probabilities(said, "retrieve")["Yes"] == pytest.approx(0.25)


def test_nothing_is_known_without_log_probabilities_or_without_alternatives():
    assert probabilities(Text("[Retrieve=Yes]", "stub"), "retrieve") is None
    assert probabilities(reply("[Retrieve=", token("Yes"), "]"), "retrieve") is None
    assert probabilities(Text("[Retrieve=Yes]", "stub", ()), "retrieve") is None


def test_nothing_is_known_of_a_token_that_the_reply_does_not_have():
    assert probabilities(reply("[Retrieve=Yes]"), "issup") is None


def test_a_token_that_was_only_thought_of_is_not_taken_for_the_emitted_one():
    thinking = ("<think>", "[Retrieve=", token("Yes", 0.99, Yes=0.99, No=0.01), "]</think>")
    said = ("[Retrieve=", token("No", 0.8, Yes=0.2, No=0.8), "] Text.")
    whole = reply(*thinking, *said)
    shown = Text("[Retrieve=No] Text.", "stub", whole.tokens)
    assert probabilities(shown, "retrieve")["Yes"] == pytest.approx(0.2)


def test_characters_that_are_split_over_tokens_do_not_hide_the_probabilities():
    said = reply(
        "[Retrieve=", token("No", 0.8, Yes=0.2, No=0.8), "] It is ", "\\xf0\\x9f", "\\x8e\\x89"
    )
    shown = Text("[Retrieve=No] It is 🎉", "stub", said.tokens)
    assert probabilities(shown, "retrieve")["Yes"] == pytest.approx(0.2)
    thought = ("<think>", "[Retrieve=", token("Yes", 0.9, Yes=0.9, No=0.1), "]</think>")
    both = Text(shown.text, "stub", (*reply(*thought).tokens, *said.tokens))
    assert probabilities(both, "retrieve") is None


def test_another_token_than_the_reflection_token_is_not_taken_for_a_value():
    whole = {"[Retrieve=Yes]": 0.5, "[Retrieve=No]": 0.1, "No": 0.2, " Yes": 0.2}
    found = probabilities(reply(token("[Retrieve=Yes]", 0.5, **whole), " Text."), "retrieve")
    assert found == pytest.approx({"Yes": 5 / 6, "No": 1 / 6, "Continue": 0.0})


def test_every_reflection_token_has_its_own_place():
    said = reply(
        "[IsRel=",
        token("Relevant", 0.8, Relevant=0.8, Ir=0.2),
        "] No. Yes. [IsSup=",
        token("Part", 0.5, Full=0.3, Part=0.5, No=0.2),
        "ially] [IsUse=",
        token("4", 0.5, **{"5": 0.25, "4": 0.5, "３": 0.25, "10": 0.9, "high": 0.9}),
        "]",
    )
    assert probabilities(said, "isrel") == pytest.approx({"Relevant": 0.8, "Irrelevant": 0.2})
    assert probabilities(said, "issup") == pytest.approx(
        {"Fully": 0.3, "Partially": 0.5, "No": 0.2}
    )
    use = probabilities(said, "isuse")
    assert use == pytest.approx({"1": 0.0, "2": 0.0, "3": 0.25, "4": 0.5, "5": 0.25})


NAMES = {"retrieve": "Retrieve", "isrel": "IsRel", "issup": "IsSup", "isuse": "IsUse"}


@given(st.sampled_from(sorted(VALUES)), st.data())
def test_any_cut_of_the_text_finds_the_same_probabilities(name, data):
    values = VALUES[name]
    chances = [data.draw(st.floats(0.01, 1.0)) for _ in values]
    emitted = values[0]
    before, after = f"Some text [{NAMES[name]}=", f"{emitted[1:]}] and No more."
    cuts = st.lists(st.integers(1, len(before) - 1), unique=True).map(sorted)
    places = [0, *data.draw(cuts), len(before)]
    pieces = [before[i:j] for i, j in pairwise(places)]
    first = [value[0] for value in values]
    value = token(first[0], chances[0], **dict(zip(first, chances, strict=True)))
    said = reply(*pieces, value, after)
    total = sum(chances)
    expected = {v: c / total for v, c in zip(values, chances, strict=True)}
    assert probabilities(said, name) == pytest.approx(expected)
