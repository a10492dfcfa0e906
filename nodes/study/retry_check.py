"""Count a pass that did not suffice (document 003, node 11)."""

from nodes.events import note
from nodes.study.retrieve import all_failed
from state.outcome import Update
from state.study import StudyContext, StudyState, top_score


def retry_check(state: StudyState, context: StudyContext) -> Update:
    """Raise the counter before the gate looks at it: 1 and 2 go back, 3 goes to fallback."""
    retries = state["retries"] + 1
    note(
        "retry",
        retries=retries,
        top_score=top_score(state),
        verdict=state["verdict"],
        missing=state["missing"],
    )
    return {"retries": retries, "stop_reason": _why(state, context)}


def _why(state: StudyState, context: StudyContext) -> str:
    """Say what was wrong with the pass."""
    if all_failed(state):
        return "Every source that was asked failed: " + "; ".join(
            sorted(
                {report["error"] for report in state["sources"] if report["outcome"] == "failed"}
            )
        )
    if not state["ranked"]:
        return "The sources gave nothing."
    best = top_score(state)
    simple = state["intent"] == "simple"
    limit = context.simple_threshold if simple else context.low_threshold
    if best <= limit:
        return f"The best chunk scored {best:.2f}, not over {limit:g}."
    missing = f"; missing: {state['missing'].rstrip('.')}" if state["missing"] else ""
    return f"The evaluator found the evidence {state['verdict']}{missing}."
