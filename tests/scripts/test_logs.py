"""The log on stderr."""

import json
import logging

import pytest

from backends import Settings
from nodes.events import note
from scripts import logs
from scripts.exits import Code
from tests.scripts.kettle import QUESTION


@pytest.fixture(autouse=True)
def _logger_as_before():
    logger = logging.getLogger("crag")
    before = logger.handlers, logger.propagate, logger.level
    yield
    logger.handlers, logger.propagate, logger.level = before


def settings(**fields):
    return Settings(_env_file=None, **fields)


def test_json_is_one_object_a_line_with_the_facts_as_fields(capsys):
    logs.configure("info", settings(log_format="json"))
    note("grade", document_id="d1", relevant=False, reason="Nein: „Ärger“\n")
    note("draft", regeneration=True)

    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert first["event"] == "grade"
    assert first["level"] == "info"
    assert first["document_id"] == "d1"
    assert first["relevant"] is False
    assert first["reason"] == "Nein: „Ärger“\n"
    assert "timestamp" in first
    assert second["regeneration"] is True


def test_text_is_one_line_an_event(capsys):
    logs.configure("info", settings())
    note("grade", document_id="d1", reason="two\nlines")

    (line,) = capsys.readouterr().err.splitlines()
    assert "grade" in line
    assert "document_id=d1" in line
    assert "\x1b" not in line


def test_below_the_level_nothing_is_written(capsys):
    logs.configure("warning", settings())
    note("grade", document_id="d1")

    assert capsys.readouterr().err == ""


def test_no_key_is_written_wherever_it_turns_up(capsys):
    key, other = "sk-recognisable-0001", "tvly-recognisable-0002"
    logs.configure("info", settings(api_key=key, tavily_api_key=other, log_format="json"))
    note("unreadable", raw=f"my key is {key}", nested={"list": [other, {"k": key}]})

    written = capsys.readouterr().err
    assert "recognisable" not in written
    assert json.loads(written)["raw"] == "my key is [key]"


def test_what_a_model_wrote_is_logged_verbatim(capsys):
    raw = 'key-findings: {"a": "sk-ip this"} 🫖 [/bold]'
    logs.configure("info", settings(log_format="json"))
    note("unreadable", raw=raw)

    assert json.loads(capsys.readouterr().err)["raw"] == raw


def test_verbose_writes_grades_checks_and_receipts_between_the_steps(crag, kettle, monkeypatch):
    monkeypatch.setenv("CRAG_LOG_FORMAT", "json")
    result = crag("ask", QUESTION, "--verbose", "--json")

    logged = [json.loads(x) for x in result.stderr.splitlines() if x.startswith("{")]
    events = [entry["event"] for entry in logged]
    assert events.count("grade") == 3
    assert events.count("check") == 1
    assert {entry["role"] for entry in logged if entry["event"] == "call"} == {
        "search", "grader", "generator", "checker"
    }  # fmt: skip
    assert json.loads(result.stdout)["status"] == "answered"


def test_an_unknown_level_is_named_with_those_there_are(crag, kettle):
    result = crag("ask", QUESTION, "--log-level", "loud")

    assert result.exit_code == Code.USAGE
    assert "Levels: debug, info, warning, error." in result.stderr
