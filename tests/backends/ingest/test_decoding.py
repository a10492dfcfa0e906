"""Bytes become text without loss, or the user is told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backends.ingest.decoding import BinaryData, decode, mend


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_utf8_comes_through_unchanged(text: str):
    if not text.startswith("\ufeff"):
        assert decode(text.encode(), guess=False) == (text, "")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding_and_is_dropped(encoding: str):
    text = "Zürich\r\n你好"
    assert decode(text.encode(encoding), guess=False) == (text, "")


@pytest.mark.parametrize("order", ["le", "be"])
def test_both_byte_orders_of_utf16_are_read(order: str):
    data = "\ufeffabc é".encode(f"utf-16-{order}")
    assert decode(data, guess=False) == ("abc é", "")


def test_an_old_encoding_is_read_and_reported_when_the_name_says_text():
    text, remark = decode("café “quoted” – 5 €".encode("windows-1252"), guess=True)
    assert text == "café “quoted” – 5 €"
    assert "Windows-1252" in remark


def test_an_old_encoding_is_binary_when_nothing_says_text():
    with pytest.raises(BinaryData):
        decode("café".encode("latin-1"), guess=False)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", b"text\0text", b"\x01\x02\xff\xfe"])
def test_binary_data_are_refused_even_when_the_name_says_text(data: bytes):
    with pytest.raises(BinaryData):
        decode(data, guess=True)


def test_an_unpaired_surrogate_is_replaced_and_reported():
    text, remark = decode(b"a\xed\xa0\x80b", guess=False)
    assert text == "a\ufffdb"
    assert "replaced by U+FFFD" in remark


def test_damaged_utf16_is_read_and_reported():
    text, remark = decode(b"\xff\xfea\0\x00\xd8b\0", guess=False)
    assert text.startswith("a\ufffd")
    assert "replaced by U+FFFD" in remark


@given(st.text(st.characters(exclude_categories=[])))
def test_mended_text_can_be_encoded(text: str):
    mended, remark = mend(text)
    mended.encode()
    assert bool(remark) == (mended != text)
