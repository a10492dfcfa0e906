"""Hold every claim of an answer against the documents, by rule."""

from collections.abc import Sequence
from typing import Any

from backends.embedded.statements import read_claim, statements_of
from nodes.evidence import content_words
from nodes.marks import without_marks
from nodes.text import sentences
from state.documents import Document


class Checker:
    """Calls a claim supported when one document has its numbers, names and enough of its words.

    A claim is a sentence of the answer. The rule knows no paraphrase that shares no words
    (``docs/embedded.md`` has the numbers).
    """

    name = "embedded extractive"

    def __call__(self, docs: Sequence[Document], answer: str) -> dict[str, Any]:
        """Return the fields of ``AnswerCheck``; without documents nothing is supported."""
        read = [statements_of(document["content"]) for document in docs]
        plain = without_marks(answer, [document["id"] for document in docs])
        claims = [text.strip() for text in sentences(plain) if content_words(text)]
        unsupported = [
            text
            for text in claims
            if not any(document.state(read_claim(text)) for document in read)
        ]
        return {"supported": bool(claims) and not unsupported, "unsupported_claims": unsupported}
