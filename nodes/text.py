"""Words, numbers and sentences of a text, in any script."""

import re
import unicodedata
from collections.abc import Iterator

import sentencex

_WINDOW = 4_000
_WRAPPED = re.compile(r".{40}[^\s.!?…:;。！？؟][ \t]*\r?\n\Z")
_WORD = re.compile(r"\w+", re.UNICODE)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0e7f]")
_SCRIPTS = (
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)


def fold(text: str) -> str:
    """Fold case, width, accents and Arabic vowel marks away, for comparing."""
    if text.isascii():  # most text; ten times faster
        return text.casefold()
    compatible = unicodedata.normalize("NFKD", text).casefold()  # "𝐀" is an "A" only now
    decomposed = unicodedata.normalize("NFKD", compatible)
    return "".join(c for c in decomposed if not unicodedata.combining(c) and c != "\u0640")


def normalise(text: str) -> str:
    """Fold a text and its white space, so that equal texts compare equal."""
    return " ".join(fold(text).split())


def words(text: str) -> list[str]:
    """Return the folded words; scripts without spaces give pairs of characters."""
    found: list[str] = []
    for word in _WORD.findall(fold(text)):
        if _UNSPACED.search(word) and len(word) > 1:
            found.extend(word[i : i + 2] for i in range(len(word) - 1))
        else:
            found.append(word)
    return found


def numbers(text: str) -> set[str]:
    """Return the numbers of a text, thousands separators removed."""
    found = re.findall(r"\d+(?:[.,:]\d+)*", unicodedata.normalize("NFKC", text))
    return {_plain_number(number) for number in found}


def _plain_number(number: str) -> str:
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number)
    return "".join(str(unicodedata.digit(c, 0)) if c.isdigit() else c for c in plain)


def language(text: str) -> str:
    """Return the code of the language whose sentence rules fit the text's script."""
    return next((code for code, script in _SCRIPTS if script.search(text)), "en")


def sentences(text: str) -> list[str]:
    """Split a text into sentences that join to the very same text."""
    code = language(text)
    parts: list[str] = []
    for line in _lines(text):
        for part in _segments(code, line):
            if part.strip() or not parts:
                parts.append(part)
            else:
                parts[-1] += part
    return parts


def _lines(text: str) -> list[str]:
    """Split at line ends, except where a line was only wrapped."""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if lines and line[0].islower() and _WRAPPED.search(lines[-1]) and len(lines[-1]) < _WINDOW:
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def _segments(code: str, line: str) -> Iterator[str]:
    """Split a line, a long one window by window: pairing quotes takes quadratic time."""
    while len(line) > _WINDOW:
        window = line[:_WINDOW]
        found = list(sentencex.segment(code, window))
        whole = found[:-1] or [window[: window.rfind(" ") + 1] or window]
        yield from whole
        line = line[sum(map(len, whole)) :]
    yield from sentencex.segment(code, line)
