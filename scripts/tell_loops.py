"""Word the fields of the graphs that loop: ARSC and groundedness."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.text import Text

from scripts.console import short
from scripts.memory import Detail, Memory, Step, Telling, count, section

_THEN = {
    "regenerate": "written again",
    "retrieve": "searched again",
    "stop": "stopped",
    "none": "",
}


def _active_query(number: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    """ARSC counts its rewrites, and overwrites the question with the new query."""
    return [Step("•", f"New query: “{short(update.get('question'))}”")] if number else []


def _query(query: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    if not query or query == update.get("question"):
        return []
    return [Step("•", f"New query: “{short(query)}”")]


def _answer_grades(grades: Any, update: Mapping[str, Any], memory: Memory) -> list[Step]:
    return [_answer_grade(grade) for grade in grades or ()]


def _answer_grade(grade: Mapping[str, Any]) -> Step:
    if grade["grounded"] and grade["answers_question"]:
        return Step("✓", "Grounded, and answers the question")
    then = _THEN[grade["loop"]]
    found = "The grade could not be read" if grade["problem"] else _fault(grade)
    return Step("?" if grade["problem"] else "✗", f"{found}; {then}", short(grade["reason"], 300))


def _fault(grade: Mapping[str, Any]) -> str:
    if grade["grounded"]:
        return "Does not answer the question"
    claims = len(grade["unsupported_claims"])
    return f"Not grounded, {count(claims, 'claim')} unsupported" if claims else "Not grounded"


def _show_grades(
    grades: Sequence[Mapping[str, Any]], output: Mapping[str, Any], memory: Memory
) -> Iterator[Text]:
    if grades:
        again, searched = output.get("regenerations", 0), output.get("reretrievals", 0)
        loops = [f"written again {again}×"] * bool(again)
        loops += [f"searched again {searched}×"] * bool(searched)
        yield Text(f"\n{', '.join([f'Graded {len(grades)}×', *loops])}.", style="dim")


def _show_history(
    lines: Sequence[str], output: Mapping[str, Any], memory: Memory
) -> Iterator[Text]:
    return section("History", (Text(f"  {i}. {short(x, 300)}") for i, x in enumerate(lines, 1)))


STEPS: dict[str, Telling] = {
    "iteration_count": _active_query,
    "query": _query,
    "answer_grades": _answer_grades,
}
DETAILS: dict[str, Detail] = {"answer_grades": _show_grades, "context_history": _show_history}
HIDDEN = frozenset(
    "context_history iteration_count loops max_iterations original_question own_values queries "
    "query reretrievals searches".split()
)
