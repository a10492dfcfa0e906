"""The query rewriter, and how its reply is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.calls import Text
from nodes.rewriter import LONGEST_QUERY, read_query, rewrite_for_web
from tests.nodes.by_hand import drive, state, verdict


def test_the_reasons_for_rejection_are_passed_on_in_their_order():
    grades = [verdict("d1", False, reason="Old."), verdict("d2", False, reason="Off topic.")]
    calls, update = drive(rewrite_for_web(state(grades=grades), None), Text("acme payroll", "m"))
    assert calls[0].role == "rewriter"
    assert calls[0].prompt.name == "web_query_rewriter"
    assert calls[0].fields == {"question": "Who runs payroll?", "reasons": ["Old.", "Off topic."]}
    assert update == {"web_query": "acme payroll"}


def test_without_a_reason_the_reason_of_the_run_is_passed_on():
    given = state(
        grades=[verdict("d1", False, "unreadable"), verdict("d2", False, "failed")],
        stop_reason="None was relevant.",
    )
    calls, _ = drive(rewrite_for_web(given, None), Text("q", "m"))
    assert calls[0].fields["reasons"] == ["None was relevant."]


def test_an_empty_reply_leaves_the_question():
    _, update = drive(rewrite_for_web(state(question="Why? " * 200), None), Text("", "m"))
    assert update["web_query"] == ("Why? " * 200)[:LONGEST_QUERY]


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        ("payroll vendor contract", "payroll vendor contract"),
        ('"payroll vendor contract"', "payroll vendor contract"),
        ("“payroll vendor”", "payroll vendor"),
        ("Query: payroll vendor", "payroll vendor"),
        ("Web search query: payroll vendor", "payroll vendor"),
        ("**Query:** payroll vendor", "payroll vendor"),
        ("**Query**: payroll vendor", "payroll vendor"),
        ("Here is the query:\npayroll vendor", "payroll vendor"),
        ("```\npayroll vendor\n```", "payroll vendor"),
        ("```text\npayroll vendor\n```", "payroll vendor"),
        ("`payroll vendor`", "payroll vendor"),
        ("- payroll vendor\n- second", "payroll vendor"),
        ("\n\n  payroll vendor  \n\nThis finds the facts.", "payroll vendor"),
        ('"Acme Corp" payroll', '"Acme Corp" payroll'),
        ('"Acme" OR "Ajax"', '"Acme" OR "Ajax"'),
        ("site:acme.example payroll", "site:acme.example payroll"),
        ("query language history", "query language history"),
        ("رواتب الموظفين", "رواتب الموظفين"),
        ("", ""),
        ('""', ""),
        ("Query:", ""),
        ("---", ""),
    ],
)
def test_the_one_query_is_read_whatever_is_around_it(reply, query):
    assert read_query(reply) == query


@given(st.text())
def test_a_query_is_one_line_that_a_search_service_accepts(reply):
    query = read_query(reply)
    assert len(query) <= LONGEST_QUERY
    assert query == query.strip()
    assert len(query.splitlines()) <= 1


@given(st.text("abc \"'`*:-", max_size=40))
def test_reading_a_query_twice_is_reading_it_once(reply):
    assert read_query(read_query(reply)) == read_query(reply)
