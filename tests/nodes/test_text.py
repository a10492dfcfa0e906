"""Words, numbers and sentences in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nodes.evidence import best_support, content_words, support
from nodes.marks import cited_sentences
from nodes.text import fold, normalise, numbers, sentences, words
from tests.stubs import document

any_text = st.text(st.characters(exclude_categories=["Cs"]))
prose = st.lists(
    st.sampled_from(
        ["J. K. Rowling wrote it. ", "He was 3.5 m tall.", "short passage", "Dr. ", "e.g. ",
         "“Yes.” ", "\n", "\r\n", "\n\n", "- ", "。", "你好。", "مرحبا؟ ", "...", "!?", " [d1]",
         "\u2028", "\x85",
         "a line that is long enough to have been wrapped by a machine\n", "goes on"]
    )
).map("".join)  # fmt: skip


@given(any_text | prose)
def test_sentences_join_to_the_very_same_text(text):
    assert "".join(sentences(text)) == text
    assert "".join(cited_sentences(text)) == text


@given(prose)
def test_no_sentence_after_the_first_is_blank(text):
    assert all(part.strip() for part in sentences(text)[1:])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("J. K. Rowling wrote it. He was 3.5 m tall.",
         ["J. K. Rowling wrote it. ", "He was 3.5 m tall."]),
        ("short passage", ["short passage"]),
        ("One line\nAnother line", ["One line\n", "Another line"]),
        ("هل هذا صحيح؟ نعم.", ["هل هذا صحيح؟ ", "نعم."]),
        ("第一句。第二句。", ["第一句。", "第二句。"]),
        ("", []),
    ],
)  # fmt: skip
def test_sentences_end_where_a_reader_would_say_so(text, parts):
    assert sentences(text) == parts


def test_a_line_that_was_only_wrapped_is_one_sentence():
    wrapped = "The warranty, as the long document explains it,\nlasts 24 months. Next."
    assert sentences(wrapped) == [wrapped.removesuffix("Next."), "Next."]


def test_a_line_longer_than_any_sentence_is_split_without_loss():
    text = "“" * 9_000 + "A sentence. " * 3_000
    parts = sentences(text)
    assert "".join(parts) == text
    assert len(parts) > 2_000


def test_marks_after_the_full_stop_belong_to_the_sentence():
    assert cited_sentences("It is so. [d1] [d2] Next [d3].") == [
        "It is so. [d1] [d2] ",
        "Next [d3].",
    ]


@given(any_text)
def test_normalising_twice_is_normalising_once(text):
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("left", "right"),
    [("ÉCOLE", "école"), ("Straße", "STRASSE"), ("ｆｕｌｌ", "full"), ("مُحَمَّد", "محمد"),
     ("كتــاب", "كتاب"), ("a  b\n\tc", "A B C")],
)  # fmt: skip
def test_texts_that_a_reader_takes_for_the_same_are_equal(left, right):
    assert normalise(left) == normalise(right)


def test_folding_keeps_what_makes_words_differ():
    assert fold("resume") != fold("resumed")


@pytest.mark.parametrize(
    ("text", "found"),
    [("1,200 of 3.5 at 10:30", {"1200", "3.5", "10:30"}), ("١٢٣", {"123"}), ("v2", {"2"}),
     ("no number", set()), ("１２", {"12"}), ("1,2", {"1,2"})],
)  # fmt: skip
def test_numbers_are_read_in_any_digits_without_separators(text, found):
    assert numbers(text) == found


def test_scripts_without_spaces_give_pairs_of_characters():
    assert words("東京都") == ["東京", "京都"]


def test_words_that_carry_no_meaning_are_left_out():
    assert content_words("What is the warranty of it?") == ["warranty"]


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("The dose is 50 mg.", "A dose of 50 mg is usual.", 1.0),
        ("The dose is 40 mg.", "A dose of 50 mg is usual.", 0.0),
        ("The dose is high.", "A dose of 50 mg is usual.", 0.5),
        ("It is so.", "It is so.", 0.0),
        ("", "Anything.", 0.0),
    ],
)
def test_support_is_the_share_of_words_and_none_for_another_number(claim, text, expected):
    assert support(claim, text) == expected


def test_the_first_of_equally_good_documents_supports_a_claim():
    same = [document("a", "The dose is 50 mg."), document("b", "The dose is 50 mg.")]
    found = best_support("dose 50 mg", same)
    assert found is not None
    assert (found[0]["id"], found[1]) == ("a", 1.0)
    assert best_support("dose", []) is None
