"""``crag ask`` in one process: what it prints where, and its exit codes."""

import json

import pytest

from backends import Backends, Settings
from scripts import runs
from scripts.exits import Code
from state.errors import IndexFailed, ModelRejected, WebSearchFailed
from tests.scripts.kettle import DOCUMENTS, PRAISE, QUESTION, REASON_NO, REASON_YES, WEB_URL
from tests.stubs import StubIndex, document


def test_it_prints_the_answer_with_numbered_sources_and_why_it_stopped(crag, kettle):
    result = crag("ask", QUESTION)

    assert result.exit_code == Code.DONE
    lines = result.stdout.splitlines()
    assert lines[0] == "The warranty lasts 24 months [1]."
    assert "  [1] Warranty terms — shop/warranty.md" in lines
    assert f"  ✗ Returns — {REASON_NO}" in lines
    assert "Answered. The check found every claim supported." in lines
    assert DOCUMENTS[0]["id"] not in result.stdout


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


def test_an_empty_index_says_what_to_do(crag, kettle):
    kettle.documents = []
    result = crag("ask", QUESTION)

    assert result.exit_code == Code.USAGE
    assert result.stderr == "Error: No documents yet. Ingest some: crag ingest PATH\n"


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question_is_refused_before_anything_opens(crag, monkeypatch, question):
    monkeypatch.setattr(runs, "make_backends", None)
    result = crag("ask", question)

    assert result.exit_code == Code.USAGE
    assert result.stderr.startswith("Error: The question is empty.")


def test_a_lone_surrogate_is_refused_with_its_place(crag, kettle):
    result = crag("ask", "What is \udcff?")

    assert result.exit_code == Code.USAGE
    assert "at position 8" in result.stderr


def test_the_question_can_come_from_stdin(crag, kettle):
    result = crag("ask", "-", "--json", input=f"\ufeff{QUESTION}\n".encode())

    assert json.loads(result.stdout)["question"] == QUESTION


def test_what_is_not_utf_8_on_stdin_is_refused(crag, kettle):
    result = crag("ask", "-", input=b"caf\xe9?")

    assert result.exit_code == Code.USAGE
    assert "not UTF-8 (byte 3)" in result.stderr


def test_a_question_of_a_million_characters_is_asked(crag, kettle):
    question = "warranty " * 112_000
    result = crag("ask", "-", "--json", input=question)

    assert json.loads(result.stdout)["question"] == question.strip()
    assert max(map(len, result.stderr.splitlines())) < 300


@pytest.fixture
def one_document(monkeypatch):
    """Let the models be those of some settings, over an index of one document."""

    def use(settings=None):
        index = StubIndex([document("d1", "The warranty lasts 24 months.")])
        backends = Backends(index=index, settings=settings)
        monkeypatch.setattr(runs, "make_backends", lambda: backends)

    return use


def test_a_model_without_a_key_says_what_to_set(crag, monkeypatch, one_document):
    monkeypatch.setenv("CRAG_MODEL", "gpt-none")
    one_document()
    result = crag("ask", QUESTION, "--quiet")

    assert result.exit_code == Code.USAGE
    assert "CRAG_MODEL is 'gpt-none' but there is no key for it" in result.stderr
    assert len(result.stderr.splitlines()) <= 2


def test_a_wrong_key_names_the_key_to_check_and_never_shows_it(crag, one_document, openai_server):
    one_document(openai_server.settings(api_key="sk-wrong-0123456789"))
    result = crag("ask", QUESTION, "--trace")

    assert result.exit_code == Code.BACKEND
    assert "Check OPENAI_API_KEY" in result.stderr
    assert "sk-wrong" not in result.output
    assert result.stdout == ""


def test_a_dead_endpoint_says_so(crag, one_document):
    dead = "http://127.0.0.1:9/v1"
    one_document(Settings(_env_file=None, base_url=dead, max_attempts=2, min_wait=0, max_wait=0))
    result = crag("ask", QUESTION)

    assert result.exit_code == Code.BACKEND
    assert "Error: No document could be graded." in result.stderr
    assert "Check CRAG_BASE_URL" in result.stderr
    assert "… Grading d1.md (try 2)" in result.stderr.splitlines()


def test_a_setting_out_of_bounds_is_named_by_its_variable(crag, monkeypatch):
    monkeypatch.setenv("CRAG_TIMEOUT", "-1")
    result = crag("ask", QUESTION)

    assert result.exit_code == Code.USAGE
    assert result.stderr == "Error: CRAG_TIMEOUT: Input should be greater than 0, not '-1'.\n"
