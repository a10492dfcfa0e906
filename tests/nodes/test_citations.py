"""Citations: whatever a model writes, what is left names documents that were given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.citations import cite
from nodes.marks import marks, without_marks
from tests.stubs import document

FACTS = [
    document("d1", "Acme Ltd runs payroll."),
    document("D-2", "The warranty lasts 24 months."),
    document("0b1c2d3e-4f50-4a6b-8c7d-9e0f1a2b3c4d", "The canteen opens at eight."),
]
IDS = {d["id"] for d in FACTS}

pieces = st.sampled_from(
    ["Acme Ltd runs payroll", "The warranty lasts 24 months", "x", " ", ". ", "\n", "- ", "`",
     "```", "[", "]", "(", "[d1]", "[D1]", "[d-2]", "[7]", "[d1, d9]", "[[d1]]", "[[9]]",
     "[web-77]", "[d1](http://x)", "[sic]", "[^1]", "[doc: d1]", "[source 3]", "e.g. ", "مرحبا"]
)  # fmt: skip
drafts = st.lists(pieces, max_size=20).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=100
)


@given(drafts)
def test_citing_twice_is_citing_once(draft):
    once = cite(draft, FACTS)
    again = cite(once.text, FACTS)
    assert (again.text, again.citations, again.invalid) == (once.text, once.citations, 0)


@given(drafts)
def test_only_given_documents_are_cited(draft):
    assert {citation["id"] for citation in cite(draft, FACTS).citations} <= IDS


@given(drafts, st.lists(st.integers(0, 99).map(lambda n: f" [{n}]"), max_size=3).map("".join))
def test_no_mark_of_an_unknown_document_is_left(draft, unknown):
    left = cite(f"{draft} Plain end{unknown}.", FACTS).text
    assert not [mark for mark in marks(left) if mark.isdigit()]


@given(drafts)
def test_without_documents_nothing_is_cited(draft):
    assert cite(draft, []).citations == []


@given(st.text(st.characters(exclude_characters="[]", exclude_categories=["Cs"]), max_size=200))
def test_a_text_without_brackets_is_left_word_for_word(draft):
    assert cite(draft, FACTS).text == draft


@pytest.mark.parametrize(
    ("draft", "text", "invalid"),
    [
        ("Acme runs payroll [d1].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [D1].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll[d1].", "Acme runs payroll[d1].", 0),
        ("Acme runs payroll[7].", "Acme runs payroll.", 1),
        ("Acme runs payroll [[d1]].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [id=\"d1\"].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [doc: d1].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [Source d1].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [document id: d1].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [^d1].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [`d1`].", "Acme runs payroll [d1].", 0),
        ("Acme runs payroll [d1, D-2].", "Acme runs payroll [d1] [D-2].", 0),
        ("Acme runs payroll [d1; d1; 9].", "Acme runs payroll [d1].", 1),
        ("Acme runs payroll [the-id].", "Acme runs payroll.", 1),
        ("Payroll [7][8] [9].", "Payroll.", 3),
        ("See [the site](https://x.example) [sic].", "See [the site](https://x.example) [sic].", 0),
        ("Call `items[0]` or\n```\na[1]\n```", "Call `items[0]` or\n```\na[1]\n```", 0),
        ("An [a b c] note and [ ].", "An [a b c] note and [ ].", 0),
    ],
)  # fmt: skip
def test_marks_are_read_as_models_write_them(draft, text, invalid):
    cited = cite(draft, FACTS)
    assert (cited.text, cited.invalid) == (text, invalid)


def test_ids_that_differ_by_case_alone_are_told_apart():
    two = [document("a1", "Acme runs payroll."), document("A1", "The canteen is closed.")]
    text = "Acme runs payroll [a1]. The canteen is closed [A1]."
    assert cite(text, two).text == text


def test_an_id_may_hold_a_comma_or_what_the_prompt_escapes():
    odd = [document("a,b", "Acme runs payroll."), document("x & y", "The canteen is closed.")]
    cited = cite("Acme runs payroll [a,b]. The canteen is closed [x &amp; y].", odd)
    assert [citation["id"] for citation in cited.citations] == ["a,b", "x & y"]


def test_an_index_that_a_document_itself_states_is_no_mark():
    code = [document("c1", "Set items[0] to 4 before the start.")]
    assert cite("Set items[0] to 4 [c1]. See note[3].", code).text == (
        "Set items[0] to 4 [c1]. See note."
    )


@pytest.mark.parametrize(
    ("draft", "text"),
    [
        ("The warranty lasts 24 months [d1].", "The warranty lasts 24 months [D-2]."),
        ("The warranty lasts 24 months. [d1]", "The warranty lasts 24 months. [D-2]"),
        # Neither document states the number, so nothing is better than what was cited.
        ("The warranty lasts 36 months [d1].", "The warranty lasts 36 months [d1]."),
        # A sentence that cites two is left as it is.
        ("The warranty lasts 24 months [d1] [D-2].", "The warranty lasts 24 months [d1] [D-2]."),
        # A paraphrase that no document plainly states keeps its citation.
        ("Salaries are handled by an agency [d1].", "Salaries are handled by an agency [d1]."),
    ],
)
def test_a_plainly_wrong_citation_is_moved_to_the_document_that_states_the_claim(draft, text):
    assert cite(draft, FACTS).text == text


def test_marks_of_given_documents_can_be_taken_out():
    assert without_marks("A [d1]. B [x]. `[d1]`", ["d1"]) == "A. B [x]. `[d1]`"
