"""Write an answer from documents: what every graph's generator shares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nodes.calls import Packed, Steps, Text, ask, pack
from nodes.citations import Cited, cite
from nodes.events import note
from prompts import load
from state.documents import Document
from state.errors import ContextOverflow


@dataclass(frozen=True)
class Written:
    """An answer, and what it was written from.

    Attributes:
        cited: The text with valid citations only.
        packed: The documents as the generator saw them, and what was left out.
        model: Who wrote it.
    """

    cited: Cited
    packed: Packed
    model: str


def write_answer(
    question: str,
    documents: Sequence[Document],
    *,
    readers: tuple[str, ...] = ("generator",),
    draft: str = "",
    unsupported_claims: Sequence[str] = (),
    earlier_drafts: int = 0,
    withheld: Sequence[str] = (),
) -> Steps[Written]:
    """Ask the generator; once more with half of the evidence when the prompt was too long.

    Args:
        question: The user's own question.
        documents: Best first; as many as fit are shown.
        readers: The roles that are going to read them; the smallest window counts.
        draft: An earlier draft that did not pass its check.
        unsupported_claims: That draft's claims to drop or fix.
        earlier_drafts: How many drafts did not pass; a model at temperature 0 that is sent
            the very same prompt writes the very same draft.
        withheld: Ids of documents that were retrieved and rejected; a citation of one is
            removed.

    Raises:
        ContextOverflow: Half of the evidence is too long as well, or none of it fits.
    """
    before = {
        "draft": draft,
        "unsupported_claims": list(unsupported_claims),
        "earlier_drafts": earlier_drafts,
    }
    for share in (1.0, 0.5):
        packed = yield from pack(documents, *readers, question=question, share=share)
        try:
            reply = yield from _ask(question, packed, before)
            break
        except ContextOverflow:
            if share < 1:
                raise
    cited = cite(reply.text, packed.documents, withheld)
    note("draft", invalid_citations=cited.invalid, again=bool(draft), model=reply.model)
    return Written(cited, packed, reply.model)


def _ask(question: str, packed: Packed, before: Mapping[str, Any]) -> Steps[Text]:
    if not packed.documents:
        raise ContextOverflow("The question leaves no room for a document in the window.")
    reply = yield from ask(
        "generator", load("answer"), question=question, docs=packed.documents, **before
    )
    return reply
