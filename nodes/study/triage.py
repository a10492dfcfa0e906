"""Classify the question and split a complex one (document 003, node 1)."""

import re
from dataclasses import dataclass
from typing import Any, get_args

from nodes.calls import Ask, Steps, Text
from nodes.events import note
from nodes.intake import fresh
from nodes.study.language import language_of
from nodes.study.replies import CHITCHAT, REFUSALS, Kind
from nodes.study.rules import rule
from prompts import load
from state.errors import ModelUnavailable
from state.outcome import Update
from state.study import Intent, Language, StudyContext, StudyState, Topic

_INTENTS = get_args(Intent)
_TOPICS = get_args(Topic)
_MARKUP = r"(?:[^\w\n]|_)*"
_LINE = rf"^{_MARKUP}{{name}}{_MARKUP}?[:=\-–](.*)$"
_FLAGS = re.IGNORECASE | re.MULTILINE
_INTENT = re.compile(_LINE.format(name="(?:intent|class|category)"), _FLAGS)
_TOPIC = re.compile(_LINE.format(name="(?:topic|reason)"), _FLAGS)
_SUB = re.compile(_LINE.format(name=r"sub[ _-]?(?:question|query|queries)?s?[ _]*\d*"), _FLAGS)
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Triage:
    """What a question is.

    Attributes:
        intent: Its class.
        topic: Why it is unsafe; else empty.
        kind: Which ready reply fits chitchat.
        sub_questions: Non-empty only for a complex question.
        tier: 0 when the rules decided, 1 when the model did.
    """

    intent: Intent
    topic: Topic = ""
    kind: Kind = "smalltalk"
    sub_questions: tuple[str, ...] = ()
    tier: int = 0


def triage(state: StudyState, context: StudyContext) -> Steps[Update]:
    """Let the rules decide, else the model; whatever goes wrong takes the complex path."""
    clean = _start_clean(state)
    question = clean["question"]
    found = _by_rules(question)
    if found is None:
        found = yield from _by_model(question, context)
    note("triage", question=question, intent=found.intent, topic=found.topic, tier=found.tier)
    language = language_of(question, context.language)
    return {
        **clean,
        "intent": found.intent,
        "topic": found.topic,
        "triage_tier": found.tier,
        "language": language,
        "sub_questions": list(found.sub_questions),
        "reply": _ready_reply(found, language),
    }


def read_triage(reply: str, question: str, most: int) -> Triage | None:
    """Read a line-based reply; ``None`` when it names no class, or several.

    Args:
        reply: What the model wrote.
        question: Stands for itself when a complex question was not split.
        most: How many sub-questions to keep.
    """
    lines = _INTENT.findall(reply) or [reply]
    named = {word for line in lines for word in _words(line) if word in _INTENTS}
    if len(named) != 1 or (lines == [reply] and len(reply.split()) > 1):
        return None
    intent: Intent = named.pop()  # type: ignore[assignment]
    if intent == "complex":
        return Triage(intent, sub_questions=_sub_questions(reply, question, most), tier=1)
    topics = [word for line in _TOPIC.findall(reply) for word in _words(line) if word in _TOPICS]
    topic: Topic = topics[0] if topics and intent == "unsafe" else ""  # type: ignore[assignment]
    return Triage(intent, topic=topic, tier=1)


def _by_rules(question: str) -> Triage | None:
    ruling = rule(question)
    if ruling is None:
        return None
    return Triage(ruling.intent, topic=ruling.topic, kind=ruling.kind or "smalltalk")


def _by_model(question: str, context: StudyContext) -> Steps[Triage]:
    on_trouble = Triage("complex", sub_questions=(question,), tier=1)
    try:
        reply: Text = yield Ask(
            "triage",
            load("study_triage"),
            {"question": question, "most": context.max_subqueries},
            model=context.llm_model,
            seconds=context.triage_timeout_s,
        )
    except ModelUnavailable as error:
        note("triage_failed", reason=str(error))
        return on_trouble
    found = read_triage(reply.text, question, context.max_subqueries)
    if found is None:
        note("unreadable_triage", model=reply.model, raw=reply.text)
    return found or on_trouble


def _sub_questions(reply: str, question: str, most: int) -> tuple[str, ...]:
    labelled = [line.strip(" \t*_`") for line in _SUB.findall(reply)]
    listed = [line.strip(" \t*_`") for line in _ITEM.findall(reply)]
    split = [line for line in labelled if line] or listed
    split = [line for line in split if not _INTENT.match(line)]
    return tuple(dict.fromkeys(split))[:most] or (question,)


def _words(line: str) -> list[str]:
    return re.findall(r"[a-z]+", line.casefold())


def _ready_reply(found: Triage, language: Language) -> str | None:
    if found.intent == "chitchat":
        return CHITCHAT[found.kind][language]
    return REFUSALS[found.topic][language] if found.intent == "unsafe" else None


def _start_clean(state: StudyState) -> dict[str, Any]:
    """Reset what a run collects, whatever the thread held before."""
    return {
        **fresh(state),
        "usage": None,
        "original_q": "",
        "sources_to_use": [],
        "search_query": "",
        "tool_queries": {},
        "raw_results": [],
        "new_chunks": [],
        "tried_sources": [],
        "pool": [],
        "ranked": [],
        "verdict": None,
        "likely_cause": "none",
        "missing": "",
        "retries": 0,
        "low_confidence": False,
        "sources": None,
        "rerankings": None,
        "evaluations": None,
        "invalid_citations": 0,
    }
