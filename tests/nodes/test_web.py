"""The web search and its approval, driven by hand."""

import pytest

from nodes.calls import AskPerson, SearchWeb
from nodes.web import REFUSED, approve_search, read_decision, search_the_web
from state.corrective import CorrectiveContext
from state.errors import WebSearchFailed
from tests.nodes.by_hand import DOCUMENTS, drive, state

ASKED = state(web_query="acme payroll")
CONTEXT = CorrectiveContext(top_k=3)


def test_a_person_is_shown_the_query_and_how_to_answer():
    (call,), update = drive(approve_search(ASKED, None), "approve")
    assert isinstance(call, AskPerson)
    assert call.payload["query"] == "acme payroll"
    assert '{"action": "edit", "query": "…"}' in call.payload["how_to_resume"]
    assert update == {"web_query": "acme payroll"}


def test_a_refusal_leaves_no_query_and_says_why():
    _, update = drive(approve_search(ASKED, None), "refuse")
    assert update == {"web_query": "", "stop_reason": REFUSED}


def test_nonsense_is_asked_about_until_there_is_a_decision():
    calls, update = drive(approve_search(ASKED, None), "x", None, {"action": "edit", "query": "y"})
    assert len(calls) == 3
    assert "problem" not in calls[0].payload
    assert all("problem" in call.payload for call in calls[1:])
    assert update == {"web_query": "y"}


@pytest.mark.parametrize("reply", [None, 1, 0, 1.0, "", "edit", [], {}, {"query": "x"}, object()])
def test_what_is_no_decision_is_none(reply):
    assert read_decision(reply, "q") is None


def test_what_is_found_replaces_the_documents():
    calls, update = drive(search_the_web(ASKED, CONTEXT), DOCUMENTS)
    assert calls == [SearchWeb("acme payroll", 3)]
    assert update == {"documents": DOCUMENTS}


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ([], "The web search found nothing."),
        ([{**DOCUMENTS[0], "content": " "}], "The web search found nothing."),
        (WebSearchFailed("no route"), "The web search failed: no route"),
    ],
)
def test_without_results_no_document_is_left_and_the_reason_is_kept(reply, reason):
    _, update = drive(search_the_web(ASKED, CONTEXT), reply)
    assert update == {"documents": [], "stop_reason": reason}
