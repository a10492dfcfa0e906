"""Threads: clean second runs, plain checkpoints, resuming without paying again."""

import copy
import json

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command

from state.corrective import CorrectiveState
from state.errors import ModelError
from tests.graphs.corrective_kit import ANSWER, COLOURS, INDEXED, QUESTION, Kit, on, rejecting, run
from tests.stubs import checked, document, grade, in_turn

T = on("t")


class Outage(Exception):
    status_code = 503


def fails_once(then: str):
    return in_turn(Outage("down"), then)


@pytest.mark.parametrize("colour", COLOURS)
async def test_a_second_question_on_a_thread_starts_clean(colour):
    kit = Kit(
        saver=InMemorySaver(),
        grader=in_turn(*[grade(False)] * 4, *[grade(True)] * 4),
        generator=in_turn("Acme has 500 staff.", "Acme Ltd runs payroll [9].", ANSWER),
        checker=in_turn(checked("Acme has 500 staff"), checked(), checked()),
    )
    _, first = await run(kit, colour, config=T)
    assert (first["regenerations"], first["web_query"] != "") == (1, True)
    _, second = await run(kit, colour, {"question": "And now?"}, config=T)
    assert second["question"] == "And now?"
    assert len(second["grades"]) == 4
    assert len(second["checks"]) == 1
    assert second["web_query"] == ""
    assert second["regenerations"] == second["invalid_citations"] == 0
    assert second["unsupported_claims"] == []
    assert second["usage"]["grader"]["calls"] == 4
    assert "web" not in second["usage"]


def test_a_run_that_ends_without_an_answer_does_not_return_the_last_one():
    kit = Kit(
        saver=InMemorySaver(), grader=in_turn(*[grade(True)] * 4, *[grade(False)] * 4), web=[]
    )
    first, second = kit.ask(thread="t"), kit.ask("Who cleans?", thread="t")
    assert first["answer"] == ANSWER
    assert second["status"] == "not_found"
    assert second["answer"] != first["answer"]
    assert (second["citations"], second["documents"], second["draft"]) == ([], [], "")


def test_a_question_after_a_crashed_run_starts_clean():
    kit = Kit(saver=InMemorySaver(), generator=fails_once(ANSWER), max_attempts=1)
    with pytest.raises(ModelError):
        kit.ask(thread="t")
    out = kit.ask("And now?", thread="t")
    assert (out["question"], out["status"]) == ("And now?", "answered")
    assert len(out["grades"]) == 4


@pytest.mark.parametrize("colour", COLOURS)
async def test_a_run_that_crashed_at_the_generator_resumes_there_and_repays_nothing(colour):
    kit = rejecting(saver=InMemorySaver(), generator=fails_once("Acme Ltd."), max_attempts=1)
    with pytest.raises(ModelError, match="503"):
        await run(kit, colour, config=T)
    before = kit.heard()
    nodes, out = await resume(kit, colour)
    assert nodes == ["generate", "check", "accept"]
    assert kit.heard() == before | {"generator": 2, "checker": 1}
    assert out["status"] == "answered"
    assert [document["id"] for document in out["documents"]] == ["w1", "w2"]


@pytest.mark.parametrize("colour", COLOURS)
async def test_a_run_that_crashed_at_the_check_keeps_its_draft(colour):
    kit = Kit(saver=InMemorySaver(), checker=fails_once('{"supported": true}'), max_attempts=1)
    with pytest.raises(ModelError):
        await run(kit, colour, config=T)
    nodes, out = await resume(kit, colour)
    assert nodes == ["check", "accept"]
    assert kit.heard()["generator"] == 1
    assert out["answer"] == ANSWER


async def resume(kit, colour):
    """Go on from the last checkpoint: the input is none."""
    options = {"stream_mode": ["updates", "values"]}
    started = getattr(kit.graph, colour)(None, T, **options)
    if colour == "ainvoke":
        started = await started
    elif colour == "astream":
        started = [part async for part in started]
    parts = list(started)
    nodes = [node for mode, part in parts if mode == "updates" for node in part]
    return nodes, [part for mode, part in parts if mode == "values"][-1]


def scenario(name: str, saver: InMemorySaver) -> Kit:
    """Run one of the ways through the graph on a thread."""
    if name == "asked first":
        kit = rejecting(saver=saver)
        kit.ask(thread="t", web_search="ask")
        kit.graph.invoke(Command(resume="approve"), T)
        return kit
    kit = {
        "accepted": lambda: Kit(saver=saver),
        "trimmed": lambda: Kit(saver=saver, generator=f"{ANSWER} X.", checker=checked("X")),
        "unreadable": lambda: Kit(saver=saver, grader="?", checker="?"),
        "nothing found": lambda: rejecting(saver=saver, web=[]),
    }[name]()
    kit.ask(thread="t")
    return kit


SCENARIOS = ["accepted", "trimmed", "unreadable", "nothing found", "asked first"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_checkpoint_holds_plain_json(name):
    kit = scenario(name, InMemorySaver())
    snapshots = list(kit.graph.get_state_history(T))
    assert len(snapshots) > 5
    for snapshot in snapshots:
        assert json.loads(json.dumps(snapshot.values)) == snapshot.values


@pytest.mark.parametrize("name", SCENARIOS)
def test_checkpoints_survive_a_serialiser_that_knows_no_class_of_ours(name):
    strict = JsonPlusSerializer(allowed_msgpack_modules=[])
    kit = scenario(name, InMemorySaver(serde=strict))
    plain = scenario(name, InMemorySaver())
    kept, expected = kit.graph.get_state(T).values, plain.graph.get_state(T).values
    assert without_times(kept) == without_times(expected)


def without_times(values):
    values = copy.deepcopy(values)
    for usage in values["usage"].values():
        usage["seconds"] = 0.0
    return values


def test_a_finished_thread_still_shows_its_steps():
    kit = scenario("trimmed", InMemorySaver())
    values = kit.graph.get_state(T).values
    assert [verdict["document_id"] for verdict in values["grades"]] == ["d1", "d2", "d3", "d4"]
    assert len(values["checks"]) == 3


def test_the_output_has_the_fields_of_the_state_and_no_others():
    out = Kit().ask()
    assert set(out) == set(CorrectiveState.__annotations__)


def test_a_text_is_not_stored_again_with_every_step():
    saver = InMemorySaver()
    long = [document(f"d{n}", f"{n} " + "word " * 20_000) for n in range(4)]
    kit = Kit(
        saver=saver,
        found=long,
        grader=grade(True),
        checker=checked("Acme Ltd runs payroll"),
        context_window=1_000_000,
    )
    kit.ask(thread="t", max_regenerations=10)
    texts = sum(len(d["content"]) for d in long)
    stored = sum(len(blob) for _, blob in saver.blobs.values())
    assert stored < 2.1 * texts  # as retrieved, and as sent to the graders


def test_what_the_caller_passes_in_is_left_as_it_was():
    found, web = copy.deepcopy(INDEXED), copy.deepcopy(INDEXED[:2])
    given = {"question": QUESTION}
    kit = rejecting(found=found, web=web)
    kit.graph.invoke(given)
    assert (found, web, given) == (INDEXED, INDEXED[:2], {"question": QUESTION})
