"""What a reply adds to the answer so far, and whether it ends it."""

import re

from nodes.text import normalise, sentences

EMPTY = "The model ended its answer."
REPEATED = "The model repeated itself, which ends its answer."
_END = re.compile(
    r"\W*(?:eos|end(?:oftext)?|done|stop|none|n/?a|im_end|s|(?:the )?end of (?:the )?answer"
    r"|(?:the )?answer (?:is )?complete)\W*"
)
_LIST_ITEM = re.compile(r"(?:[-*+•]|\d+[.)])\s")
_UNSPACED_END = tuple("。！？、，…")


def continuation(segment: str, answer: str) -> tuple[str, str]:
    """Return what a segment adds, and why it ends the answer; one of the two is empty.

    Four things end an answer: an empty segment; one that only says so (``END``, ``</s>``,
    "Answer complete."); one that only repeats sentences of the answer; and the cap, which is
    not decided here. A segment that starts by restating the answer is cut to what is new.
    """
    new = segment.removeprefix(answer).strip() if answer else segment
    if not re.search(r"\w", new) or _END.fullmatch(normalise(new)):
        return "", EMPTY if new == segment or not segment else REPEATED
    said = {_plain(sentence) for sentence in sentences(answer)}
    if all(_plain(sentence) in said for sentence in sentences(new)):
        return "", REPEATED
    return new, ""


def append(answer: str, segment: str) -> str:
    """Append a segment: list items on a line of their own, no space after 「。」."""
    if not answer:
        return segment
    if _LIST_ITEM.match(segment):
        return f"{answer}\n{segment}"
    return f"{answer}{'' if answer.endswith(_UNSPACED_END) else ' '}{segment}"


def _plain(sentence: str) -> str:
    return normalise(sentence).strip(" .!?。")
