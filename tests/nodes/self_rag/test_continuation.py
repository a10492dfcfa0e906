"""What a segment adds to an answer, and what ends it."""

import pytest

from nodes.self_rag.continuation import append, continuation


@pytest.mark.parametrize(
    "segment",
    ["", "…", "</s>", "[END]", "<|endoftext|>", "(done)", "Answer complete.", "End of answer"],
)
def test_an_empty_segment_or_an_end_mark_ends_the_answer(segment):
    text, end = continuation(segment, "So far.")
    assert text == ""
    assert "ended" in end


@pytest.mark.parametrize(
    "segment", ["So far.", "so  FAR", "And more! So far.", "So far. And more.", "And more."]
)
def test_a_segment_that_only_repeats_ends_the_answer(segment):
    text, end = continuation(segment, "So far. And more.")
    assert text == ""
    assert end


def test_a_segment_that_restates_the_answer_is_cut_to_what_is_new():
    assert continuation("So far. And more.", "So far.") == ("And more.", "")
    assert continuation("東京です。人口は多い。", "東京です。") == ("人口は多い。", "")


@pytest.mark.parametrize("segment", ["Far.", "The end is near.", "No.", "None.", "Stop.", "End."])
def test_a_segment_that_only_looks_like_an_end_or_a_repeat_is_kept(segment):
    assert continuation(segment, "So far.") == (segment, "")


@pytest.mark.parametrize(
    ("answer", "segment", "joined"),
    [
        ("", "One.", "One."),
        ("One.", "Two.", "One. Two."),
        ("Three:", "- a", "Three:\n- a"),
        ("Steps:", "2. b", "Steps:\n2. b"),
        ("東京です。", "人口は多い。", "東京です。人口は多い。"),
    ],
)
def test_segments_are_joined_as_text_is_written(answer, segment, joined):
    assert append(answer, segment) == joined


@pytest.mark.parametrize(("answer", "segment"), [("A", "Apples."), ("In 19", "In 1990 it fell.")])
def test_a_word_that_only_starts_like_the_answer_is_not_cut(answer, segment):
    assert continuation(segment, answer) == (segment, "")
