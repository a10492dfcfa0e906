"""Citations: marks like ``[id]`` in a draft, held against the documents it was given.

A mark names a document by its id, so filtering and reordering cannot shift it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.evidence import best_support, support
from nodes.text import sentences
from state.documents import Document
from state.outcome import Citation

_CODE = r"```.*?```|`[^`\n]*`"
_MARK = re.compile(rf"(?P<code>{_CODE})|(?P<gap>[ \t]*)(?<!\w)\[(?P<ids>[^\[\]\n]+)\](?!\()", re.S)
_LABEL = re.compile(r"^\s*(?:document\s+)?(?:id|doc|document|source)\s*[=:]\s*", re.IGNORECASE)
_LOOKS_LIKE_AN_ID = re.compile(r"(?=.*[\d_:#-])[\w.:/#-]+")
_CLEARLY_BETTER = 0.3
_STATES_IT = 0.5


@dataclass(frozen=True)
class Cited:
    """A draft with valid citations only.

    Attributes:
        text: The draft; marks that name no given document are gone.
        citations: The documents it cites, in order of first mention.
        invalid: How many marks were removed.
    """

    text: str
    citations: list[Citation]
    invalid: int


def cite(draft: str, documents: Sequence[Document]) -> Cited:
    """Hold a draft's citations against the documents it was written from.

    An id that was not given is removed and counted. A sentence whose cited document plainly
    does not state it, while another given one does, is attributed to that one. A draft
    without any mark gets the documents that state its sentences as citations.
    """
    by_id = {document["id"].casefold(): document for document in documents}
    invalid = 0

    def keep_valid(match: re.Match[str]) -> str:
        nonlocal invalid
        if match["code"] is not None:
            return match[0]
        ids = [_LABEL.sub("", part).strip(" \"'`") for part in re.split(r"[,;]", match["ids"])]
        valid = [by_id[i.casefold()]["id"] for i in ids if i.casefold() in by_id]
        if not valid and not all(_LOOKS_LIKE_AN_ID.fullmatch(i) for i in ids):
            return match[0]
        invalid += len(ids) - len(valid)
        return "".join(f"{match['gap']}[{i}]" for i in dict.fromkeys(valid))

    text = _MARK.sub(keep_valid, draft)
    text = "".join(_reattribute(s, by_id, documents) for s in cited_sentences(text))
    return Cited(text, citations_of(text, documents), invalid)


def citations_of(text: str, documents: Sequence[Document]) -> list[Citation]:
    """Return what a text with valid marks cites; see ``cite`` for a text without marks."""
    by_id = {document["id"]: document for document in documents}
    marked = [i for i in marks(text) if i in by_id]
    if not marked:
        best = (best_support(sentence, documents) for sentence in sentences(text))
        marked = [found[0]["id"] for found in best if found and found[1] >= _STATES_IT]
    return [citation(by_id[i]) for i in dict.fromkeys(marked)]


def citation(document: Document) -> Citation:
    """Map a document to what is shown for it."""
    metadata = document["metadata"]
    source = str(metadata.get("source") or metadata.get("url") or document["id"])
    return {"id": document["id"], "source": source, "title": str(metadata.get("title") or source)}


def marks(text: str) -> list[str]:
    """Return the contents of all marks outside code, in order."""
    return [match["ids"] for match in _MARK.finditer(text) if match["code"] is None]


def without_marks(text: str, ids: Sequence[str]) -> str:
    """Take the marks of these documents out of a text."""
    known = set(ids)
    return _MARK.sub(lambda m: "" if m["code"] is None and m["ids"] in known else m[0], text)


def cited_sentences(text: str) -> list[str]:
    """Split a text losslessly; marks that follow a sentence's full stop belong to it."""
    parts: list[str] = []
    for part in sentences(text):
        lead = re.match(r"(?:[ \t]*\[[^\[\]\n]+\](?!\())+[ \t]*[.!?。؟]?\s*", part)
        if lead and parts and not parts[-1].endswith("\n"):
            parts[-1] += lead[0]
            part = part[lead.end() :]
        if part:
            parts.append(part)
    return parts


def _reattribute(sentence: str, by_id: dict[str, Document], documents: Sequence[Document]) -> str:
    cited = [i for i in marks(sentence) if i.casefold() in by_id]
    if len(cited) != 1:
        return sentence
    claim = without_marks(sentence, cited)
    best = best_support(claim, documents)
    now = support(claim, by_id[cited[0].casefold()]["content"])
    if best is None or best[1] < _STATES_IT or best[1] < now + _CLEARLY_BETTER:
        return sentence
    return sentence.replace(f"[{cited[0]}]", f"[{best[0]['id']}]")
