"""What bad input gets: one or two lines that say what to do, and nothing on stdout."""

import json

import pytest

from backends import Backends, Settings
from scripts import runs
from scripts.exits import Code
from tests.scripts.kettle import QUESTION
from tests.stubs import StubIndex, document


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
