"""Decide for each path whether to retrieve; no model is asked."""

from nodes.events import note
from state.outcome import Update
from state.self_rag import (
    Candidate,
    DecidedBy,
    Decision,
    Proposal,
    Retrieve,
    SelfRagContext,
    SelfRagState,
)

BELOW_THRESHOLD = "The model wanted a document, but P(Retrieve=Yes) is not above the threshold."


def decide(state: SelfRagState, context: SelfRagContext) -> Update:
    """Decide for each proposal; one that needs no passage becomes its path's candidate."""
    decisions: list[Decision] = []
    kept: list[Candidate] = []
    for proposal in state["proposals"]:
        if proposal["step"] != state["step"]:
            continue
        at_hand = bool(state["paths"][proposal["path"]]["passages"])
        retrieve, by = decision(proposal, context.retrieve_threshold, at_hand=at_hand)
        decided: Decision = {
            "step": proposal["step"],
            "path": proposal["path"],
            "retrieve": retrieve,
            "p_retrieve": proposal["p_retrieve"],
            "decided_by": by,
        }
        note("decision", **decided)
        decisions.append(decided)
        if retrieve == "No":
            kept.append(_candidate(proposal))
    return {"decisions": decisions, "candidates": kept}


def decision(proposal: Proposal, threshold: float, *, at_hand: bool) -> tuple[Retrieve, DecidedBy]:
    """Decide whether to retrieve, to reuse the passages at hand, or to write without.

    Args:
        proposal: What the model wrote.
        threshold: Retrieve when P(Retrieve=Yes) is above it.
        at_hand: Whether there are passages to reuse.

    Returns:
        The decision and what it rests on. Without probabilities the emitted token decides;
        then "Continue" with nothing at hand asks for evidence, and so does a text without a
        readable token, unless that text ends the answer.
    """
    emitted, p_yes = proposal["emitted"], proposal["p_retrieve"]
    if p_yes is not None:
        if p_yes > threshold:
            return "Yes", "probability"
        return ("Continue" if emitted == "Continue" and at_hand else "No"), "probability"
    if emitted == "Continue" and not at_hand:
        return "Yes", "token"
    if emitted is not None:
        return emitted, "token"
    return ("No" if proposal["end"] else "Yes"), "unreadable"


def _candidate(proposal: Proposal) -> Candidate:
    unheard = proposal["emitted"] == "Yes" and not proposal["text"]
    candidate: Candidate = {
        "step": proposal["step"],
        "path": proposal["path"],
        "rank": 0,
        "passage": None,
        "text": proposal["text"],
        "is_rel": None,
        "is_sup": None,
        "is_use": proposal["is_use"],
        "score": proposal["score"],
        "scored_by": proposal["scored_by"],
        "problem": "",
        "end": BELOW_THRESHOLD if unheard else proposal["end"],
        "left_out": [],
    }
    note("candidate", **candidate)
    return candidate
