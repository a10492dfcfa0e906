"""Every route through the corrective graph: which nodes run, in which order, in four colours."""

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from tests.graphs.corrective_kit import COLOURS, GRADED, Kit, on, rejecting, run
from tests.stubs import checked, documents, grade, in_turn

pytestmark = pytest.mark.parametrize("colour", COLOURS)

UNSUPPORTED = checked("Acme Ltd runs payroll")
AGAIN = ["generate", "check"]
TO_THE_WEB = [*GRADED, "rewrite", "search_web"]


async def test_relevant_documents_are_answered_from(colour):
    nodes, out = await run(Kit(), colour)
    assert nodes == [*GRADED, "generate", "check", "accept"]
    assert out["status"] == "answered"


async def test_one_relevant_document_is_enough(colour):
    nodes, out = await run(Kit(grader=lambda prompt: grade("canteen" in prompt)), colour)
    assert nodes == [*GRADED, "generate", "check", "accept"]
    assert [document["id"] for document in out["documents"]] == ["d3"]


async def test_one_rejected_document_among_four_does_not_send_anything_to_the_web(colour):
    kit = Kit(grader=lambda prompt: grade("canteen" not in prompt))
    nodes, out = await run(kit, colour)
    assert "search_web" not in nodes
    assert [document["id"] for document in out["documents"]] == ["d1", "d2", "d4"]


async def test_without_a_relevant_document_the_web_is_searched(colour):
    nodes, out = await run(rejecting(), colour)
    assert nodes == [*TO_THE_WEB, "generate", "check", "accept"]
    assert out["status"] == "answered"


async def test_an_empty_index_goes_to_the_web_without_a_grader_call(colour):
    kit = rejecting(found=[])
    nodes, _ = await run(kit, colour)
    assert nodes == ["start", "retrieve", "select", *TO_THE_WEB[-2:], "generate", "check", "accept"]
    assert kit.heard()["grader"] == 0


async def test_with_the_web_off_nothing_relevant_is_not_found(colour):
    kit = rejecting()
    nodes, out = await run(kit, colour, web_search="off")
    assert nodes == [*GRADED, "not_found"]
    assert out["status"] == "not_found"
    assert kit.heard() | {"grader": 0, "index": 0} == dict.fromkeys(kit.heard(), 0)


async def test_a_web_search_without_results_is_not_found(colour):
    nodes, out = await run(rejecting(web=[]), colour)
    assert nodes == [*TO_THE_WEB, "not_found"]
    assert out["status"] == "not_found"


async def test_with_the_web_on_demand_the_run_stops_before_the_search(colour):
    kit = rejecting(saver=InMemorySaver())
    nodes, _ = await run(kit, colour, config=on("t"), web_search="ask")
    assert nodes == [*GRADED, "rewrite", "__interrupt__"]
    assert kit.web.heard == []


async def test_a_draft_with_an_unsupported_claim_is_written_again(colour):
    nodes, out = await run(Kit(checker=in_turn(UNSUPPORTED, checked())), colour)
    assert nodes == [*GRADED, *AGAIN * 2, "accept"]
    assert (out["regenerations"], out["status"]) == (1, "answered")


async def test_a_second_regeneration_may_pass_too(colour):
    nodes, out = await run(Kit(checker=in_turn(UNSUPPORTED, UNSUPPORTED, checked())), colour)
    assert nodes == [*GRADED, *AGAIN * 3, "accept"]
    assert (out["regenerations"], out["status"]) == (2, "answered")


async def test_the_draft_of_the_cap_is_trimmed(colour):
    kit = Kit(
        generator="Acme Ltd runs payroll [d1]. It is paid on the 25th [d2].", checker=UNSUPPORTED
    )
    nodes, out = await run(kit, colour)
    assert nodes == [*GRADED, *AGAIN * 3, "trim"]
    assert (out["regenerations"], out["status"]) == (2, "partly_supported")


@pytest.mark.parametrize("cap", [0, 1, 2, 10])
async def test_a_cap_of_n_gives_n_plus_one_drafts_and_checks(colour, cap):
    kit = Kit(checker=UNSUPPORTED)
    nodes, out = await run(kit, colour, max_regenerations=cap)
    assert nodes == [*GRADED, *AGAIN * (cap + 1), "trim"]
    assert out["regenerations"] == cap
    assert (kit.heard()["generator"], kit.heard()["checker"]) == (cap + 1, cap + 1)


async def test_an_abstaining_draft_ends_without_a_check(colour):
    nodes, out = await run(Kit(generator="NOT FOUND"), colour)
    assert nodes == [*GRADED, "generate", "not_found"]
    assert out["status"] == "not_found"


async def test_a_regenerated_draft_that_abstains_ends_the_loop(colour):
    kit = Kit(generator=in_turn("Acme runs it.", "I don't know."), checker=UNSUPPORTED)
    nodes, out = await run(kit, colour)
    assert nodes == [*GRADED, "generate", "check", "generate", "not_found"]
    assert out["status"] == "not_found"


async def test_web_answers_are_checked_and_written_again_too(colour):
    kit = rejecting(checker=in_turn(UNSUPPORTED, checked()))
    nodes, out = await run(kit, colour)
    assert nodes == [*TO_THE_WEB, *AGAIN * 2, "accept"]
    assert kit.heard()["web"] == 1
    assert out["regenerations"] == 1


@pytest.mark.parametrize("top_k", [1, 2, 4, 50])
async def test_top_k_is_what_is_asked_of_the_index_and_of_the_web(colour, top_k):
    kit = rejecting(found=documents(*[f"d{n}" for n in range(60)]))
    nodes, _ = await run(kit, colour, top_k=top_k)
    assert nodes.count("grade") == top_k
    assert [k for _, k in [*kit.index.heard, *kit.web.heard]] == [top_k, top_k]


async def test_stubs_that_are_called_as_tools_take_the_same_path(colour):
    nodes, out = await run(Kit(tools=True), colour)
    assert nodes == [*GRADED, "generate", "check", "accept"]
    assert out["status"] == "answered"
