"""``crag doctor`` asks every backend something real."""

import json

import pytest

from backends import Backends
from scripts import checks as doctor_checks
from scripts import runs
from scripts.exits import Code
from tests.openai_server import KEY, error, html
from tests.stubs import StubIndex, StubWeb, document


@pytest.fixture
def examine(crag, monkeypatch, openai_server):
    """Run the doctor on the server's model, an index and a web; return checks by name."""

    def run(*, web=None, **fields):
        index = StubIndex([document("d1", "Text.")])
        index.count = lambda: 1
        index.embedder = type("Embedder", (), {"name": "stub-embedder"})
        monkeypatch.setattr(
            runs, "make_backends", lambda s: Backends(index=index, web=web, settings=s)
        )
        settings = openai_server.settings(**fields)
        monkeypatch.setattr("scripts.doctor.Settings", lambda: settings)
        result = crag("doctor", "--json")
        report = json.loads(result.stdout)
        assert report["healthy"] == (result.exit_code == Code.DONE)
        assert KEY not in result.output
        return {check["name"]: check for check in report["checks"]} | {"code": result.exit_code}

    return run


def rightly(heard):
    """Grade as a good model does: by the document."""
    return {"relevant": "lasts 24 months" in heard.prompt, "reason": "So it says."}


@pytest.mark.parametrize(
    ("refused", "form"),
    [
        ([], "json_schema"),
        (["json_schema"], "tool_call"),
        (["json_schema", "tool_call"], "json_mode"),
        (["json_schema", "tool_call", "json_mode"], "text"),
    ],
)
def test_it_says_which_form_of_structured_output_the_grader_takes(
    examine, openai_server, refused, form
):
    openai_server.answer = rightly
    openai_server.refuse(*refused)
    found = examine()

    assert found["code"] == Code.DONE
    assert found["grader"]["state"] == "ok"
    assert f"structured output by {form}: graded both" in found["grader"]["says"]


def test_both_planted_documents_are_graded_and_nothing_else(examine, openai_server):
    openai_server.answer = rightly
    examine()

    assert len(openai_server.heard) == 2
    for (_, text), prompt in zip(doctor_checks.PLANTED, openai_server.prompts, strict=True):
        assert text in prompt


@pytest.mark.parametrize("verdict", [True, False])
def test_a_grader_that_always_says_the_same_is_found_out(examine, openai_server, verdict):
    openai_server.answer = {"relevant": verdict, "reason": "Always."}
    found = examine()

    assert found["code"] == Code.BACKEND
    assert found["grader"]["state"] == "fail"
    wrong = doctor_checks.PLANTED[verdict][1]
    assert f"graded a plain case wrongly (“{wrong}”)" in found["grader"]["says"]


def test_a_grader_that_cannot_be_read_is_found_out(examine, openai_server):
    openai_server.answer = "Well, it depends."
    found = examine()

    assert found["grader"]["state"] == "fail"
    assert "could not be read" in found["grader"]["says"]
    assert "Choose another CRAG_GRADER_MODEL" in found["grader"]["says"]


def test_a_wrong_key_is_found_out_at_the_first_call(examine, openai_server):
    found = examine(api_key="sk-wrong-0123456789")

    assert found["code"] == Code.BACKEND
    assert "Check OPENAI_API_KEY" in found["grader"]["says"]
    assert len(openai_server.heard) == 1


def test_an_endpoint_that_fails_is_tried_once(examine, openai_server):
    openai_server.answer = error(503)
    found = examine(max_attempts=4)

    assert found["grader"]["state"] == "fail"
    assert len(openai_server.heard) == len(set(openai_server.forms))


def test_an_address_that_is_not_an_api_is_found_out(examine, openai_server):
    openai_server.answer = html()

    assert examine()["grader"]["state"] == "fail"


def test_models_of_other_roles_are_asked_too(examine, openai_server):
    def answer(heard):
        if heard.body["model"] == "absent":
            return error(404, "The model does not exist.")
        return (
            rightly(heard) if "lasts" in heard.prompt or "Sourdough" in heard.prompt else "kettle"
        )

    openai_server.answer = answer
    found = examine(generator_model="absent", rewriter_model="other", model="main")

    assert found["rewriter"]["state"] == "ok"
    assert found["generator"]["state"] == "fail"
    assert "Check CRAG_MODEL" in found["generator"]["says"]
    assert "checker" not in found


def test_a_web_search_that_is_not_set_up_is_only_a_warning(examine, openai_server):
    openai_server.answer = rightly
    found = examine()

    assert found["code"] == Code.DONE
    assert found["web"]["state"] == "warn"
    assert "Set TAVILY_API_KEY" in found["web"]["says"]


def test_a_web_search_that_is_set_up_is_tried(examine, openai_server):
    openai_server.answer = rightly
    web = StubWeb([document("w1", "LangGraph is …")])
    found = examine(web=web, tavily_api_key="tvly-0123456789")

    assert found["web"]["state"] == "ok"
    assert len(web.heard) == 1


def test_a_web_search_that_fails_is_a_failure(examine, openai_server):
    openai_server.answer = rightly

    class Broken:
        def search(self, query, max_results):
            raise ConnectionError("no route")

    found = examine(web=Broken(), tavily_api_key="tvly-0123456789")

    assert found["code"] == Code.BACKEND
    assert "no route" in found["web"]["says"]


def test_without_a_key_the_embedded_default_passes_and_an_empty_index_warns(crag):
    result = crag("doctor")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]

    assert result.exit_code == Code.DONE
    assert lines[0] == "? index .crag/index: No documents yet. Ingest some: crag ingest PATH"
    assert lines[1].startswith("✓ chat no key and no base URL: the embedded default")
    assert lines[2] == "✓ grader embedded extractive: graded both planted documents rightly"
    assert lines[3].startswith("? web not set up")


def test_a_model_without_a_key_fails_with_what_to_set(crag, monkeypatch):
    monkeypatch.setenv("CRAG_MODEL", "gpt-none")
    result = crag("doctor")

    assert result.exit_code == Code.BACKEND
    assert "Set OPENAI_API_KEY" in result.stdout
