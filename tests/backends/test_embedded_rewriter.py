"""Turning a question into a search query."""

import pytest

from backends.embedded.rewriter import MOST_TERMS, Rewriter
from nodes.rewriter import read_query


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How long is the warranty on the D4 oven?", "warranty D4 oven"),
        ("Who founded Fennmark, and when was Fennmark founded?", "founded Fennmark"),
        ("Please tell me what AT&T's node.js v2.3 costs", "AT&T node.js v2.3 costs"),
        ('What does "door switch open" mean in C++?', '"door switch open" mean C++'),
        ("When did it open in 1,200 places?", "open 1,200 places"),
        ("If A = {1;2;3} what is set B?", "A 1 2 3 set B"),
        ("What did the WHO say about IT in May 2019? I forget.", "WHO IT May 2019 forget"),
        ("ما هي تكلفة زيارة الفني؟", "تكلفة زيارة الفني"),
        ("首都はどこですか", "首都はどこですか"),
    ],
)
def test_names_numbers_and_terms_are_kept_in_their_order(question, query):
    assert Rewriter()(question) == query


@pytest.mark.parametrize("question", ["Who is it?", "???", "هل هو؟"])
def test_a_question_without_an_informative_word_is_searched_as_it_is(question):
    assert Rewriter()(question) == question


def test_a_long_question_keeps_its_first_terms():
    query = Rewriter()(" ".join(f"term{i}" for i in range(100)))

    assert query.split() == [f"term{i}" for i in range(MOST_TERMS)]


def test_the_graph_reads_the_query_as_it_was_written():
    query = Rewriter()("How long is the warranty on the D4 oven?")

    assert read_query(query) == query
