"""Write a candidate segment from one passage, and read what the model says of it."""

from nodes.calls import Steps, Text, ask_with_logprobs, pack
from nodes.events import note
from nodes.self_rag.continuation import continuation
from nodes.self_rag.reflection import read
from nodes.self_rag.scoring import LOWEST, score
from prompts import load
from state.errors import ContextOverflow, ModelUnavailable
from state.outcome import LeftOut, Update
from state.self_rag import Candidate, SelfRagContext, Writing, WritingTask


def write(state: WritingTask, context: SelfRagContext) -> Steps[Update]:
    """Write one candidate per passage; one that cannot be had never fails the run."""
    candidates: list[Candidate] = []
    for writing in state["writings"]:
        candidate = yield from _write(state, writing, context)
        note("candidate", **candidate)
        candidates.append(candidate)
    return {"candidates": candidates}


def _write(state: WritingTask, writing: Writing, context: SelfRagContext) -> Steps[Candidate]:
    blank = _blank(state["step"], writing)
    try:
        reply, left_out = yield from _ask(state["question"], writing)
    except ModelUnavailable as error:
        note("candidate_failed", passage=blank["passage"], reason=str(error))
        return {**blank, "problem": "failed"}
    if reply is None:
        return {**blank, "problem": "too long", "left_out": left_out}
    said = read(reply.text)
    scored = score(reply, said, passage=True, context=context)
    if not scored.readable:
        note("unreadable_candidate", passage=blank["passage"], model=reply.model, raw=reply.text)
    text, end = continuation(said.text, writing["path"]["text"])
    return {
        **blank,
        "text": text,
        "is_rel": said.is_rel,
        "is_sup": said.is_sup,
        "is_use": said.is_use,
        "score": scored.value,
        "scored_by": scored.by,
        "problem": "" if scored.readable else "unreadable",
        "end": end,
        "left_out": left_out,
    }


def _ask(question: str, writing: Writing) -> Steps[tuple[Text | None, list[LeftOut]]]:
    """Ask with the passage; once more with half of it when the prompt was too long."""
    answer, left_out = writing["path"]["text"], []
    for share in (1.0, 0.5):
        packed = yield from pack(
            [writing["passage"]], "generator", question=question + answer, share=share
        )
        left_out = packed.left_out
        if not packed.documents:
            break
        try:
            reply = yield from ask_with_logprobs(
                "generator",
                load("self_reflective_answer"),
                question=question,
                answer=answer,
                passage=packed.documents[0],
            )
        except ContextOverflow:
            continue
        return reply, left_out
    return None, left_out


def _blank(step: int, writing: Writing) -> Candidate:
    return {
        "step": step,
        "path": writing["path"]["place"],
        "rank": writing["rank"],
        "passage": writing["passage"]["id"],
        "text": "",
        "is_rel": None,
        "is_sup": None,
        "is_use": None,
        "score": LOWEST,
        "scored_by": "tokens",
        "problem": "unreadable",
        "end": "",
        "left_out": [],
    }
