"""Unsupported claims are removed, and nothing else is touched."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.claims import remove_claims

FACTS = [
    "Acme Ltd runs payroll for all offices.",
    "The canteen opens at eight.",
    "Parking is free for visitors!",
    "Is the audit held in May?",
    "Refunds take 14 days.",
    "Dr. Smith leads the laboratory.",
]
ENDS = [" ", "\n", "\n\n", " [d1] ", " [d1][d2]\n"]
fact_numbers = st.integers(0, len(FACTS) - 1)


@st.composite
def answers(draw):
    """An answer made of different facts, as sentences or list items, some of them unsupported."""
    chosen = draw(st.lists(fact_numbers, min_size=1, max_size=6, unique=True))
    as_list = draw(st.booleans())
    units = [
        f"- {FACTS[n]}\n" if as_list else FACTS[n] + draw(st.sampled_from(ENDS)) for n in chosen
    ]
    doomed = draw(st.sets(st.sampled_from(range(len(units)))))
    return units, [FACTS[n] for n in chosen], doomed


@given(answers())
def test_exactly_the_units_that_carry_a_claim_go_and_the_rest_stays_word_for_word(answer):
    units, facts, doomed = answer
    trimmed = remove_claims("".join(units), [facts[i].rstrip(".!?") for i in doomed])
    assert trimmed.text == "".join(u for i, u in enumerate(units) if i not in doomed).strip()
    assert trimmed.unplaced == []


@given(answers())
def test_a_removed_claim_is_gone(answer):
    units, facts, doomed = answer
    text = remove_claims("".join(units), [facts[i] for i in doomed]).text
    assert not any(facts[i] in text for i in doomed)


arbitrary = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)


@given(answer=arbitrary, claims=st.lists(arbitrary, max_size=3))
def test_what_is_left_is_a_subsequence_of_the_answer(answer, claims):
    rest = iter(answer)
    assert all(character in rest for character in remove_claims(answer, claims).text)


@given(answer=arbitrary, claims=st.lists(arbitrary, max_size=3))
def test_nothing_more_goes_for_the_claims_that_could_not_be_placed(answer, claims):
    once = remove_claims(answer, claims)
    again = remove_claims(once.text, once.unplaced)
    assert (again.text, again.unplaced) == (once.text, once.unplaced)


@given(answers())
def test_removing_the_same_claims_again_changes_nothing_where_facts_have_nothing_in_common(answer):
    units, facts, doomed = answer
    claims = [facts[i] for i in doomed]
    once = remove_claims("".join(units), claims).text
    assert remove_claims(once, claims).text == once


@given(answer=arbitrary)
def test_without_claims_an_answer_with_words_stays(answer):
    left = remove_claims(answer, []).text
    assert left in ("", answer.strip())


@given(answers(), st.text("xyzq ", max_size=20))
def test_a_claim_about_something_else_removes_nothing_and_is_named(answer, claim):
    units, _, _ = answer
    trimmed = remove_claims("".join(units), [claim])
    assert trimmed.text == "".join(units).strip()
    assert trimmed.unplaced == ([claim] if claim.strip() else [])


@pytest.mark.parametrize(
    ("answer", "claim", "left"),
    [
        ("The dose is 50 mg. Take it daily.", "The dose equals 50 mg", "Take it daily."),
        ("The dose is 50 mg. It was 40 mg.", "The dose is 50 mg.", "It was 40 mg."),
        ("Acme runs it [d1]. It is big. [d2]", "It is big", "Acme runs it [d1]."),
        ("Founded in 1999. It has 500 staff. It is nice.",
         "It was founded in 1999 and has 500 staff", "It is nice."),
        ("Sirius is a star. Sirius is a red star.", "Sirius is a red star", "Sirius is a star."),
        ("A party was held. Art is sold.", "art", "A party was held."),
        ("- One fact,\n  told on two lines.\n- Another thing.\n", "told on two lines",
         "- Another thing."),
        ("Intro text here.\n\n1. Alpha is old.\n2. Beta is new.\n", "Beta is new",
         "Intro text here.\n\n1. Alpha is old."),
        ("The warranty, as the long document explains it,\nlasts 24 months. Ask us.",
         "The warranty lasts 24 months", "Ask us."),
        ("Run `rm -rf`. Then:\n```\nmake. all\n```\nDone well.", "Done well",
         "Run `rm -rf`. Then:\n```\nmake. all\n```"),
        ("الراتب يدفع في آخر الشهر. المكتب مغلق.", "المكتب مغلق", "الراتب يدفع في آخر الشهر."),
        ("工资每月支付。办公室关闭。", "办公室关闭", "工资每月支付。"),
        ("ÉCOLE FERMÉE. Autre chose.", "école fermee", "Autre chose."),
    ],
)  # fmt: skip
def test_the_sentence_or_item_that_carries_the_claim_goes_whole(answer, claim, left):
    assert remove_claims(answer, [claim]).text == left


def test_a_claim_goes_wherever_it_is_repeated():
    answer = "The dose is 50 mg. Drink water. In short: the dose is 50 mg."
    assert remove_claims(answer, ["The dose is 50 mg"]).text == "Drink water."


def test_a_loosely_worded_claim_takes_the_likeliest_sentence_alone():
    answer = "Our warranty lasts twenty-four months. The canteen opens at eight."
    claim = "Warranty of twenty-four months applies everywhere"
    assert remove_claims(answer, [claim]).text == "The canteen opens at eight."


@pytest.mark.parametrize(
    "rest", ["Here it is:\n", "# Facts\n\n", "**Facts**:\n\n", "---\n", "[d1] "]
)
def test_headings_lead_ins_and_marks_alone_are_nothing(rest):
    assert remove_claims(f"{rest}- Parking is free.\n", ["Parking is free"]).text == ""


def test_citations_do_not_hide_a_claim():
    answer = "Acme [d1] runs [d2] payroll [d3]."
    assert remove_claims(answer, ["Acme runs payroll"]).text == ""


def test_a_long_answer_is_read_once_a_claim():
    answer = " ".join(f"Fact number {n} is stated." for n in range(2_000))
    left = remove_claims(answer, [f"Fact number {n} is stated" for n in range(0, 2_000, 100)]).text
    assert len(re.findall("stated", left)) == 1_980
