"""Holding claims against the documents."""

import pytest

from backends.embedded.checker import Checker
from state.verdicts import AnswerCheck
from tests.stubs import document

DOCS = [
    document(
        "dome",
        "The Brandt dome was built in 1987 by Ingrid Solvang for 3,200 euros. Its roof does not "
        "open in rain. The three mirrors increase the light that reaches the camera.",
    ),
    document("gate", "Tickets cost 12 euros. Dogs are allowed on the terrace."),
]


def check(answer, docs=DOCS) -> AnswerCheck:
    return AnswerCheck.model_validate(Checker()(docs, answer))


@pytest.mark.parametrize(
    "claim",
    [
        "Its roof does not open in rain.",
        "Ingrid Solvang built the Brandt dome in 1987.",
        "The roof doesn't open when there is rain.",
        "The dome was built for 3200 euros.",
        "There are 3 mirrors, and they increase the light.",
        "Tickets are 12 euros. The dome was built in 1987.",
        "- Dogs are allowed on the terrace. [gate]",
    ],
)
def test_what_a_document_states_is_supported(claim):
    assert check(claim).supported


@pytest.mark.parametrize(
    "claim",
    [
        "The Brandt dome was built in 1978 by Ingrid Solvang.",
        "The Brandt dome was built in 1987 by Astrid Solvang.",
        "Its roof does open in rain.",
        "Dogs are not allowed on the terrace.",
        "The three mirrors reduce the light that reaches the camera.",
        "The four mirrors increase the light that reaches the camera.",
        "Visitors can rent binoculars for their children.",
    ],
    ids=["number", "name", "negation-lost", "negation-added", "opposite", "count", "invented"],
)
def test_a_changed_or_invented_claim_is_not(claim):
    assert check(claim).unsupported_claims == [claim]


def test_each_sentence_is_a_claim_of_its_own():
    found = check("Tickets cost 12 euros. Tickets cost 15 euros on Sundays.")

    assert not found.supported
    assert found.unsupported_claims == ["Tickets cost 15 euros on Sundays."]


def test_a_number_must_be_whole_to_count():
    assert not check("The value is 3.", [document("d", "The value is 3.5 metres.")]).supported


def test_one_document_must_state_the_whole_claim():
    assert not check("Ingrid Solvang sold tickets for 12 euros in 1987.").supported


def test_without_documents_nothing_is_supported():
    found = check("Paris has nine million people.", [])

    assert not found.supported
    assert found.unsupported_claims == ["Paris has nine million people."]


@pytest.mark.parametrize("nothing", ["", " ", "…", "```"])
def test_an_answer_that_claims_nothing_does_not_pass(nothing):
    assert not check(nothing).supported


def test_arabic_claims_are_checked():
    docs = [document("ar", "تكلفة الزيارة 90 دينارًا خارج فترة الضمان.")]

    assert check("تكلفة الزيارة ٩٠ دينارا.", docs).supported
    assert not check("تكلفة الزيارة ٨٠ دينارا.", docs).supported
