"""Find reflection tokens in a reply, however they are written.

Models write them in any case, with spaces, without the closing bracket, with words added or
with full-width digits.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

OPEN, CLOSE = r"[\[［【]", r"[\]］】]"
_NAME = r"(retrieve|is[ _-]?rel|is[ _-]?sup|is[ _-]?use)"
_KNOWN = (
    r"((?:fully|partially|not|no)(?:[ ]support(?:ed)?)?|yes|continue|irrelevant|relevant"
    r"|\d+(?:\s*(?:\.\.+|[-–/])\s*\d+)?)(?![a-z0-9])"
)
_TAG = re.compile(
    r"(?P<mark>\*\*|`)?(?:"
    rf"{OPEN}\s*{_NAME}\s*[=＝:：]\s*([^\[\]［］【】\r\n]{{0,40}}?)\s*{CLOSE}"
    rf"|{OPEN}\s*{_NAME}\s*[=＝:：]\s*(?:{_KNOWN}|([a-z]+))"
    rf"|(?<![a-z0-9]){_NAME}\s*[=＝]\s*{_KNOWN}{CLOSE}?"
    r")(?(mark)(?P=mark))",
    re.IGNORECASE,
)
_USE = re.compile(r"\D*(\d)(?:\s*/\s*5|\s+out of 5)?\D*")


@dataclass(frozen=True, slots=True)
class Tag:
    """One reflection token in a reply.

    Attributes:
        name: ``retrieve``, ``isrel``, ``issup`` or ``isuse``.
        value: What it says, in the prompt's words; ``None`` when that is not plain.
        start: Where it starts in the reply.
        end: Where it ends.
        at: Where its value starts.
    """

    name: str
    value: str | None
    start: int
    end: int
    at: int


def tags(reply: str) -> Iterator[Tag]:
    """Yield every reflection token, in order."""
    for match in _TAG.finditer(reply):
        groups = [i for i in range(2, 9) if match[i] is not None]
        name = re.sub(r"[ _-]", "", match[groups[0]].casefold())
        value, place = match[groups[-1]], match.start(groups[-1])
        lead = re.match(r"\W*", value)
        yield Tag(
            name,
            _READ[name](value),
            match.start(),
            match.end(),
            place + (lead.end() if lead else 0),
        )


def _first_word(value: str) -> str:
    words = re.findall(r"[^\W\d_]+", value.casefold())
    return words[0] if words else ""


def _one_of(**spellings: str) -> Callable[[str], str | None]:
    known = {word: value for value, words in spellings.items() for word in words.split()}

    def read_value(value: str) -> str | None:
        # The prompt's own list of choices, echoed, says nothing.
        return None if "|" in value else known.get(_first_word(value))

    return read_value


def _read_use(value: str) -> str | None:
    match = _USE.fullmatch(value)
    number = int(match[1]) if match else 0
    return str(number) if 1 <= number <= 5 else None


_READ: dict[str, Any] = {
    "retrieve": _one_of(Yes="yes y true", No="no n false", Continue="continue"),
    "isrel": _one_of(Relevant="relevant yes", Irrelevant="irrelevant not no"),
    "issup": _one_of(
        Fully="fully full supported yes",
        Partially="partially partial partly",
        No="no not none unsupported contradictory",
    ),
    "isuse": _read_use,
}
