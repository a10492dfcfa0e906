"""``crag ask`` on a real terminal: what is shown, and the question before a web search."""

import os
import re
import sys

import pytest

from scripts.exits import Code
from tests.scripts.conftest import ROOT
from tests.scripts.kettle import QUESTION
from tests.scripts.terminal import Terminal

ASKING = ["ask", QUESTION, "--web-search", "ask"]


@pytest.fixture
def terminal():
    """Run ``crag`` on a terminal, with the backends of the kettle."""
    opened = []

    def start(*arguments, **env):
        command = [sys.executable, "-m", "tests.scripts.kettle", *arguments]
        whole = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", **env}
        opened.append(Terminal(command, whole))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_calls_under_way_have_a_spinner_and_steps_stay(terminal):
    screen = terminal("ask", QUESTION, KETTLE_HANG="grader")
    screen.wait_for("Grading Returns")
    screen.interrupt()

    assert screen.finish() == Code.INTERRUPTED
    assert "• Found 3 documents in the index — Warranty terms, Returns, الضمان 🫖" in screen.text
    assert re.search(r"[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Grading Returns", screen.text)
    assert screen.raw.rindex("\x1b[?25h") > screen.raw.rindex("\x1b[?25l"), "the cursor is back"
    assert "Traceback" not in screen.text


def test_the_answer_follows_the_steps_in_colour_within_the_width(terminal):
    screen = terminal("ask", QUESTION)

    assert screen.finish() == Code.DONE
    assert "The warranty lasts 24 months [1]." in screen.text
    assert "\x1b[32m✓ \x1b[0mRelevant: Warranty terms" in screen.raw
    answer = screen.text[screen.text.rindex("The warranty lasts") :]
    assert max(len(line) for line in answer.splitlines()) <= 80


def test_no_color_is_honoured(terminal):
    screen = terminal("ask", QUESTION, NO_COLOR="1")

    assert screen.finish() == Code.DONE
    assert "✓ Relevant: Warranty terms" in screen.text
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", screen.raw)


def test_a_dumb_terminal_gets_plain_lines(terminal):
    screen = terminal("ask", QUESTION, TERM="dumb")

    assert screen.finish() == Code.DONE
    assert "… Grading Returns" in screen.text
    assert "\x1b" not in screen.raw


def test_the_query_is_shown_before_it_leaves_and_an_approved_one_is_searched(terminal):
    screen = terminal(*ASKING, KETTLE_RELEVANT="no")
    screen.wait_for("Search? [approve/edit/refuse] (refuse): ")
    assert "Nothing has left for the web yet." in screen.text
    assert "kettle warranty length" in screen.text
    assert "Searching the web" not in screen.text
    screen.type("approve\n")

    assert screen.finish() == Code.DONE
    assert "Searching the web for “kettle warranty length”" in screen.text
    assert "[1] Kettles — https://example.org/kettles" in screen.text


def test_an_edited_query_is_searched_instead(terminal):
    screen = terminal(*ASKING, KETTLE_RELEVANT="no")
    screen.wait_for("(refuse): ")
    screen.type("edit\n")
    screen.wait_for("New query")
    screen.type("kettle guarantee\n")

    assert screen.finish() == Code.DONE
    assert "Searching the web for “kettle guarantee”" in screen.text


@pytest.mark.parametrize("keys", ["refuse\n", "\n", "\x04"])
def test_refusing_just_enter_and_ctrl_d_send_nothing(terminal, keys):
    screen = terminal(*ASKING, KETTLE_RELEVANT="no")
    screen.wait_for("(refuse): ")
    screen.type(keys)

    assert screen.finish() == Code.NO_ANSWER
    assert "Not found. The web search was refused." in screen.text
    assert "Searching the web" not in screen.text


def test_ctrl_c_at_the_question_sends_nothing(terminal):
    screen = terminal(*ASKING, KETTLE_RELEVANT="no")
    screen.wait_for("(refuse): ")
    screen.interrupt()

    assert screen.finish() == Code.INTERRUPTED
    assert "Interrupted." in screen.text
    assert "Searching the web" not in screen.text
    assert "Traceback" not in screen.text


def test_without_a_terminal_nothing_leaves_and_it_says_what_to_do(crag, kettle):
    kettle.relevant = False
    result = crag(*ASKING)

    assert result.exit_code == Code.USAGE
    assert kettle.web_queries == []
    assert "nothing was sent. The query was “kettle warranty length”." in result.stderr
    assert "--web-search auto or --web-search off" in result.stderr


def test_the_log_and_the_steps_share_a_terminal_line_by_line(terminal):
    screen = terminal("ask", QUESTION, "--verbose")

    assert screen.finish() == Code.DONE
    assert "… Grading Returns" in screen.text
    assert "document_id=" in screen.text
    assert "\x1b[?25l" not in screen.raw
