"""Tier 0 of the triage: rules that need no model and take well under a millisecond.

They decide only what is plain, and leave everything else to the model. The refused topics
are those of document 003 (gibberish, adult content, politics, religion) and plain requests
for harm; what is refused is the request for content, for a side or for a ruling. A question
*about* religion in history or about politics in economics is a study question.
"""

from dataclasses import dataclass
from typing import Literal

from nodes.study import chitchat, gibberish, unsafe
from nodes.study.replies import Kind
from nodes.text import fold
from state.study import Topic

_READ = 600


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rules found.

    Attributes:
        intent: ``chitchat`` or ``unsafe``.
        kind: Which ready reply fits chitchat; else empty.
        topic: Why it is unsafe; else empty.
    """

    intent: Literal["chitchat", "unsafe"]
    kind: Kind | None = None
    topic: Topic = ""


def rule(question: str) -> Ruling | None:
    """Return what the rules say of a question; ``None`` when they do not decide.

    Args:
        question: Any text; its first 600 characters are read.
    """
    text = question[:_READ]
    folded = " ".join(fold(text).replace("\u2019", "'").split())
    topic = unsafe.topic_of(folded)
    if topic:
        return Ruling("unsafe", topic=topic)
    kind = chitchat.kind_of(folded)
    if kind:
        return Ruling("chitchat", kind=kind)
    if gibberish.is_gibberish(text):
        return Ruling("unsafe", topic="gibberish")
    return None
