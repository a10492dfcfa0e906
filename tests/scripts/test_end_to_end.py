"""The whole way on the embedded default: real files, the real index, no key, no network."""

import json

import pytest

import graphs
from scripts.demo import QUESTIONS, SAMPLES
from scripts.exits import Code

ANSWERED = "How many days of paid holiday are there?"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """An index of the samples."""
    from backends.chroma import ChromaIndex
    from backends.ingest import ingest

    path = tmp_path_factory.mktemp("index")
    with ChromaIndex(path) as opened:
        ingest(sorted(SAMPLES.glob("*.md")), opened)
    return path


@pytest.mark.parametrize("graph", graphs.NAMES)
def test_every_graph_answers_through_the_command_line(crag, index, monkeypatch, graph):
    monkeypatch.setenv("CRAG_INDEX_PATH", str(index))
    asked = ["ask", ANSWERED, "--graph", graph]
    if graph == "study":
        asked += ["--allowed-sources", "curated"]
    shown = crag(*asked)
    output = json.loads(crag(*asked, "--json").stdout)

    assert shown.exit_code == Code.DONE, shown.output
    assert "29 days" in shown.stdout
    assert "Traceback" not in shown.stderr
    assert output["status"] == "answered"
    assert "29 days" in output["answer"]
    assert "embedded" in shown.stdout.splitlines()[-1]
    told = shown.stderr.splitlines()
    assert all(line[:2] in ("… ", "• ", "✓ ", "✗ ", "? ") for line in told), told


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("متى تعمل خدمة الدعم باللغة العربية؟", "من يوم الأحد إلى يوم الخميس"),
        ("Which fuse does the D4 need? {x} {{y}} %s 🫖", "40 A"),
    ],
)
def test_other_scripts_and_braces_go_through(crag, index, monkeypatch, question, answer):
    monkeypatch.setenv("CRAG_INDEX_PATH", str(index))
    result = crag("ask", question, "--web-search", "off")

    assert result.exit_code == Code.DONE
    assert answer in result.stdout


def test_a_graph_that_has_other_sources_needs_no_documents(crag):
    small_talk = crag("ask", "Hello!", "--graph", "study")
    only_the_index = crag("ask", "Hello!", "--graph", "study", "--allowed-sources", "curated")

    assert small_talk.exit_code == Code.DONE
    assert "Engine: rules alone" in small_talk.stdout
    assert only_the_index.exit_code == Code.USAGE
    assert "No documents yet" in only_the_index.stderr


def test_parameters_that_contradict_each_other_are_named(crag):
    result = crag("ask", "Hello!", "--graph", "study", "--low-threshold", "0.9")

    assert result.exit_code == Code.USAGE
    assert result.stderr.startswith("Error: low_threshold (0.9) must be under high_threshold")


def test_a_source_that_there_is_not_is_refused_with_those_there_are(crag):
    result = crag("ask", "Hello!", "--graph", "study", "--allowed-sources", "bing")

    assert result.exit_code == Code.USAGE
    assert "takes curated, wikipedia, arxiv, web, not 'bing'" in result.stderr


def test_what_the_documents_do_not_say_is_not_found(crag, index, monkeypatch):
    monkeypatch.setenv("CRAG_INDEX_PATH", str(index))
    result = crag("ask", "How many people live in Oberlind?", "--web-search", "off")

    assert result.exit_code == Code.NO_ANSWER
    assert "could not be found in the documents" in result.stdout
    assert "Rejected" in result.stdout


def test_a_question_of_a_million_characters_ends_with_an_answer_or_one_line(
    crag, index, monkeypatch
):
    monkeypatch.setenv("CRAG_INDEX_PATH", str(index))
    result = crag("ask", "-", "--web-search", "off", input="kettle warranty? " * 59_000)

    assert result.exit_code in (Code.DONE, Code.NO_ANSWER, Code.USAGE)
    assert "Traceback" not in result.output


def test_the_demo_answers_one_question_and_refuses_two(crag):
    result = crag("demo")
    text = " ".join(result.stdout.split())

    assert result.exit_code == Code.DONE
    assert "the embedded default: extractive, offline, without a key" in text
    assert "Everybody has 29 days of paid holiday a year. [1]" in text
    assert text.count("could not be found in the documents") == 2
    assert "samples/staff-handbook.md" in text


def test_the_demo_leaves_nothing_behind(crag, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    crag("demo", "--quiet")

    assert list(tmp_path.iterdir()) == []


def test_the_demo_asks_questions_of_the_samples():
    listed = json.loads((SAMPLES / "questions.json").read_text())
    status = {item["question"]: item["status"] for item in listed}

    assert [status[question] for question, _ in QUESTIONS] == [
        "answered",
        "not_found",
        "not_found",
    ]
