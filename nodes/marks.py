"""Citation marks: how ``[id]`` stands in a text, and which document it names.

A mark names a document by its id, so filtering and reordering cannot shift it.
"""

import html
import re
from collections.abc import Sequence

from nodes.text import sentences
from state.documents import Document

_CODE = r"```.*?```|`[^`\n]*`"
_GAP = r"(?P<gap>(?<![ \t])[ \t]*)"
_BRACKETS = r"\[(?P<double>\[)?(?P<ids>[^\[\]\n]+)\](?(double)\])(?!\()"
MARK = re.compile(rf"(?P<code>{_CODE})|{_GAP}{_BRACKETS}", re.DOTALL)
"""A mark with the blanks before it, or code, in which brackets are no marks."""
_LEADING = re.compile(r"(?:[ \t]*\[[^\[\]\n]+\](?!\())+[ \t]*[.!?。؟]?\s*")
_LABEL = re.compile(r"^\s*(?:id|doc|document|source)(?:\s+id)?(?:\s*[=:]\s*|\s+)", re.IGNORECASE)
_LOOKS_LIKE_AN_ID = re.compile(r"(?=.*[\d_:#-])[\w.:/#-]+")


class Names:
    """Finds the document that a mark means.

    Args:
        documents: The documents that were given.
        withheld: Ids of documents that were not, like rejected ones; whatever they look like,
            a mark with one of them is a citation.
    """

    def __init__(self, documents: Sequence[Document], withheld: Sequence[str] = ()) -> None:
        """Index the ids as a prompt shows them, and folded for careless copies."""
        self._withheld = {_shown(identifier).casefold() for identifier in withheld}
        self._exact = {_shown(document["id"]): document["id"] for document in documents}
        self._folded = {name.casefold(): identifier for name, identifier in self._exact.items()}

    def find(self, written: str) -> str | None:
        """Return the id that was meant; ``None`` when no given document has it."""
        for name in (_shown(written), _bare(written)):
            found = self._exact.get(name) or self._folded.get(name.casefold())
            if found is not None:
                return found
        return None

    def read(self, written: str) -> tuple[list[str], int]:
        """Return the ids that a mark's content names, and how many it has that were not given."""
        whole = self.find(written)
        if whole is not None:
            return [whole], 0
        parts = re.split(r"[,;]", written)
        found = [self.find(part) for part in parts]
        valid = [identifier for identifier in found if identifier is not None]
        if not valid and not all(self._is_an_id(_bare(part)) for part in parts):
            return [], 0
        return list(dict.fromkeys(valid)), len(parts) - len(valid)

    def _is_an_id(self, name: str) -> bool:
        return name.casefold() in self._withheld or bool(_LOOKS_LIKE_AN_ID.fullmatch(name))


def marks(text: str) -> list[str]:
    """Return the contents of all marks outside code, in order."""
    return [match["ids"] for match in MARK.finditer(text) if match["code"] is None]


def without_marks(text: str, ids: Sequence[str]) -> str:
    """Take the marks of these documents out of a text."""
    known = set(ids)
    return MARK.sub(lambda m: "" if m["code"] is None and m["ids"] in known else m[0], text)


def cited_sentences(text: str) -> list[str]:
    """Split a text losslessly; marks that follow a sentence's full stop belong to it."""
    parts: list[str] = []
    for part in sentences(text):
        lead = _LEADING.match(part)
        if lead and parts and not parts[-1].endswith("\n"):
            parts[-1] += lead[0]
            part = part[lead.end() :]
        if part:
            parts.append(part)
    return parts


def _shown(identifier: str) -> str:
    """Return an id as a prompt shows it: white space collapsed, entities read."""
    return " ".join(html.unescape(identifier).split())


def _bare(written: str) -> str:
    """Take off a label, quotes and a footnote's caret."""
    return _shown(_LABEL.sub("", written.strip(" \"'`^"))).strip(" \"'`^")
