"""Read the first segment of a reply: its text without tokens, and what the tokens say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from nodes.self_rag.tags import OPEN, Tag, tags
from state.self_rag import IsRel, IsSup, Retrieve

_CUT_OFF = re.compile(rf"{OPEN}\s*([a-z_ -]*?)\s*(?:[=＝:：]\s*)?\Z", re.IGNORECASE)
_NAMES = ("retrieve", "isrel", "issup", "isuse")
_ATTACHED = tuple(".,;:!?)…。、，！？")


@dataclass(frozen=True, slots=True)
class Reflection:
    """A reply, read.

    Attributes:
        text: The first segment of the reply, without tokens.
        retrieve: Its Retrieve token; ``None`` when there is none or none that is plain.
        is_rel: Its IsRel token.
        is_sup: Its IsSup token.
        is_use: Its IsUse token, 1 to 5.
    """

    text: str
    retrieve: Retrieve | None
    is_rel: IsRel | None
    is_sup: IsSup | None
    is_use: int | None


def read(reply: str) -> Reflection:
    """Read the first segment of a reply and its tokens; never fails."""
    found = first_segment(reply)
    use = _value(found, "isuse")
    return Reflection(
        _without(reply[: _end_of(reply, found)], found),
        cast("Retrieve | None", _value(found, "retrieve")),
        cast("IsRel | None", _value(found, "isrel")),
        cast("IsSup | None", _value(found, "issup")),
        int(use) if use else None,
    )


def first_segment(reply: str) -> list[Tag]:
    """Return the tags of the first segment; what a model writes after it is not read.

    A second Retrieve token with text before it starts another segment, and so does text after
    an IsUse token when a second IsUse token follows it.
    """
    found = list(tags(reply))
    return found[: _boundary(reply, found)]


def _boundary(reply: str, found: Sequence[Tag]) -> int:
    """Return how many tags belong to the first segment."""
    for name in ("retrieve", "isuse"):
        same = [i for i, tag in enumerate(found) if tag.name == name]
        for earlier, later in pairwise(same):
            between = _has_text(reply, found, found[earlier].end, found[later].start)
            if name == "retrieve" and between:
                return later
            if name == "isuse" and between and _has_text(reply, found, 0, found[earlier].start):
                return earlier + 1
    return len(found)


def _end_of(reply: str, found: Sequence[Tag]) -> int:
    """Return where the first segment ends."""
    rest = list(tags(reply))[len(found) :]
    if not rest:
        return len(reply)
    return rest[0].start if rest[0].name == "retrieve" else found[-1].end


def _has_text(reply: str, found: Sequence[Tag], start: int, end: int) -> bool:
    inside = [tag for tag in found if start <= tag.start and tag.end <= end]
    pieces, place = [], start
    for tag in inside:
        pieces.append(reply[place : tag.start])
        place = tag.end
    pieces.append(reply[place:end])
    return any(re.search(r"\w", piece) for piece in pieces)


def _value(found: Sequence[Tag], name: str) -> str | None:
    """Return what the tags of a name say; nothing when they contradict."""
    values = {tag.value for tag in found if tag.name == name and tag.value is not None}
    return values.pop() if len(values) == 1 else None


def _without(reply: str, found: Sequence[Tag]) -> str:
    """Take tags out, and the start of one that was cut off at the end."""
    text, place = "", 0
    for tag in found:
        text = _joined(text, reply[place : tag.start])
        place = tag.end
    text = _joined(text, reply[place:])
    cut_off = _CUT_OFF.search(text)
    if cut_off and any(n.startswith(re.sub(r"[ _-]", "", cut_off[1].casefold())) for n in _NAMES):
        text = text[: cut_off.start()]
    return text.strip()


def _joined(text: str, more: str) -> str:
    """Join what stood around a tag with one space, or none before punctuation."""
    if not text or not more:
        return text + more
    if more.startswith(_ATTACHED):
        return text.rstrip(" \t") + more
    if text[-1].isspace():
        return text + more.lstrip(" \t")
    return text + more if more[0].isspace() else f"{text} {more}"
