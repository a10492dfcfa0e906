"""What was seen of a run so far, and what a step of it is."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from nodes.citations import citation
from scripts.console import clean, short
from state.documents import Document

_HEADING = re.compile(r"^#+ +", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened.

    Attributes:
        mark: ``✓``, ``✗``, ``?`` or ``•``.
        text: What happened.
        more: Why, or about what.
    """

    mark: str
    text: str
    more: str = ""


@dataclass
class Memory:
    """What was seen of a run so far.

    Attributes:
        documents: Every document by its id.
        current: The ids of the documents at hand.
        told: Whether the steps were shown where the outcome is going to be: then it need not
            repeat them.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    current: list[str] = field(default_factory=list)
    told: bool = False

    def take(self, documents: Sequence[Document]) -> None:
        """Remember documents, and that these are now the ones at hand."""
        self.documents |= {document["id"]: document for document in documents}
        self.current = [document["id"] for document in documents]

    def name(self, identifier: str) -> str:
        """Return a document's title and page; its first words too where those are not enough."""
        document = self.documents.get(identifier)
        if document is None:
            return clean(identifier)
        title = _title(document)
        same = [d for d in self.documents.values() if _title(d) == title]
        return title if len(same) < 2 else f"{title} “{_beginning(document)}”"


Telling = Callable[[Any, Mapping[str, Any], Memory], Iterable[Step]]
"""From a field's new value, the whole update and the memory to what is told of it."""

Detail = Callable[[Any, Mapping[str, Any], Memory], Iterator[Text]]
"""From a field's last value, the whole output and the memory to the lines that show it."""


def count(number: int, what: str) -> str:
    """Word a number of things: ``no documents``, ``1 document``, ``2 documents``."""
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def section(title: str, lines: Iterable[Text]) -> Iterator[Text]:
    """Yield lines under a title; nothing when there are none."""
    found = list(lines)
    if found:
        yield Text()
        yield Text(title, style="bold")
        yield from found


def _title(document: Document) -> str:
    page = document["metadata"].get("page")
    return short(citation(document)["title"], 60) + (f", page {page}" if page else "")


def _beginning(document: Document) -> str:
    """Return a document's first words after its title."""
    plain = _HEADING.sub("", document["content"]).strip()
    return short(plain.removeprefix(citation(document)["title"]), 40)
