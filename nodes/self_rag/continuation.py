"""What a reply adds to the answer so far, and whether it ends it."""

import re

from nodes.text import normalise, sentences

EMPTY = "The model ended its answer."
REPEATED = "The model repeated itself, which ends its answer."
_END = re.compile(
    r"[<\[({]\W*(?:eos|end(?:[ _]?of[ _]?(?:text|answer))?|done|stop|im_end|s)\W*"
    r"|\W*(?:the )?end of (?:the )?answer\W*|\W*(?:the )?answer (?:is )?complete\W*"
)
_LIST_ITEM = re.compile(r"(?:[-*+•]|\d+[.)])\s")
_UNSPACED_END = tuple("。！？、，…")


def continuation(segment: str, answer: str) -> tuple[str, str]:
    """Return what a segment adds, and why it ends the answer; one of the two is empty.

    An answer ends by an empty segment; by one that only says so (``[END]``, ``</s>``, "Answer
    complete."; a bare word like "Stop." or "None." can be an answer); and by one that only
    repeats sentences of the answer. A segment that starts by restating the answer is cut to
    what is new.
    """
    new = _new(segment, answer)
    if not re.search(r"\w", new) or _END.fullmatch(normalise(new)):
        return "", EMPTY if new == segment or not segment else REPEATED
    said = {_plain(sentence) for sentence in sentences(answer)}
    if all(_plain(sentence) in said for sentence in sentences(new)):
        return "", REPEATED
    return new, ""


def _new(segment: str, answer: str) -> str:
    rest = segment.removeprefix(answer)
    whole = answer.endswith(_UNSPACED_END) or not re.match(r"\w", rest)
    return rest.strip() if answer and rest != segment and whole else segment


def append(answer: str, segment: str) -> str:
    """Append a segment: list items on a line of their own, no space after 「。」."""
    if not answer:
        return segment
    if _LIST_ITEM.match(segment):
        return f"{answer}\n{segment}"
    return f"{answer}{'' if answer.endswith(_UNSPACED_END) else ' '}{segment}"


def _plain(sentence: str) -> str:
    return normalise(sentence).strip(" .!?。")
