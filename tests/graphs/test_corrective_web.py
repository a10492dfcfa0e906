"""The web search of the corrective graph: asked first, failing, empty, refused."""

import logging

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from nodes.rewriter import LONGEST_QUERY
from state.errors import WebSearchFailed
from tests.graphs.corrective_kit import (
    COLOURS,
    NOT_FOUND,
    QUERY,
    QUESTION,
    events,
    on,
    rejecting,
    run,
)
from tests.stubs import documents, in_turn

ASK = {"web_search": "ask"}
THREAD = on("a thread")


def asking(**parts):
    """A kit that stops before the web, and what it shows when it does."""
    kit = rejecting(saver=InMemorySaver(), **parts)
    out = kit.ask(thread="a thread", **ASK)
    (interrupt,) = out["__interrupt__"]
    return kit, interrupt.value


def resume(kit, decision):
    return kit.graph.invoke(Command(resume=decision), THREAD, context=ASK)


def test_the_query_is_shown_before_anything_leaves_for_the_web():
    kit, shown = asking()
    assert kit.web.heard == []
    assert shown["action"] == "web_search"
    assert shown["query"] == QUERY
    assert shown["choices"] == ["approve", "edit", "refuse"]


@pytest.mark.parametrize("decision", ["approve", "Approve ", True, {"action": "approve"}])
def test_an_approved_query_is_searched_as_it_was_shown(decision):
    kit, _ = asking()
    out = resume(kit, decision)
    assert kit.web.queries == [QUERY]
    assert out["status"] == "answered"


@pytest.mark.parametrize("decision", ["refuse", False, {"action": "refuse"}])
def test_a_refused_query_never_leaves_and_the_run_says_so(decision):
    kit, _ = asking()
    out = resume(kit, decision)
    assert kit.web.heard == []
    assert kit.generator.prompts == []
    assert (out["status"], out["answer"]) == ("not_found", NOT_FOUND)
    assert out["stop_reason"] == "The web search was refused."
    assert out["documents"] == []


def test_an_edited_query_is_searched_word_for_word_and_shown_in_the_output():
    kit, _ = asking()
    out = resume(kit, {"action": "edit", "query": ' "payroll bureau" -jobs '})
    assert kit.web.queries == ['"payroll bureau" -jobs']
    assert out["web_query"] == '"payroll bureau" -jobs'


def test_an_edited_query_is_cut_to_what_search_services_accept():
    kit, _ = asking()
    resume(kit, {"action": "edit", "query": "x" * 1000})
    assert kit.web.queries == ["x" * LONGEST_QUERY]


@pytest.mark.parametrize(
    "nonsense",
    ["nonsense", 7, ["approve"], {"action": ["x"]}, {"action": "edit"}, "edit",
     {"action": "edit", "query": " "}, {"action": "edit", "query": {"a": 1}}],
)  # fmt: skip
def test_a_decision_that_cannot_be_read_is_asked_for_again(nonsense):
    kit, _ = asking()
    (again,) = resume(kit, nonsense)["__interrupt__"]
    assert again.value["query"] == QUERY
    assert '"approve", "refuse"' in again.value["problem"]
    assert kit.web.heard == []
    assert resume(kit, "approve")["status"] == "answered"
    assert kit.web.queries == [QUERY]


def test_no_call_is_made_again_however_often_the_run_is_resumed():
    kit, _ = asking()
    before = kit.heard()
    for nonsense in ("what?", "why?"):
        resume(kit, nonsense)
    assert kit.heard() == before
    resume(kit, "approve")
    assert kit.heard() == before | {"web": 1, "generator": 1, "checker": 1}


async def test_asking_works_without_blocking_too():
    kit = rejecting(saver=InMemorySaver())
    out = await kit.graph.ainvoke({"question": QUESTION}, THREAD, context=ASK)
    assert out["__interrupt__"][0].value["query"] == QUERY
    out = await kit.graph.ainvoke(Command(resume="nonsense"), THREAD, context=ASK)
    assert "problem" in out["__interrupt__"][0].value
    out = await kit.graph.ainvoke(Command(resume="approve"), THREAD, context=ASK)
    assert (out["status"], kit.web.queries) == ("answered", [QUERY])


def test_a_run_that_waits_for_approval_gives_way_to_a_new_question():
    kit, _ = asking()
    out = kit.graph.invoke({"question": "Who cleans?"}, THREAD)
    assert out["question"] == "Who cleans?"
    assert kit.web.queries == [QUERY]
    assert len(out["grades"]) == 4


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize(
    "web",
    [
        WebSearchFailed("The key was refused."),
        ConnectionError("no route to host"),
        "HTTPError(401 Unauthorized)",
        {"error": "rate limited"},
        7,
    ],
    ids=["named", "foreign", "error string", "error object", "number"],
)
async def test_a_failed_web_search_is_not_found_with_the_reason(colour, web):
    kit = rejecting(web=web)
    _, out = await run(kit, colour)
    assert kit.generator.prompts == []
    assert (out["status"], out["answer"]) == ("not_found", NOT_FOUND)
    assert out["stop_reason"].startswith("The web search failed: ")
    assert (out["documents"], out["citations"]) == ([], [])


@pytest.mark.parametrize("web", [[], None, "[]", {"results": []}, documents("")], ids=repr)
def test_a_web_search_that_finds_nothing_is_told_apart_from_one_that_failed(web):
    web = [{"content": "  \n"}] if web == documents("") else web
    kit = rejecting(web=web)
    out = kit.ask()
    assert kit.generator.prompts == []
    assert out["status"] == "not_found"
    assert out["stop_reason"] == "The web search found nothing."


def test_every_web_result_is_a_document_of_its_own_with_its_url():
    results = [{"url": f"https://x.example/{n}", "content": f"Page {n}."} for n in range(3)]
    out = rejecting(web={"results": results, "answer": "?"}, generator="Page 1.").ask()
    assert [d["metadata"]["url"] for d in out["documents"]] == [r["url"] for r in results]
    assert [citation["source"] for citation in out["citations"]] == ["https://x.example/1"]


def test_the_same_page_found_twice_is_shown_once():
    page = {"url": "https://x.example", "content": "A page."}
    assert len(rejecting(web=[page, page]).ask()["documents"]) == 1


def test_the_rewritten_query_is_for_the_search_alone():
    kit = rejecting(rewriter="economy of Australia", checker=in_turn({"supported": True}))
    out = kit.ask("What is the capital of Australia?")
    assert out["question"] == "What is the capital of Australia?"
    assert out["web_query"] == "economy of Australia"
    asked = [*kit.grader.prompts, *kit.generator.prompts]
    assert all("What is the capital of Australia?" in prompt for prompt in asked)
    heard = [*kit.grader.prompts, *kit.generator.prompts, *kit.checker.prompts]
    assert not any("economy of Australia" in prompt for prompt in heard)


def test_a_rewriter_that_repeats_the_question_still_searches_once_and_ends():
    kit = rejecting(rewriter=QUESTION, web=[])
    assert kit.ask()["status"] == "not_found"
    assert kit.web.queries == [QUESTION]


@pytest.mark.parametrize("said", ["", "   ", "```\n```", "Query:"])
def test_a_rewriter_that_says_nothing_leaves_the_question_as_the_query(said):
    kit = rejecting(rewriter=said)
    kit.ask()
    assert kit.web.queries == [QUESTION]


def test_the_rewriter_hears_of_rejections_alone_not_of_failures():
    replies = in_turn("garbage", {"relevant": False, "reason": "Off topic."}, "garbage", "garbage")
    kit = rejecting(grader=replies)
    kit.ask()
    assert "- Off topic.\n" in kit.rewriter.prompts[0]
    assert "could not be read" not in kit.rewriter.prompts[0]


def test_query_approval_and_search_are_logged(caplog):
    caplog.set_level(logging.INFO, "crag")
    kit, _ = asking()
    resume(kit, "approve")
    (rewritten,) = events(caplog, "rewritten_query")
    assert (rewritten["query"], rewritten["question"]) == (QUERY, QUESTION)
    assert events(caplog, "web_search_approval")[-1]["approved"] is True
    assert events(caplog, "web_search")[-1]["results"] == 2
