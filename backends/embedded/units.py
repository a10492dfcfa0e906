"""What can be quoted from a document: its sentences, lists, table rows and code lines."""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from backends.embedded.blocks import Block, Kind, blocks
from backends.embedded.memory import remembered
from backends.embedded.wording import stems
from nodes.text import sentences

LONGEST = 600
"""Characters of one unit; longer sentences are cut between words."""

_SHORT = 5
_QUESTION = ("?", "؟", "？")
_COLON = (":", "：")
_END_OF_ITEM = ".,;!"


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a document that can be quoted by itself.

    Attributes:
        text: Word for word, white space, line ends and list markers apart.
        lead: The heading or question that it stands under; may be empty.
        kind: Says how it is quoted.
        words: The stems of its words.
        context: The stems of its words and of its lead's.
    """

    text: str
    lead: str
    kind: Kind
    words: frozenset[str]
    context: frozenset[str]

    @property
    def reads_as(self) -> str:
        """The text to compare: with its lead where the text alone says too little."""
        needs_lead = self.lead.endswith(_QUESTION) or len(self.words) < _SHORT
        return f"{self.lead} {self.text}" if self.lead and needs_lead else self.text

    @property
    def quote(self) -> str:
        """The text to show; code in code marks, so that its brackets are no citations."""
        return f"`{self.text}`" if self.kind == "code" and "`" not in self.text else self.text


@remembered
def units_of(content: str) -> tuple[Unit, ...]:
    """Split a document, Markdown or plain text, into units in their order.

    Headings and questions state nothing: they become the lead of what follows, unless the
    document has nothing else.
    """
    readable = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    found = [Block(kind, part) for kind, text in blocks(readable) for part in _parts(kind, text)]
    led = tuple(_led(_with_lists(found)))
    return led or tuple(_unit(block, "") for block in found)


def _parts(kind: Kind, text: str) -> Iterator[str]:
    """Split a block into texts that can be quoted, none longer than ``LONGEST``."""
    if kind == "code":
        parts = text.splitlines()
    elif kind == "row":
        parts = [text]
    else:
        parts = sentences(" ".join(text.splitlines()))
    for part in parts:
        yield from textwrap.wrap(part, LONGEST, break_on_hyphens=False)


def _with_lists(found: Iterable[Block]) -> Iterator[Block]:
    """Join a list to the line that opens it, which may say "except"; a long one in parts."""
    opening = joined = ""
    for block in found:
        if block.kind == "item" and opening:
            item = block.text.rstrip(_END_OF_ITEM)
            longer = f"{joined}; {item}" if joined != opening else f"{opening} {item}"
            if len(longer) > LONGEST and joined != opening:
                yield Block("text", joined)
                longer = f"{opening} {item}"
            joined = longer
            continue
        if joined:
            yield Block("text", joined)
        opening = joined = block.text if _opens(block) else ""
        if not opening:
            yield block
    if joined:
        yield Block("text", joined)


def _opens(block: Block) -> bool:
    return block.kind == "text" and block.text.endswith(_COLON)


def _led(found: Iterable[Block]) -> Iterator[Unit]:
    """Give each unit the heading or question that it stands under."""
    lead = ""
    for block in found:
        if block.kind == "heading" or block.text.endswith(_QUESTION):
            lead = block.text
        else:
            yield _unit(block, lead)


def _unit(block: Block, lead: str) -> Unit:
    words = stems(block.text)
    return Unit(block.text, lead, block.kind, words, words | stems(lead))
