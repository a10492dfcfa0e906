"""Answering with the documents' own sentences."""

from backends.embedded.generator import Generator
from nodes.abstention import abstains
from nodes.citations import cite
from tests.stubs import document

QUESTION = "How long does the roof take to open?"
DOCS = [
    document("visit-1", "Tickets are sold at the gate. Children come in free."),
    document("dome-7", "The dome was painted. Its roof takes two minutes to open. Bring a coat."),
]


def answer(question, docs, claims=()):
    return Generator()(question, docs, unsupported_claims=claims)


def test_the_sentence_is_quoted_word_for_word_with_its_citation():
    assert answer(QUESTION, DOCS) == "Its roof takes two minutes to open. [dome-7]"


def test_the_citation_holds_in_the_graph():
    cited = cite(answer(QUESTION, DOCS), DOCS)

    assert [c["id"] for c in cited.citations] == ["dome-7"]
    assert cited.invalid == 0


def test_without_a_sentence_that_is_near_enough_it_abstains():
    reply = answer("Who won the football world cup in 2018?", DOCS)

    assert reply == "NOT FOUND"
    assert abstains(reply)


def test_without_documents_it_abstains():
    assert answer(QUESTION, []) == "NOT FOUND"


def test_quotes_come_in_the_order_of_the_documents():
    docs = [
        document("a", "The roof of the small dome takes one minute to open."),
        document("b", "It is cold. The roof takes two minutes to open."),
    ]
    first, second = answer(QUESTION, docs).splitlines()
    turned = answer(QUESTION, docs[::-1]).splitlines()

    assert first.endswith("[a]")
    assert second.endswith("[b]")
    assert turned == [second, first]


def test_at_most_three_sentences_are_quoted():
    docs = [
        document(f"d{i}", f"The roof of dome {name} takes {i} minutes to open.")
        for i, name in enumerate(["Ada", "Bel", "Cyd", "Dot", "Eve"], 2)
    ]

    assert len(answer(QUESTION, docs).splitlines()) == 3


def test_the_same_sentence_in_two_documents_is_quoted_once():
    docs = [
        document("a", "The roof opens in two minutes."),
        document("b", "The roof opens in two minutes!"),
    ]

    assert answer(QUESTION, docs) == "The roof opens in two minutes. [a]"


def test_on_regeneration_an_unsupported_claim_is_not_quoted_again():
    docs = [document("a", "The roof takes two minutes to open. The roof opens at dusk.")]
    draft = answer(QUESTION, docs)
    again = answer(QUESTION, docs, ["The roof takes two minutes to open."])

    assert "two minutes" in draft
    assert "two minutes" not in again


def test_when_every_near_sentence_is_unsupported_it_abstains():
    assert answer(QUESTION, DOCS, ["Its roof takes two minutes to open."]) == "NOT FOUND"


def test_only_the_table_row_that_was_asked_for_is_quoted():
    table = "| Model | Fuse |\n|---|---|\n| D2 | 20 A |\n| D4 | 40 A |\n| D6 | 63 A |\n"

    assert (
        answer("Which fuse does the D4 need?", [document("t", table)])
        == "Model: D4; Fuse: 40 A [t]"
    )


def test_braces_and_brackets_in_code_arrive_as_they_are():
    doc = document("api", '# Retry delay\n\n```json\n{"retry_delay": [45], "x": "{{y}}"}\n```')
    reply = answer("What is the retry delay?", [doc])

    assert cite(reply, [doc]).text == '`{"retry_delay": [45], "x": "{{y}}"}` [api]'


def test_an_arabic_question_is_answered_in_arabic():
    doc = document("ar", "يعمل المرصد ليلًا. يُغلق السقف عند نزول المطر.")

    assert answer("متى يغلق السقف؟", [doc]) == "يُغلق السقف عند نزول المطر. [ar]"
