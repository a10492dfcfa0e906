"""Judge whether the evidence answers the question (document 003, node 10)."""

import re
from dataclasses import dataclass

from nodes.calls import Ask, Steps, Text, pack
from nodes.events import note
from nodes.study.evidence import numbered, worth_reading
from prompts import load
from state.errors import ModelUnavailable
from state.outcome import Update
from state.study import Cause, Evaluation, EvidenceVerdict, StudyContext, StudyState

_MARKUP = r"(?:[^\w\n]|_)*"
_LINE = rf"^{_MARKUP}{{name}}{_MARKUP}?[:=\-–](.*)$"
_VERDICT = re.compile(_LINE.format(name="verdict"), re.IGNORECASE | re.MULTILINE)
_CAUSE = re.compile(_LINE.format(name="(?:likely[ _])?cause"), re.IGNORECASE | re.MULTILINE)
_MISSING = re.compile(_LINE.format(name="missing"), re.IGNORECASE | re.MULTILINE)
_VERDICTS: dict[str, EvidenceVerdict] = {
    "correct": "correct",
    "ambiguous": "ambiguous",
    "incorrect": "incorrect",
}
_NOTHING = {"", "none", "nothing", "n a", "na", "no", "لا شيء", "لا يوجد"}
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Judgement:
    """A reply as it was read."""

    verdict: EvidenceVerdict
    cause: Cause
    missing: str


def evaluator(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Ask one judge; a reply that cannot be read, or none, counts as ambiguous."""
    found = yield from _ask(state, context)
    note("evaluation", **found)
    return {
        "verdict": found["verdict"],
        "likely_cause": found["likely_cause"],
        "missing": found["missing"],
        "evaluations": [found],
    }


def read_judgement(reply: str) -> Judgement | None:
    """Read ``VERDICT / CAUSE / MISSING`` lines; ``None`` when there is no one verdict.

    Case, markup, order and missing lines do not matter; a bare verdict word will do.
    """
    lines = _VERDICT.findall(reply) or ([reply] if len(reply.split()) == 1 else [])
    named = {word for line in lines for word in _words(line) if word in _VERDICTS}
    if len(named) != 1 or any("not" in _words(line) for line in lines):
        return None
    verdict = _VERDICTS[named.pop()]
    cause = " ".join(_words(" ".join(_CAUSE.findall(reply))))
    missing = " ".join(line.strip(" \t*_`\"',{}") for line in _MISSING.findall(reply))[:_LONGEST]
    if verdict == "correct":
        return Judgement(verdict, "none", "")
    plain = " ".join(re.findall(r"\w+", missing.casefold()))
    return Judgement(
        verdict, "bad_query" if "bad" in cause else "none", "" if plain in _NOTHING else missing
    )


def _ask(state: StudyState, context: StudyContext) -> Steps[Evaluation]:
    evidence = worth_reading(state["ranked"], context)
    packed = yield from pack(
        numbered(evidence), "evaluator", question=state["original_q"], model=context.llm_model
    )
    try:
        reply: Text = yield Ask(
            "evaluator",
            load("study_evaluator"),
            {"question": state["original_q"], "docs": packed.documents},
            model=context.llm_model,
        )
    except ModelUnavailable as error:
        note("evaluator_failed", reason=str(error))
        return _evaluation(state, None, "failed")
    found = read_judgement(reply.text)
    if found is None:
        note("unreadable_evaluation", model=reply.model, raw=reply.text)
    return _evaluation(state, found, "" if found else "unreadable")


def _evaluation(state: StudyState, found: Judgement | None, problem: str) -> Evaluation:
    return {
        "attempt": state["retries"],
        "verdict": found.verdict if found else "ambiguous",
        "likely_cause": found.cause if found else "bad_query",
        "missing": found.missing if found else "",
        "problem": problem,  # type: ignore[typeddict-item]
    }


def _words(line: str) -> list[str]:
    return re.findall(r"[a-z]+", line.casefold())
