"""Citations of a draft, held against the documents it was written from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from nodes.evidence import best_support, support
from nodes.marks import MARK, Names, cited_sentences, marks, without_marks
from nodes.text import sentences
from state.documents import Document
from state.outcome import Citation

_CLEARLY_BETTER = 0.3
_STATES_IT = 0.5
_WORD_BEFORE = re.compile(r"\w+\Z")
_LONGEST_WORD = 64


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


def cite(draft: str, documents: Sequence[Document], withheld: Sequence[str] = ()) -> Cited:
    """Hold a draft's citations against the documents it was written from.

    An id that was not given is removed and counted. A sentence whose cited document plainly
    does not state it, while another given one does, is attributed to that one. A draft
    without any mark gets the documents that state its sentences as citations.
    """
    text, invalid = _valid_only(draft, documents, withheld)
    text = "".join(_reattribute(sentence, documents) for sentence in cited_sentences(text))
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


def _valid_only(
    draft: str, documents: Sequence[Document], withheld: Sequence[str]
) -> tuple[str, int]:
    """Remove the marks of unknown documents, until no removal has made a new one."""
    names, invalid = Names(documents, withheld), 0

    def keep_valid(match: re.Match[str]) -> str:
        nonlocal invalid
        if match["code"] is not None:
            return match[0]
        valid, unknown = names.read(match["ids"])
        if not valid and (not unknown or _is_quoted(match, documents)):
            return match[0]
        invalid += unknown
        return "".join(f"{match['gap']}[{identifier}]" for identifier in valid)

    text = MARK.sub(keep_valid, draft)
    while text != draft:
        draft, text = text, MARK.sub(keep_valid, text)
    return text, invalid


def _is_quoted(match: re.Match[str], documents: Sequence[Document]) -> bool:
    """Tell a document's own ``items[0]`` from a mark that is glued to a word."""
    before = match.string[max(0, match.start() - _LONGEST_WORD) : match.start()]
    word = None if match["gap"] else _WORD_BEFORE.search(before)
    quoted = f"{word[0]}{match[0]}" if word else None
    return quoted is not None and any(quoted in document["content"] for document in documents)


def _reattribute(sentence: str, documents: Sequence[Document]) -> str:
    by_id = {document["id"]: document for document in documents}
    cited = [identifier for identifier in marks(sentence) if identifier in by_id]
    if len(cited) != 1:
        return sentence
    claim = without_marks(sentence, cited)
    best = best_support(claim, documents)
    now = support(claim, by_id[cited[0]]["content"])
    if best is None or best[1] < _STATES_IT or best[1] < now + _CLEARLY_BETTER:
        return sentence
    return sentence.replace(f"[{cited[0]}]", f"[{best[0]['id']}]")
