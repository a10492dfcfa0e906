"""What does not fit a model's window is left out, shortened where it can be, and named."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends import Backends
from backends.packing import pack
from backends.tokens import count, head, margin
from nodes.calls import Pack
from state.documents import Document
from tests.stubs import chat

SENTENCE = "The lighthouse of Riga was built in 1863. "


def document(content: str, identifier: str = "d1", **metadata: Any) -> Document:
    return {"id": identifier, "content": content, "metadata": metadata}


def test_what_fits_is_kept_as_it_is() -> None:
    given_documents = [document("One."), document("Two.", "d2")]
    for room in (None, 10_000):
        packed = pack(given_documents, room)
        assert packed.documents == given_documents
        assert packed.left_out == []


def test_the_one_that_crosses_the_edge_ends_with_a_sentence_and_the_rest_is_named() -> None:
    given_documents = [document(SENTENCE * 20, f"d{i}") for i in range(4)]
    size = count(SENTENCE * 20)
    packed = pack(given_documents, 2 * size)
    assert [d["id"] for d in packed.documents] == ["d0", "d1"]
    shown = packed.documents[1]["content"]
    assert shown
    assert (SENTENCE * 20).startswith(shown)
    assert shown.rstrip().endswith("1863.")
    assert packed.left_out == [
        {"id": "d1", "tokens": size, "kept_tokens": count(shown)},
        {"id": "d2", "tokens": size, "kept_tokens": 0},
        {"id": "d3", "tokens": size, "kept_tokens": 0},
    ]
    assert given_documents[1]["content"] == SENTENCE * 20


def test_worse_documents_do_not_take_the_place_of_a_better_one() -> None:
    packed = pack([document(SENTENCE * 99), document("Short.", "d2")], 300)
    assert [d["id"] for d in packed.documents] == ["d1"]
    assert [left["id"] for left in packed.left_out] == ["d1", "d2"]


def test_nothing_is_shown_where_there_is_room_for_a_few_words_only() -> None:
    packed = pack([document(SENTENCE * 99)], 80)
    assert packed.documents == []
    assert packed.left_out[0]["kept_tokens"] == 0


def test_a_long_title_takes_room_too() -> None:
    text = SENTENCE * 10
    room = count(text) + 60
    assert pack([document(text)], room).left_out == []
    assert pack([document(text, title="A title. " * 500)], room).documents == []


def test_text_without_sentences_ends_with_a_word_or_a_character() -> None:
    words = pack([document("lighthouse " * 5_000)], 500).documents[0]["content"]
    assert words.split()[-1] == "lighthouse"
    unbroken = pack([document("x" * 50_000)], 500).documents[0]["content"]
    assert set(unbroken) == {"x"}


LONG = {
    "English": SENTENCE,
    "no spaces": "ab12",
    "Chinese": "里加的灯塔建于1863年。",
    "Arabic": "بُنِيَتْ مَنَارَةُ رِيغَا سَنَةَ ١٨٦٣. ",
    "families": "👩‍👩‍👧‍👦",
    "skin": "👍🏽",
    "flags": "🇱🇻",
    "marks": "e\u0301\u0323",
    "lines": "a\r\n",
}


@pytest.mark.parametrize("script", LONG)
def test_a_million_characters_are_shortened_verbatim_and_at_a_character(script: str) -> None:
    unit = LONG[script]
    text = unit * (1_000_000 // len(unit))
    packed = pack([document(text)], 3_000)
    shown = packed.documents[0]["content"]
    assert text.startswith(shown)
    assert 1_000 < count(shown) <= 3_000
    assert packed.left_out[0]["tokens"] > 3_000
    if script in ("families", "skin", "flags", "marks", "lines"):
        assert len(shown) % len(unit) == 0


@given(st.text(max_size=300), st.integers(0, 80))
def test_a_head_is_a_verbatim_beginning_that_fits(text: str, tokens: int) -> None:
    start = head(text, tokens)
    assert text.startswith(start)
    assert count(start) <= tokens + 1  # the last word may be cut into more pieces
    following = text[len(start) :]
    assert not following or not unicodedata.combining(following[0]) or not start


@given(st.lists(st.text(min_size=1, max_size=400), max_size=6), st.integers(0, 600))
def test_packing_keeps_the_order_and_loses_nothing_silently(texts: list[str], room: int) -> None:
    given_documents = [document(text, f"d{i}") for i, text in enumerate(texts)]
    packed = pack(given_documents, room)
    kept = [d["id"] for d in packed.documents]
    assert kept == [f"d{i}" for i in range(len(kept))]
    named = {left["id"] for left in packed.left_out}
    for original in given_documents:
        shown = next((d for d in packed.documents if d["id"] == original["id"]), None)
        whole = shown is not None and shown["content"] == original["content"]
        assert whole or original["id"] in named
        assert shown is None or original["content"].startswith(shown["content"])


def test_a_count_is_exact_for_openai_and_has_a_margin_for_others() -> None:
    assert count("") == 0
    assert count("hello world") == 2
    assert margin("gpt-5.4-mini") == 1.0
    assert margin("llama-3.3") > 1.0


def test_the_smallest_window_among_the_readers_counts() -> None:
    from backends import Settings

    settings = Settings(_env_file=None, context_window=4_000, max_output_tokens=256)
    backends = Backends(model=chat("ok"), settings=settings)
    long = [document(SENTENCE * 50, f"d{i}") for i in range(40)]
    packed = backends.pack(Pack(long, ("generator", "checker"), "How old is it?"))
    half = backends.pack(Pack(long, ("generator", "checker"), "How old is it?", 0.5))
    total = sum(count(d["content"]) for d in packed.documents)
    assert 1_000 < total < 4_000 - 256
    assert sum(count(d["content"]) for d in half.documents) < 0.6 * total
    assert len(packed.documents) + sum(not e["kept_tokens"] for e in packed.left_out) == 40


def test_an_evaluator_has_no_window() -> None:
    backends = Backends(generator=lambda question: "ok")
    long = [document(SENTENCE * 5_000)]
    assert backends.pack(Pack(long, ("generator",), "q")).documents == long


def test_a_small_window_leaves_half_of_it_for_the_prompt() -> None:
    from backends import Settings

    settings = Settings(_env_file=None, context_window=4_096, max_output_tokens=1_024)
    window = Backends(model=chat("ok"), settings=settings).player("generator").window
    assert window == int(2_048 / 1.2)
