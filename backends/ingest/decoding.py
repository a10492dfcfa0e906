"""Turn bytes into text, and say when that took a guess."""

import codecs
import re

_MARKS = {  # UTF-32's mark begins with UTF-16's
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SURROGATES = re.compile("[\ud800-\udfff]")
REPLACED = "characters that are not Unicode were replaced by U+FFFD"


class BinaryData(ValueError):
    """The bytes are no text."""


def decode(data: bytes, *, guess: bool) -> tuple[str, str]:
    """Decode a file: by its byte order mark, else UTF-8, else a guess.

    Args:
        data: The whole file.
        guess: Whether text in an old 8-bit encoding is accepted, as Windows-1252, which
            contains Latin-1. Nearly all bytes can be read so: the file's name must say text.

    Returns:
        The text, without a byte order mark and otherwise unchanged; and a remark, empty when
        there is nothing to say.

    Raises:
        BinaryData: It is no text.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return _lenient(data[len(mark) :], encoding)
    if b"\0" in data:
        raise BinaryData
    try:
        return mend(data.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError as error:
        if not guess or _CONTROLS.search(data):
            raise BinaryData from error
    text = data.decode("windows-1252", "replace")
    return text, "not UTF-8, so it was read as Windows-1252; convert it if letters are wrong"


def mend(text: str) -> tuple[str, str]:
    """Replace unpaired surrogates, which no encoding allows; return the text and a remark."""
    mended = _SURROGATES.sub("\ufffd", text)
    return mended, REPLACED if mended != text else ""


def _lenient(data: bytes, encoding: str) -> tuple[str, str]:
    try:
        return data.decode(encoding), ""
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), REPLACED
