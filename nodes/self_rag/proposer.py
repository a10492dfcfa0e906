"""Ask for the next segment without a passage."""

from nodes.calls import Steps, Text, ask_with_logprobs
from nodes.events import note
from nodes.self_rag.continuation import continuation
from nodes.self_rag.probabilities import probabilities
from nodes.self_rag.reflection import read
from nodes.self_rag.scoring import score
from prompts import load
from state.outcome import Update
from state.self_rag import Path, Proposal, ProposalTask, SelfRagContext


def propose(state: ProposalTask, context: SelfRagContext) -> Steps[Update]:
    """Let the model continue each path, and say whether it wants a document for that."""
    proposals: list[Proposal] = []
    for path in state["paths"]:
        reply = yield from ask_with_logprobs(
            "generator",
            load("self_reflective_answer"),
            question=state["question"],
            answer=path["text"],
            passage=None,
        )
        proposal = _proposal(state["step"], path, reply, context)
        note("proposal", **proposal, model=reply.model, raw=reply.text)
        proposals.append(proposal)
    return {"proposals": proposals}


def _proposal(step: int, path: Path, reply: Text, context: SelfRagContext) -> Proposal:
    said = read(reply.text)
    chances = probabilities(reply, "retrieve")
    scored = score(reply, said, passage=False, context=context)
    text, end = continuation(said.text, path["text"])
    return {
        "step": step,
        "path": path["place"],
        "emitted": said.retrieve,
        "p_retrieve": None if chances is None else round(chances["Yes"], 6),
        "text": text,
        "is_use": said.is_use,
        "score": scored.value,
        "scored_by": scored.by,
        "end": end,
    }
