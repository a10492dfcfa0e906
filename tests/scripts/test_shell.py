"""The edge to the shell, with real processes: signals, pipes, streams and exit codes."""

import io
import json
import os
import signal
import subprocess
import sys

import pytest

from scripts import asking
from scripts.exits import Code
from tests.scripts.conftest import ROOT
from tests.scripts.kettle import QUESTION

CLIENTS = ["chromadb", "httpx", "langchain_core", "langchain_openai", "langgraph", "onnxruntime"]
CLIENTS += ["openai", "structlog", "tavily", "tokenizers"]


def wait_for_line(child, wanted):
    """Read a process's stderr until a line has the text."""
    for line in child.stderr:
        if wanted in line.decode():
            return
    raise AssertionError(f"{wanted!r} was never written")


@pytest.mark.parametrize("command", [["--help"], ["ask", "--help"], ["--version"], ["graphs"]])
def test_help_imports_no_client_library_and_no_langgraph(command):
    program = (
        "import sys; sys.argv = ['crag', *sys.argv[1:]]\n"
        "from scripts.cli import main\n"
        "try: main()\n"
        f"except SystemExit: print([m for m in {CLIENTS} if m in sys.modules], file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True)

    assert run.stdout
    assert run.stderr == "[]\n"


def test_the_entry_point_imports_nothing_before_it_runs():
    program = (
        "import sys; had = set(sys.modules); import scripts.cli; print(set(sys.modules) - had)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert run.stdout == "{'scripts.cli', 'scripts'}\n" or run.stdout == (
        "{'scripts', 'scripts.cli'}\n"
    )


def test_the_version_is_the_package_s(crag):
    from importlib.metadata import version

    assert crag("--version").stdout == f"crag {version('corrective-rag')}\n"


def test_help_lists_the_exit_codes(crag):
    assert "130 interrupted" in " ".join(crag("--help").stdout.split())


@pytest.mark.parametrize("role", ["search", "grader", "generator"])
def test_ctrl_c_ends_at_once_while_a_call_blocks(process, role):
    child = process("ask", QUESTION, env={"KETTLE_HANG": role})
    awaited = {"search": "Searching", "grader": "Grading", "generator": "Writing"}[role]
    wait_for_line(child, awaited)
    child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate(timeout=20)

    assert child.returncode == Code.INTERRUPTED
    assert stdout == b""
    assert stderr.decode().splitlines()[-1] == "Interrupted."
    assert b"Traceback" not in stderr


def test_ctrl_c_is_clean_while_the_program_still_starts(process):
    child = process("draw", "corrective", module="tests.scripts.slow_start")
    wait_for_line(child, "importing")
    child.send_signal(signal.SIGINT)
    _, stderr = child.communicate(timeout=20)

    assert child.returncode == Code.INTERRUPTED
    assert stderr == b"Interrupted.\n"


@pytest.mark.parametrize("arguments", [["ask", QUESTION], ["ask", QUESTION, "--json"], ["graphs"]])
def test_a_reader_that_has_gone_ends_it_without_a_word(process, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    child = process(*arguments, *(["-q"] if arguments[0] == "ask" else []), stdout=writer)
    os.close(writer)
    _, stderr = child.communicate(timeout=60)

    assert child.returncode == Code.BROKEN_PIPE
    assert stderr == b""


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_streams_that_are_closed_from_the_start_do_no_harm(closed):
    command = f'"{sys.executable}" -m tests.scripts.kettle ask "{QUESTION}" {closed}'
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True)

    assert run.returncode == Code.DONE
    assert "Error" not in run.stderr
    assert run.stdout.startswith("The warranty lasts") == (">&-" not in closed.split())


def test_steps_and_answer_are_on_their_own_streams(process):
    child = process("ask", QUESTION, "--json")
    stdout, stderr = child.communicate(timeout=60)

    assert json.loads(stdout)["status"] == "answered"
    assert "✓ Relevant: Warranty terms" in stderr.decode()
    assert child.returncode == Code.DONE


def test_pipes_get_utf_8_and_no_colour_codes_whatever_the_locale(process):
    child = process("ask", QUESTION, "--trace", env={"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"})
    stdout, stderr = child.communicate(timeout=60)

    assert "الضمان 🫖" in stdout.decode("utf-8")
    assert "\x1b" not in stdout.decode() + stderr.decode()


def test_a_fault_of_the_program_is_two_lines_and_a_traceback_only_when_asked(
    crag, kettle, monkeypatch
):
    monkeypatch.setattr(asking, "context_of", lambda name: 1 / 0)
    plain = crag("ask", QUESTION)
    asked = crag("ask", QUESTION, "--debug")
    monkeypatch.setenv("CRAG_DEBUG", "1")
    by_environment = crag("ask", QUESTION)

    assert plain.exit_code == Code.UNEXPECTED
    assert plain.stderr.startswith("Error: ZeroDivisionError: division by zero\n")
    assert len(plain.stderr.splitlines()) == 2
    assert "Traceback" in asked.stderr
    assert "Traceback" in by_environment.stderr


def test_an_unknown_command_is_two_lines_with_the_nearest_one(crag):
    result = crag("aks", "question")

    assert result.exit_code == Code.USAGE
    assert "Did you mean 'ask'?" in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_a_missing_question_is_named(crag):
    result = crag("ask")

    assert result.exit_code == Code.USAGE
    assert "question" in result.stderr


def test_completion_offers_the_commands_and_the_parameters_of_the_graph(process):
    def complete(words):
        env = {"_CRAG_COMPLETE": "complete_bash", "COMP_WORDS": words}
        env["COMP_CWORD"] = str(len(words.split(" ")) - 1)
        child = process(module="tests.scripts.kettle", env=env)
        return child.communicate(timeout=60)[0].decode().split()

    assert complete("crag a") == ["ask"]
    assert "--max-regenerations" in complete("crag ask --m")
    assert complete("crag ask --web-search o") == ["off"]


def test_text_that_is_not_text_is_still_written(monkeypatch):
    from scripts.shell import use_utf8

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    use_utf8()
    print("é \udcff", flush=True)

    assert raw.getvalue() == "é \\udcff\n".encode()
