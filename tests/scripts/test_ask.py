"""``crag ask`` in one process: what it prints where, and its exit codes."""

import json

import pytest

from scripts.exits import Code
from state.errors import IndexFailed, ModelRejected, WebSearchFailed
from tests.scripts.kettle import DOCUMENTS, PRAISE, QUESTION, REASON_NO, REASON_YES, WEB_URL


def test_it_prints_the_answer_with_numbered_sources_and_why_it_stopped(crag, kettle):
    result = crag("ask", QUESTION)

    assert result.exit_code == Code.DONE
    lines = result.stdout.splitlines()
    assert lines[0] == "The warranty lasts 24 months [1]."
    assert "  [1] Warranty terms — shop/warranty.md" in lines
    assert f"  ✗ Returns — {REASON_NO}" in lines
    assert "Answered. The check found every claim supported." in lines
    assert DOCUMENTS[0]["id"] not in result.stdout


def test_the_answer_is_delivered_once_and_verdicts_are_no_part_of_it(crag, kettle):
    result = crag("ask", QUESTION)

    assert result.output.count("The warranty lasts 24 months") == 1
    assert REASON_YES not in result.stdout


def test_it_says_which_engine_played_which_role(crag, kettle):
    engine = crag("ask", QUESTION).stdout.splitlines()[-1]

    assert engine.startswith("Engine: kettle-index (search) · ")
    assert "Kettle._grade (grader)" in engine
    assert "Kettle._check (checker)" in engine


def test_steps_go_to_stderr_each_with_its_reason(crag, kettle):
    steps = crag("ask", QUESTION).stderr.splitlines()

    assert "• Found 3 documents in the index — Warranty terms, Returns, الضمان 🫖" in steps
    assert f"✓ Relevant: Warranty terms — {REASON_YES}" in steps
    assert f"✗ Rejected: Returns — {REASON_NO}" in steps
    assert "• Kept 1 of 3 — Warranty terms" in steps


def test_a_document_is_named_before_its_verdict_is_there(crag, kettle):
    steps = crag("ask", QUESTION).stderr.splitlines()

    verdict = next(i for i, step in enumerate(steps) if step.startswith("✗ Rejected: Returns"))
    assert steps.index("… Grading Returns") < verdict


def test_checks_and_regenerations_are_told(crag, kettle):
    kettle.praises = True
    result = crag("ask", QUESTION)

    steps = result.stderr.splitlines()
    assert f"✗ 1 unsupported claim — {PRAISE}" in steps
    assert "• Wrote it again, regeneration 1 — cites 1 document" in steps
    assert "✓ Every claim is supported" in steps
    assert "Checked against the documents 2 times, written again 1 time." in result.stdout


def test_the_rewritten_query_and_the_web_results_are_told(crag, kettle):
    kettle.relevant = False
    result = crag("ask", QUESTION)

    steps = result.stderr.splitlines()
    assert "• Query for the web: “kettle warranty length”" in steps
    assert "• Found 1 document on the web — Kettles" in steps
    assert f"  [1] Kettles — {WEB_URL}" in result.stdout.splitlines()


def test_the_json_is_one_object_and_alone_on_stdout(crag, kettle):
    result = crag("ask", QUESTION, "--json")

    output = json.loads(result.stdout)
    assert output["question"] == QUESTION
    assert output["status"] == "answered"
    assert [grade["relevant"] for grade in output["grades"]] == [True, False, False]
    assert output["citations"][0]["id"] == DOCUMENTS[0]["id"]
    assert "✓ Relevant" in result.stderr


def test_quiet_shows_no_steps(crag, kettle):
    result = crag("ask", QUESTION, "--json", "--quiet")

    assert result.stderr == ""
    assert json.loads(result.stdout)["status"] == "answered"


def test_the_trace_shows_every_call_on_stderr(crag, kettle):
    result = crag("ask", QUESTION, "--trace", "--quiet")

    head, *rows = [line.split() for line in result.stderr.splitlines()]
    assert head == ["node", "role", "model", "try", "seconds", "in", "out", "outcome"]
    assert [row[1] for row in rows] == ["search", *["grader"] * 3, "generator", "checker"]
    assert {row[-1] for row in rows} == {"ok"}


def test_parameters_reach_the_run(crag, kettle):
    output = json.loads(crag("ask", QUESTION, "--json", "--top-k", "2").stdout)

    assert len(output["grades"]) == 2


def test_no_answer_has_an_exit_code_of_its_own(crag, kettle):
    kettle.relevant = False
    result = crag("ask", QUESTION, "--web-search", "off")

    assert result.exit_code == Code.NO_ANSWER
    assert "could not be found" in result.stdout
    assert "Not found. None of the 3 retrieved documents was graded relevant." in result.stdout
    assert kettle.web_queries == []


@pytest.mark.parametrize(
    ("place", "error"), [("_Index.search", IndexFailed), ("Kettle._write", ModelRejected)]
)
def test_a_failed_backend_is_one_line_on_stderr_and_nothing_on_stdout(
    crag, kettle, monkeypatch, place, error
):
    def fail(*_):
        raise error("It broke. Mend it.")

    monkeypatch.setattr(f"tests.scripts.kettle.{place}", fail)
    result = crag("ask", QUESTION, "--quiet")

    assert result.exit_code == Code.BACKEND
    assert result.stdout == ""
    assert result.stderr == "Error: It broke. Mend it.\n"


def test_a_failed_call_is_a_step_that_says_why(crag, kettle, monkeypatch):
    def fail(*_):
        raise WebSearchFailed("The web is closed.")

    kettle.relevant = False
    monkeypatch.setattr("tests.scripts.kettle._Web.search", fail)
    result = crag("ask", QUESTION)

    assert "“kettle warranty length” failed — The web is closed." in result.stderr
    assert result.exit_code == Code.NO_ANSWER
    assert "The web search failed: The web is closed." in result.stdout
