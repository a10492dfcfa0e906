"""Turn a file's bytes into text: which loader, and what every loader returns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backends.ingest.decoding import BinaryData, decode
from backends.ingest.discovery import HTML, KNOWN, MARKDOWN, PDF

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


class UnreadableFile(ValueError):
    """The file cannot be read as what its name says; the message says why."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The text of a file.

    Attributes:
        title: What to call it; empty when it does not say.
        parts: Its text, with the page number (from 1) where there are pages.
        markdown: Whether the text is Markdown.
        remark: What the user should know, or empty.
    """

    title: str
    parts: Sequence[tuple[str, int | None]]
    markdown: bool = False
    remark: str = field(default="")


def load(path: Path, data: bytes) -> Loaded:
    """Read a file by its ending; an unknown one is text if it is UTF-8 or has a mark.

    Raises:
        UnreadableFile: It is damaged, encrypted, binary, or has no text.
    """
    ending = path.suffix.lower()
    if ending in PDF:
        from backends.ingest.pdf import load_pdf

        return load_pdf(data)
    if ending in HTML:
        from backends.ingest.html import load_html

        return load_html(data)
    try:
        text, remark = decode(data, guess=ending in KNOWN)
    except BinaryData as error:
        kind = "" if ending in KNOWN else f" ({', '.join(sorted(KNOWN))} are read)"
        raise UnreadableFile(f"is binary, not text{kind}; convert it first") from error
    markdown = ending in MARKDOWN
    return Loaded(heading(text) if markdown else "", [(text, None)], markdown, remark)


def heading(markdown: str) -> str:
    """Return the first heading of a Markdown text, or nothing."""
    found = _HEADING.search(markdown)
    return found[1] if found else ""
