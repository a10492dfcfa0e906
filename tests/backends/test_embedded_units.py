"""What can be quoted from a document."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from backends.embedded.checker import Checker
from backends.embedded.units import LONGEST, units_of

MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# Head",
            "Plain words. And more.",
            "wrapped",
            "Not covered:",
            "- an item. With two.",
            "  - nested",
            "| A | B |",
            "|---|---|",
            "| 1 | not two |",
            "|  |  |",
            "```",
            '{"a": [1]}',
            "> said",
            "Why?",
            "---",
            "3.5 m",
            "نص عربي؟",
            "",
        ]
    ),
    max_size=14,
).map("\n".join)


def quotes(content: str) -> list[str]:
    return [unit.quote for unit in units_of(content)]


def test_sentences_are_kept_word_for_word_over_wrapped_lines():
    assert quotes("J. K. Rowling wrote it.\nHe was 3.5 m\ntall.\n") == [
        "J. K. Rowling wrote it.",
        "He was 3.5 m tall.",
    ]


def test_a_fragment_without_a_full_stop_is_quotable():
    assert quotes("short passage") == ["short passage"]


def test_a_heading_is_no_statement_but_leads_what_follows():
    (unit,) = units_of("## Warranty\n\nTwo years.")

    assert (unit.text, unit.lead) == ("Two years.", "Warranty")
    assert unit.reads_as == "Warranty Two years."


def test_a_question_is_no_statement_but_leads_its_answer():
    (unit,) = units_of("## Orders\n\nCan I cancel an order once it has been paid?\n\nYou may.")

    assert unit.text == "You may."
    assert unit.lead.startswith("Can I cancel")


def test_a_document_of_headings_alone_can_still_be_quoted():
    assert quotes("# Closed on Mondays") == ["Closed on Mondays"]


def test_a_list_stays_with_the_line_that_opens_it():
    found = quotes("It does not cover:\n\n- water damage;\n- worn plates.\n\nIt covers the rest.")

    assert found == ["It does not cover: water damage; worn plates", "It covers the rest."]


def test_a_long_list_is_cut_and_every_part_keeps_the_opening_line():
    items = "\n".join(f"- part number {i} with a somewhat longer name" for i in range(40))
    found = quotes(f"Not in stock:\n\n{items}")

    assert len(found) > 1
    assert all(quote.startswith("Not in stock: ") and len(quote) <= LONGEST for quote in found)
    assert sum(quote.count("part number") for quote in found) == 40


def test_list_items_without_an_opening_line_are_quoted_one_by_one():
    assert quotes("- one thing\n- another thing") == ["one thing", "another thing"]


def test_a_table_row_names_its_columns():
    table = "| Model | Fuse |\n|---|---|\n| D4 | 40 A |\n| | 16 A |\n"

    assert quotes(table) == ["Model: D4; Fuse: 40 A", "Fuse: 16 A"]


def test_code_is_quoted_in_code_marks_so_that_its_brackets_are_no_citations():
    assert quotes('```json\n{"a": [1], "b": {{x}}}\n```') == ['`{"a": [1], "b": {{x}}}`']


def test_indented_text_is_prose_as_a_page_layout_indents_it():
    assert quotes("        The oven is heavy. It stays.") == ["The oven is heavy.", "It stays."]


def test_text_without_any_full_stop_is_cut_between_words():
    found = quotes("alpha beta " * 500)

    assert all(len(quote) <= LONGEST for quote in found)
    assert " ".join(found).split() == ["alpha", "beta"] * 500


@pytest.mark.parametrize("blank", ["", "  \n\n ", "---", "```\n```"])
def test_a_document_without_text_has_no_units(blank):
    assert units_of(blank) == ()


def test_a_broken_character_is_replaced():
    assert quotes("The code is A\ud800B and more.") == ["The code is A\ufffdB and more."]


@given(MARKDOWN)
@example("Not covered:\n- an item. With two.\n  - nested")
@example("|  |  |\n|---|---|\n| 1 | not two |")
def test_whatever_is_quoted_passes_the_check(content):
    document = {"id": "d", "content": content, "metadata": {}}
    for quote in quotes(content):
        assert Checker()([document], quote)["unsupported_claims"] == []
