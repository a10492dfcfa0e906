"""``crag ingest``: what becomes of each file, and the exit codes."""

import json
import signal

import pytest

from scripts.exits import Code

WORDS = "The warranty lasts 24 months. "


@pytest.fixture
def folder(tmp_path):
    """Two good files, a broken one, a binary one and an empty one."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "warranty.md").write_text(f"# Warranty\n\n{WORDS}")
    (docs / "ضمان 🫖.txt").write_text("الضمان سنتان.")
    (docs / "broken.pdf").write_bytes(b"not a PDF")
    (docs / "noise.txt").write_bytes(bytes(range(256)) * 8)
    (docs / "empty.md").write_text("")
    return docs


def test_one_bad_file_is_reported_and_the_rest_ingested(crag, folder):
    result = crag("ingest", "docs")
    lines = result.stdout.splitlines()

    assert result.exit_code == Code.NO_ANSWER
    assert "✓ docs/warranty.md  added, 1 chunk" in lines
    assert "✓ docs/ضمان 🫖.txt  added, 1 chunk" in lines
    assert any(line.startswith("✗ docs/broken.pdf  failed — ") for line in lines)
    assert any(line.startswith("✗ docs/noise.txt  failed — ") for line in lines)
    assert lines[-1] == "2 added, 1 skipped, 2 failed: 2 new chunks."
    assert result.stderr == ""


def test_a_second_run_finds_everything_unchanged(crag, folder):
    crag("ingest", "docs")
    result = crag("ingest", "docs/warranty.md")

    assert result.exit_code == Code.DONE
    assert result.stdout == "1 unchanged: no new chunks.\n"


def test_the_json_is_the_report_and_alone_on_stdout(crag, folder):
    report = json.loads(crag("ingest", "docs", "--json").stdout)

    assert report["counts"]["added"] == 2
    assert report["counts"]["failed"] == 2
    assert {file["source"] for file in report["files"]} == {str(f) for f in folder.iterdir()}


def test_files_that_are_gone_are_forgotten_when_asked(crag, folder):
    crag("ingest", "docs")
    (folder / "warranty.md").unlink()
    kept = crag("ingest", "docs")
    forgotten = crag("ingest", "docs", "--prune")

    assert "removed" not in kept.stdout
    assert "• docs/warranty.md  removed" in forgotten.stdout.splitlines()


def test_a_path_that_does_not_exist_is_named(crag):
    result = crag("ingest", "nowhere")

    assert result.exit_code == Code.USAGE
    assert "nowhere does not exist" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_nothing_is_left_behind_when_nothing_could_be_ingested(crag, tmp_path):
    crag("ingest", "nowhere")

    assert list(tmp_path.iterdir()) == []


def test_a_path_is_needed(crag):
    assert crag("ingest").exit_code == Code.USAGE


def test_a_file_over_the_limit_says_which_setting_raises_it(crag, folder, monkeypatch):
    monkeypatch.setenv("CRAG_MAX_FILE_MB", "0.00001")
    result = crag("ingest", "docs/warranty.md")

    assert result.exit_code == Code.USAGE
    assert "CRAG_MAX_FILE_MB" in result.stderr


def test_ctrl_c_keeps_what_is_stored_and_says_how_to_go_on(process, tmp_path):
    docs = tmp_path / "many"
    docs.mkdir()
    for number in range(400):
        text = "\n\n".join(f"{WORDS}{number} {line}" * 30 for line in range(10))
        (docs / f"{number}.md").write_text(text)
    child = process("ingest", "many", module="tests.scripts.ingest_aloud")
    for line in child.stderr:
        if line.startswith(b"stored"):
            break
    child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate(timeout=60)

    assert child.returncode == Code.INTERRUPTED
    assert stdout == b""
    assert stderr.decode().splitlines()[-2:] == [
        "What is stored stays; run the same command again to go on.",
        "Interrupted.",
    ]
    assert b"Traceback" not in stderr
