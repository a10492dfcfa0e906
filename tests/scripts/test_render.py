"""How an outcome is shown."""

import pytest

from scripts.console import clean, short
from scripts.memory import Memory
from scripts.render import engines, parts, with_footnotes


def cited(identifier, title="T", source="s"):
    return {"id": identifier, "source": source, "title": title}


def outcome(**fields):
    return {
        "question": "q",
        "answer": "Yes.",
        "status": "answered",
        "stop_reason": "It is done.",
        "documents": [],
        "citations": [],
        "unsupported_claims": [],
        "left_out": [],
        "usage": {},
        **fields,
    }


def lines(**fields):
    text = "\n".join(part.plain for part in parts(outcome(**fields), Memory()))
    return text.splitlines()


def test_ids_become_numbers_also_where_ids_are_numbers_themselves():
    text = with_footnotes("One [2]. Two [1]. Both [2][1]. List[0] [3]", [cited("2"), cited("1")])

    assert text == "One [1]. Two [2]. Both [1][2]. List[0] [3]"


def test_a_source_that_is_its_own_title_is_shown_once():
    shown = lines(citations=[cited("a", "Manual", "m.md"), cited("b", "n.md", "n.md")])

    assert "  [1] Manual — m.md" in shown
    assert "  [2] n.md" in shown


def test_what_did_not_fit_is_shown_with_how_much_was_read():
    shown = lines(left_out=[{"id": "d9", "tokens": 900, "kept_tokens": 120}])

    assert "  d9 — 120 of 900 tokens were read" in shown


def test_unsupported_claims_are_shown():
    shown = lines(unsupported_claims=["It\nflies."], status="partly_supported")

    assert "  ✗ It flies." in shown
    assert "Partly supported. It is done." in shown


def test_removed_citations_are_counted():
    assert "Removed 2 citation(s) of documents that were not given." in lines(invalid_citations=2)


def test_the_history_of_a_loop_is_shown_in_order():
    shown = lines(context_history=["Retrieved 1.", "Rewrote."])

    assert shown[shown.index("History") + 1 :][:2] == ["  1. Retrieved 1.", "  2. Rewrote."]


def test_fields_of_unknown_graphs_are_shown_by_their_names():
    shown = lines(mood="simple", rounds=2, hops=[{}, {}], low=False)

    assert "mood simple, rounds 2, hops (2)" in shown


def test_a_run_without_calls_says_that_rules_answered():
    assert lines()[-1] == "Engine: rules alone"


def test_a_model_is_named_once_with_its_roles():
    usage = {
        "grader": {"models": ["small"]},
        "checker": {"models": ["small"]},
        "generator": {"models": ["big"]},
    }

    assert engines(usage) == "small (grader, checker) · big (generator)"


@pytest.mark.parametrize("mark", ["[bold]x[/bold]", ":smile:", "{x}", "%s", "[/]", "\\[x]"])
def test_markup_in_an_answer_is_shown_as_it_is(mark):
    assert lines(answer=f"It is {mark}.")[0] == f"It is {mark}."


def test_an_answer_cannot_steer_the_terminal():
    shown = lines(answer="a\x1b[31mred\x07\x9b2J\rb\tc", stop_reason="\x1b]0;title\x07", citations=[
        cited("a", "t\x1b[0m\nu", "s\x1b[0m")])  # fmt: skip

    assert shown[0] == "a[31mred2Jb\tc"
    assert not set("\x1b\x07\x9b\r") & set("".join(shown))


def test_cleaning_keeps_every_script_and_emoji():
    text = "نص عربي 🫖 日本語 é\u200d\n\tend"

    assert clean(text) == text


def test_shortening_keeps_one_line():
    assert short("a\n b", 10) == "a b"
    assert short("abcdef", 4) == "abc…"
