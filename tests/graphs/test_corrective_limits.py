"""A caller's recursion limit, smaller than the caps need, ends the run as a cap does."""

import pytest

from tests.graphs.corrective_kit import COLOURS, Kit, on, rejecting, run
from tests.stubs import checked

# start, retrieve, grade, select, generate, check, trim; LangGraph wants one step to spare.
LIMIT_FOR_ONE_DRAFT = 7 + 1
CLAIM = "Acme Ltd has 500 staff"
DRAFT = "Acme Ltd runs payroll [d1]. Acme Ltd has 500 staff [d1]."


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("spare", range(12))
async def test_the_run_ends_within_any_limit_that_allows_one_draft(colour, spare):
    kit = Kit(generator=DRAFT, checker=checked(CLAIM))
    limit = LIMIT_FOR_ONE_DRAFT + spare
    nodes, out = await run(kit, colour, config=on(None, recursion_limit=limit), max_regenerations=5)
    assert nodes[-1] == "trim"
    assert out["answer"] == "Acme Ltd runs payroll [d1]."
    assert out["status"] == "partly_supported"
    assert out["regenerations"] == min(spare // 2, 5)


def test_the_stop_reason_says_that_it_was_the_limit():
    kit = Kit(generator=DRAFT, checker=checked(CLAIM))
    out = kit.graph.invoke({"question": "Who?"}, {"recursion_limit": 11})
    assert out["stop_reason"].startswith(
        "The check did not fully pass after 1 regeneration, where the run's recursion limit "
        "ended it; 1 unsupported claim(s) were removed"
    )


def test_a_limit_that_suffices_changes_nothing():
    kit = Kit(generator=DRAFT, checker=checked(CLAIM))
    out = kit.graph.invoke({"question": "Who?"}, {"recursion_limit": 12})
    assert out["regenerations"] == 2
    assert "recursion limit" not in out["stop_reason"]


def test_the_way_over_the_web_is_limited_in_the_same_way():
    kit = rejecting(checker=checked(CLAIM), generator=DRAFT.replace("d1", "w1"))
    out = kit.graph.invoke({"question": "Who?"}, {"recursion_limit": 11})
    assert (out["regenerations"], out["status"]) == (0, "partly_supported")
