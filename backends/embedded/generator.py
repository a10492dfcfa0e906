"""Answer with the documents' own sentences."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from backends.embedded.evidence import Question, Scored, score
from backends.embedded.wording import content_stems
from state.documents import Document

NOT_FOUND = "NOT FOUND"

_MOST = 3
_MARGIN = 0.15
_BELOW = 0.1
"""How far a further sentence may score below the best one, and how far below the threshold a
sentence may score by itself when the words around it make up for it. On the development half of
SQuAD 2.0 the quotes then hold the answer to 91 % of the questions (in 3 % nothing is quoted), with
1.5 sentences each; from four paragraphs of one article, to 90 %."""

_SAME = 0.9
_CARRIES = 0.7


class Generator:
    """Quotes the sentences nearest to the question, each with its citation."""

    name = "embedded extractive"

    def __call__(
        self, question: str, docs: Sequence[Document], unsupported_claims: Sequence[str] = ()
    ) -> str:
        """Return at most three sentences, word for word, in the order of the documents.

        Args:
            question: The question.
            docs: What to quote from.
            unsupported_claims: What carries one of them is not quoted.

        Returns:
            The quotes with their ``[id]``, several as a list; or ``NOT FOUND`` when no sentence
            is near enough.
        """
        asked = Question(question)
        claims = [content_stems(claim) for claim in unsupported_claims]
        quotes = [
            quote
            for place, document in enumerate(docs)
            for quote in _quotes(asked, place, document)
            if not _carries(quote.words, claims)
        ]
        if not any(quote.score >= asked.threshold for quote in quotes):
            return NOT_FOUND
        chosen = _best(_rows_asked_for(quotes))
        lines = [f"{quote.text} [{quote.document_id}]" for quote in chosen]
        return lines[0] if len(lines) == 1 else "\n".join(f"- {line}" for line in lines)


class _Quote(NamedTuple):
    """A sentence that may be quoted; sorts by its place in the documents."""

    document: int
    place: int
    score: float
    alone: float
    text: str
    document_id: str
    words: frozenset[str]
    is_row: bool
    asked: int
    """Terms of the question in it."""


def _quotes(asked: Question, number: int, document: Document) -> Iterable[_Quote]:
    for scored in score(asked, document):
        if scored.alone >= asked.threshold - _BELOW:
            yield _quote(asked, scored, number, document["id"])


def _quote(asked: Question, scored: Scored, number: int, document_id: str) -> _Quote:
    unit = scored.unit
    return _Quote(
        number,
        scored.place,
        scored.score,
        scored.alone,
        unit.quote,
        document_id,
        content_stems(unit.quote),
        unit.kind == "row",
        len(asked.terms & unit.words),
    )


def _rows_asked_for(quotes: Sequence[_Quote]) -> list[_Quote]:
    """Leave out table rows that have fewer of the question's terms than another row.

    Rows of one table read alike, and only the name in them says which one is meant.
    """
    most = max((quote.asked for quote in quotes if quote.is_row), default=0)
    return [quote for quote in quotes if not quote.is_row or quote.asked == most]


def _best(quotes: Sequence[_Quote]) -> list[_Quote]:
    """Choose the best, no two of which say the same, and put them in the documents' order."""
    ranked = sorted(quotes, key=lambda quote: (-quote.alone, quote))
    chosen: list[_Quote] = []
    for quote in ranked:
        near = quote.alone >= ranked[0].alone - _MARGIN
        if near and not any(_share(quote.words, other.words) >= _SAME for other in chosen):
            chosen.append(quote)
        if len(chosen) == _MOST:
            break
    return sorted(chosen)


def _carries(words: frozenset[str], claims: Sequence[frozenset[str]]) -> bool:
    return any(_share(words, claim) >= _CARRIES for claim in claims)


def _share(left: frozenset[str], right: frozenset[str]) -> float:
    """Return how far the shorter text stands in the longer one, in [0, 1]."""
    return len(left & right) / max(1, min(len(left), len(right)))
