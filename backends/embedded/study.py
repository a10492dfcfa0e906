"""The study graph's own roles without a model: triage, router, evaluator."""

import re
from collections.abc import Sequence

from backends.embedded.evidence import Question, score
from backends.embedded.wording import stem, stems
from nodes.text import fold
from state.documents import Document

_SEVERAL = re.compile(
    r"\b(?:compar\w+|contrast\w*|difference|differ|differs|similarit\w+|versus|vs|both|in common|"
    r"respectively|relationship between|same (?:\w+ )?as|prove|derive|step by step)\b"
    r"|\b(?:which|who|what|are|is|was|were|do|does|did)\b.*\b(?:older|younger|larger|bigger|smaller|longer|"
    r"shorter|earlier|later|first|more|most|closer|higher|taller|older)\b.*\bor\b"
    r"|^(?:are|is|were|was|do|does|did) .+\band\b .+\b(?:both|same|also|from|located|considered)\b"
    r"|قارن|الفرق بين|ما الفرق|كلا من|العلاقة بين|اثبت|ايهما"
)
_NESTED = re.compile(
    r"\b(?:that|which|who|whose|where|in which|of which|for which|by the|of the)\b", re.IGNORECASE
)
_ASKS = re.compile(
    r"(?:,\s*|;\s*|\.\s+|\s+)(?:and|و)\s*(?=(?:what|who|whom|when|where|why|how|which|ما|من|متى|متي|اين|كيف|"
    r"لماذا|هل)\b)",
    re.IGNORECASE,
)
_COMPARING = frozenset(stems("compare contrast difference differ similarity versus قارن الفرق"))
_LONG = 16
_MOST_MISSING = 6


class Triage:
    """Tells a question that needs several facts by its wording; the rules saw the rest."""

    name = "embedded rules"

    def __call__(self, question: str, most: int = 3) -> str:
        """Return the lines that a model would; sub-questions only where the text has them."""
        parts = _parts(question)
        if len(parts) > 1:
            return "\n".join(["INTENT: complex", *(f"SUB: {part}" for part in parts[:most])])
        return f"INTENT: {'complex' if _needs_several_facts(question) else 'simple'}"


class Router:
    """Calls no tool: the curated index is asked, which needs no network."""

    name = "embedded rules"

    def __call__(self, question: str) -> list[dict[str, str]]:
        """Return no choice."""
        return []


class Evaluator:
    """Judges by nearness, and by which of the question's words the passages lack."""

    name = "embedded extractive"

    def __call__(self, question: str, docs: Sequence[Document]) -> str:
        """Return the three lines; it cannot tell whether what is on the topic answers."""
        asked = Question(question)
        scores = [unit.score for document in docs for unit in score(asked, document)]
        missing = _missing(asked, docs)
        if max(scores, default=0.0) < asked.threshold:
            return _lines("incorrect", missing)
        return _lines("ambiguous", missing) if missing else _lines("correct", [])


def _parts(question: str) -> list[str]:
    """Split at question marks, and where a further question begins."""
    whole = [part.strip() for part in re.findall(r"[^?؟]+[?؟]*", question) if part.strip()]
    parts = [part for each in whole for part in _ASKS.split(each)]
    parts = [part.strip(" ,;.") for part in parts if len(part.split()) > 1]
    return [part if part.endswith(("?", "؟")) else f"{part}?" for part in parts]


def _needs_several_facts(question: str) -> bool:
    folded = " ".join(fold(question).split())
    long = len(folded.split()) >= _LONG
    return bool(_SEVERAL.search(folded)) or (long and len(_NESTED.findall(folded)) > 1)


def _missing(asked: Question, docs: Sequence[Document]) -> list[str]:
    there = frozenset[str]().union(
        *(stems(doc["content"]) | stems(str(doc["metadata"].get("title") or "")) for doc in docs)
    )
    lacking = asked.terms - there - _COMPARING
    words = re.findall(r"\w+", asked.text)
    return [word for word in dict.fromkeys(words) if stem(fold(word)) in lacking]


def _lines(verdict: str, missing: Sequence[str]) -> str:
    cause = "none" if verdict == "correct" else "bad_query"
    named = " ".join(missing[:_MOST_MISSING]) or "none"
    return f"VERDICT: {verdict}\nCAUSE: {cause}\nMISSING: {named}"
