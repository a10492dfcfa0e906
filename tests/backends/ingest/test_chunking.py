"""Text is cut into slices of itself that the model reads whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.embedder import MAX_TOKENS, tokenizer_file
from backends.ingest.chunking import chunks, split
from backends.ingest.loading import Loaded

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
    assert all(len(piece) <= 4000 for piece in pieces)


def test_markdown_is_cut_at_headings():
    pieces = split(MARKDOWN, markdown=True)
    assert sum(piece.startswith("## Section") for piece in pieces) == 20


def test_the_same_text_is_always_cut_the_same_way():
    assert split(MARKDOWN, markdown=True) == split(MARKDOWN, markdown=True)


def test_chunks_know_title_position_and_page():
    loaded = Loaded("A title", [("First page.", 1), (" ", 2), ("Third page.", 3)])
    assert chunks(loaded, "file.pdf") == [
        {"content": "First page.", "metadata": {"title": "A title", "position": 0, "page": 1}},
        {"content": "Third page.", "metadata": {"title": "A title", "position": 1, "page": 3}},
    ]


def test_without_a_title_the_file_gives_its_name():
    assert chunks(Loaded("", [("Text.", None)]), "notes.txt") == [
        {"content": "Text.", "metadata": {"title": "notes.txt", "position": 0}}
    ]
