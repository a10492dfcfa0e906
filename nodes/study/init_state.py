"""Start the search for a study question (document 003, node 4)."""

from state.outcome import Update
from state.study import StudyContext, StudyState


def init_state(state: StudyState, context: StudyContext) -> Update:
    """Keep the question as it was asked; begin with the curated index where it is allowed."""
    first = "curated" if "curated" in context.allowed_sources else context.allowed_sources[0]
    return {
        "original_q": state["question"].strip(),
        "sources_to_use": [first],
        "retries": 0,
        "pool": [],
        "ranked": [],
        "verdict": None,
    }
