"""Text is cut into slices of itself that the model reads whole."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.embedder import MAX_TOKENS, tokenizer_file
from backends.ingest.cutting import split

MARKDOWN = "\n\n".join(
    f"## Section {n}\n\n" + f"Sentence {n} says something of a river. " * 50 for n in range(20)
)


def tokens(text: str) -> int:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(tokenizer_file())
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return len(tokenizer.encode(text).ids)


def assert_only_white_space_is_dropped(text: str, pieces: list[str]) -> None:
    at = 0
    for piece in pieces:
        start = text.index(piece, at)
        assert not text[at:start].strip()
        at = start + len(piece)
    assert not text[at:].strip()


@pytest.mark.parametrize("markdown", [True, False])
def test_no_chunk_is_longer_than_the_model_reads(markdown: bool):
    pieces = split(MARKDOWN, markdown=markdown)
    assert len(pieces) > 20
    assert max(map(tokens, pieces)) <= MAX_TOKENS


@pytest.mark.parametrize("markdown", [True, False])
@settings(max_examples=60)
@given(text=st.text(st.sampled_from("ab \n\t#*`|-.é你\r\0\ufeff\u2028{}<>"), max_size=400))
def test_chunks_are_slices_and_only_white_space_between_them_is_dropped(markdown: bool, text: str):
    assert_only_white_space_is_dropped(text, split(text, markdown=markdown))


@pytest.mark.parametrize("markdown", [True, False])
def test_long_text_is_cut_without_loss(markdown: bool):
    assert_only_white_space_is_dropped(MARKDOWN, split(MARKDOWN, markdown=markdown))


@pytest.mark.parametrize("text", ["x" * 50_000, "x " * 20_000, "你" * 20_000, "\n" * 50_000])
def test_text_without_structure_is_cut_too(text: str):
    pieces = split(text, markdown=True)
    assert_only_white_space_is_dropped(text, pieces)
    assert all(len(piece) <= 16 * MAX_TOKENS for piece in pieces)


def test_a_heading_stands_with_the_text_under_it():
    pieces = split(MARKDOWN, markdown=True)
    headings = [piece for piece in pieces if "## Section" in piece]
    assert len(headings) == 20
    assert all(re.match(r"## Section \d+\n\nSentence", piece) for piece in headings)


def test_a_heading_is_left_alone_only_when_nothing_else_can_be():
    assert split("# Title", markdown=True) == ["# Title"]
    assert split("# A\n\n## B\n\nText.", markdown=True) == ["# A\n\n## B\n\nText."]
    long = "# " + "very " * 120 + "long\n\n" + "Paragraph without an end " * 100
    assert_only_white_space_is_dropped(long, split(long, markdown=True))


def test_small_sections_share_a_chunk_up_to_half_of_its_size():
    text = "\n\n".join(f"## Question {n}\n\nAnswer {n}." for n in range(60))
    pieces = split(text, markdown=True)
    assert all(MAX_TOKENS // 2 - 20 <= tokens(piece) <= MAX_TOKENS for piece in pieces[:-1])
    assert all(piece.startswith("## Question") for piece in pieces)


def test_code_keeps_its_indentation_where_it_is_cut():
    code = "".join(f"    if x{n} > {n}:\n        return x{n}\n" for n in range(100))
    text = f"```python\ndef f():\n{code}```"
    lines = set(text.splitlines())
    assert all(set(piece.splitlines()) <= lines for piece in split(text, markdown=True))


def test_a_megabyte_is_cut_without_loss():
    text = MARKDOWN * 30
    assert len(text) > 1_000_000
    assert_only_white_space_is_dropped(text, split(text, markdown=True))


def test_the_same_text_is_always_cut_the_same_way():
    assert split(MARKDOWN, markdown=True) == split(MARKDOWN, markdown=True)
