"""Write from numbered chunks: what the answer and the fallback share."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.calls import Ask, Packed, Steps, Text, pack
from nodes.citations import cite
from nodes.events import note
from nodes.marks import without_marks
from nodes.study.evidence import numbered
from nodes.study.language import instruction
from prompts import load
from state.documents import Document
from state.errors import ContextOverflow
from state.outcome import Citation, LeftOut
from state.study import Chunk, StudyContext


@dataclass(frozen=True, slots=True)
class Written:
    """A text from chunks, and what it stands on.

    Attributes:
        text: The text to show.
        citations: One per cited source, in order of first mention.
        documents: The chunks that were shown, in the order of their numbers.
        left_out: Chunks that did not fit the model's window, by their ids.
        invalid: Marks of chunks that were not given, removed.
    """

    text: str
    citations: list[Citation]
    documents: list[Document]
    left_out: list[LeftOut]
    invalid: int


def write(
    prompt: str, question: str, chunks: Sequence[Chunk], context: StudyContext
) -> Steps[Written]:
    """Ask the generator; once more with half of the evidence when the prompt was too long.

    The draft cites chunks by number. A number is looked up once, here, and everything after
    goes by the chunk's id (reading 10).
    """
    for share in (1.0, 0.5):
        packed = yield from pack(
            numbered(chunks), "generator", question=question, share=share, model=context.llm_model
        )
        try:
            reply = yield from _ask(prompt, question, packed, context)
            break
        except ContextOverflow:
            if share < 1:
                raise
    by_number = {str(n): chunk for n, chunk in enumerate(chunks, 1)}
    cited = cite(reply.text, packed.documents)
    note("draft", prompt=prompt, invalid_citations=cited.invalid, model=reply.model)
    text = cited.text if context.citation_marks else without_marks(cited.text, list(by_number))
    return Written(
        text.strip(),
        _by_source([{**c, "id": by_number[c["id"]]["id"]} for c in cited.citations]),
        [_shown(by_number[d["id"]], d["content"]) for d in packed.documents],
        [{**out, "id": by_number[out["id"]]["id"]} for out in packed.left_out],
        cited.invalid,
    )


def _ask(prompt: str, question: str, packed: Packed, context: StudyContext) -> Steps[Text]:
    reply: Text = yield Ask(
        "generator",
        load(prompt),
        {
            "question": question,
            "docs": packed.documents,
            "language": instruction(context.language),
        },
        model=context.llm_model,
    )
    return reply


def _shown(chunk: Chunk, content: str) -> Document:
    about = {"origin": chunk["origin"], "score": chunk["score"]}
    return {"id": chunk["id"], "content": content, "metadata": chunk["metadata"] | about}


def _by_source(citations: Sequence[Citation]) -> list[Citation]:
    """Keep one citation per source: two chunks of one page are one source to a reader."""
    return list({c["source"]: c for c in reversed(citations)}.values())[::-1]
