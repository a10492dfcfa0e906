"""Write a draft from the documents, with citations."""

from nodes.abstention import abstains
from nodes.calls import Packed, Steps, Text, ask, pack
from nodes.citations import cite
from nodes.events import note
from prompts import load
from state.corrective import CorrectiveState
from state.errors import ContextOverflow
from state.outcome import Update

DOES_NOT_SAY = "The documents do not contain the answer."


def generate(state: CorrectiveState, context: object) -> Steps[Update]:
    """Write a draft, or write it again without the claims that were not supported."""
    packed, reply = yield from _write(state)
    cited = cite(reply.text, packed.documents)
    again = bool(state["checks"])
    note("draft", regeneration=again, invalid_citations=cited.invalid, model=reply.model)
    return {
        "draft": cited.text,
        "citations": cited.citations,
        "documents": packed.documents,
        "left_out": [*state["left_out"], *packed.left_out],
        "invalid_citations": state["invalid_citations"] + cited.invalid,
        "regenerations": state["regenerations"] + again,
        "stop_reason": DOES_NOT_SAY if abstains(cited.text) else "",
    }


def _write(state: CorrectiveState) -> Steps[tuple[Packed, Text]]:
    """Ask the generator; once more with half of the evidence when the prompt was too long."""
    packed = yield from _evidence(state, share=1.0)
    try:
        reply = yield from _ask(state, packed)
    except ContextOverflow:
        packed = yield from _evidence(state, share=0.5)
        reply = yield from _ask(state, packed)
    return packed, reply


def _evidence(state: CorrectiveState, share: float) -> Steps[Packed]:
    return pack(state["documents"], "generator", "checker", question=state["question"], share=share)


def _ask(state: CorrectiveState, packed: Packed) -> Steps[Text]:
    return ask(
        "generator",
        load("answer"),
        question=state["question"],
        docs=packed.documents,
        draft=state["draft"],
        unsupported_claims=state["unsupported_claims"],
    )
