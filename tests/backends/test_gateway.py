"""The gateway: one body for both colours, every call receipted, nothing of the state touched."""

import asyncio
import copy
import json
import logging
import threading
from typing import Any

import pytest
from blockbuster import BlockBuster
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from backends import Backends, Settings
from backends.gateway import Gateway
from nodes.calls import Call, SearchIndex, ask, ask_person, pack, search_index, search_web, together
from prompts import Prompt
from state.context import Context
from state.errors import ConfigError, CragError, IndexFailed, ModelError, ModelUnavailable
from tests.backends.asking import answer, asking, grade, returning, run
from tests.openai_server import TOKENS, OpenAIServer
from tests.stubs import AsyncIndex, AsyncWeb, StubIndex, StubWeb, by_prompt, chat, document
from tests.stubs import grade as verdict

colours = pytest.mark.parametrize("colour", ["sync", "async"])
PLAIN = Prompt("plain", "{{question}}")


def settings(**fields: Any) -> Settings:
    return Settings(_env_file=None, **{"min_wait": 0.0, "max_attempts": 2} | fields)


def backends(**given: Any) -> Backends:
    return Backends(settings=given.pop("settings", settings()), **given)


async def outcome(colour: str, graph: Any, state: Any = None, **rest: Any) -> Any:
    if colour == "async":
        return await graph.ainvoke(state or {}, **rest)
    return graph.invoke(state or {}, **rest)


# --- bodies ---------------------------------------------------------------------------------


@colours
async def test_a_plain_function_is_a_node_too(colour: str) -> None:
    given = backends(model=chat("x"))
    graph = asking(given, lambda state, context: {"reply": state["question"] * 2})
    out = await outcome(colour, graph, {"question": "ab"})
    assert out["reply"] == "abab"
    assert not out.get("usage")


@colours
async def test_calls_are_answered_in_order_and_alike(colour: str) -> None:
    model = chat(by_prompt(document_grader=verdict(True), answer="Riga."))
    index, web = AsyncIndex([document("a"), document("b")]), StubWeb([document("w")])
    given = backends(model=model, index=index, web=web)

    def body(state: Any, context: object) -> Any:
        found = yield from search_index("q1", 2)
        more = yield from search_web("q2", 3)
        packed = yield from pack([*found, *more], "generator", question="q")
        read = yield from grade(packed.documents[0]["content"])
        text = yield from answer()
        ids = [document["id"] for document in packed.documents]
        return {"reply": [ids, read.value.relevant, text.text]}

    out = await outcome(colour, asking(given, body))
    assert out["reply"] == [["a", "b", "w"], True, "Riga."]
    assert index.heard == [("q1", 2)]
    assert web.heard == [("q2", 3)]
    assert set(out["usage"]) == {"search", "web", "grader", "generator"}
    assert all(usage["calls"] == 1 and not usage["failed"] for usage in out["usage"].values())


@colours
async def test_a_failed_call_is_raised_where_the_body_yields(colour: str) -> None:
    given = backends(index=StubIndex(OSError("disk")))

    def body(state: Any, context: object) -> Any:
        try:
            yield from search_index("q", 4)
        except IndexFailed as error:
            return {"reply": f"caught: {error}"}

    out = await outcome(colour, asking(given, body))
    assert out["reply"] == "caught: stub index failed: OSError: disk"
    assert out["usage"]["search"]["failed"] == 1


@colours
async def test_a_failed_call_that_no_body_catches_ends_the_run(colour: str) -> None:
    given = backends(index=StubIndex(OSError("disk")))
    with pytest.raises(IndexFailed, match="disk"):
        await run(colour, given, lambda: search_index("q", 4))


@colours
async def test_a_mistake_in_a_body_is_not_hidden(colour: str) -> None:
    def body(state: Any, context: object) -> Any:
        yield from answer()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await outcome(colour, asking(backends(model=chat("x")), body))


@colours
async def test_a_body_is_closed_when_its_run_ends_early(colour: str) -> None:
    closed: list[bool] = []

    def body(state: Any, context: object) -> Any:
        try:
            yield from answer()
        finally:
            closed.append(True)

    class Stop(BaseException):
        pass

    class Stopping:
        name = "stopping"

        def __call__(self, question: str) -> str:
            raise Stop

    given = backends(model=Stopping())
    with pytest.raises(Stop):
        await outcome(colour, asking(given, body))
    assert closed == [True]


@colours
async def test_what_no_backend_answers_is_an_error(colour: str) -> None:
    class Strange(Call):
        pass

    def body(state: Any, context: object) -> Any:
        yield Strange()

    with pytest.raises(TypeError, match="Strange"):
        await outcome(colour, asking(backends(model=chat("x")), body))


@colours
async def test_a_body_gets_the_runs_parameters_or_their_defaults(colour: str) -> None:
    class Parameters(Context):
        top_k: int = 4

    def body(state: Any, context: Parameters) -> Any:
        return {"reply": context.top_k}

    from langgraph.graph import END, START, StateGraph

    from tests.backends.asking import AskedState

    door = Gateway(backends(model=chat("x")), Parameters)
    graph = StateGraph(AskedState, context_schema=Parameters)
    graph.add_node("body", door.node(body))
    graph.add_edge(START, "body")
    graph.add_edge("body", END)
    built = graph.compile()
    assert (await outcome(colour, built))["reply"] == 4
    assert (await outcome(colour, built, context={"top_k": 7}))["reply"] == 7
    assert (await outcome(colour, built, context=Parameters(top_k=9)))["reply"] == 9
    with pytest.raises(ValueError, match="top_k"):
        await outcome(colour, built, context={"top_k": "many"})


# --- at the same time -----------------------------------------------------------------------


@colours
async def test_parts_run_at_the_same_time_and_a_failed_one_takes_no_other_down(
    colour: str,
) -> None:
    barrier = threading.Barrier(3, timeout=20)

    def evaluate(question: str) -> str:
        barrier.wait()
        if question == "1":
            raise RuntimeError("broken")
        return question

    parts = lambda: together(ask("generator", PLAIN, question=str(i)) for i in range(3))  # noqa: E731
    out = await run(colour, backends(model=evaluate), parts)
    first, second, third = out["reply"]
    assert (first.text, third.text) == ("0", "2")
    assert isinstance(second, ModelError)
    assert out["usage"]["generator"]["calls"] == 3
    assert out["usage"]["generator"]["failed"] == 1


@colours
async def test_a_mistake_in_a_part_is_raised_as_it_is(colour: str) -> None:
    def wrong() -> Any:
        yield from answer()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await run(colour, backends(model=chat("x")), lambda: together([wrong(), answer()]))


@colours
async def test_no_parts_are_no_replies(colour: str) -> None:
    assert (await run(colour, backends(model=chat("x")), lambda: together([])))["reply"] == []


# --- the state ------------------------------------------------------------------------------


@colours
async def test_neither_the_state_nor_the_bodys_update_is_changed(colour: str) -> None:
    update = {"reply": ["x"]}
    seen: list[Any] = []

    def body(state: Any, context: object) -> Any:
        seen.append(state)
        yield from answer()
        return update

    given = {"question": "q", "reply": [{"nested": [1]}]}
    before = copy.deepcopy(given)
    out = await outcome(colour, asking(backends(model=chat("x")), body), given)
    assert given == before
    assert update == {"reply": ["x"]}
    assert {key: seen[0][key] for key in before} == before
    assert out["usage"]["generator"]["calls"] == 1


@colours
async def test_documents_from_an_index_are_not_shared_with_it(colour: str) -> None:
    kept = [document("a")]
    out = await run(colour, backends(index=StubIndex(kept)), lambda: search_index("q", 4))
    out["reply"][0]["metadata"]["changed"] = True
    assert kept == [document("a")]


# --- receipts -------------------------------------------------------------------------------


@colours
async def test_every_try_is_told_to_the_stream_when_it_starts_and_when_it_ends(
    colour: str,
) -> None:
    replies = iter([ModelUnavailable("busy"), "Riga."])
    graph = asking(backends(model=chat(lambda prompt: next(replies))), returning(answer))
    if colour == "async":
        events = [event async for event in graph.astream({}, stream_mode="custom")]
    else:
        events = list(graph.stream({}, stream_mode="custom"))
    assert [event["type"] for event in events] == ["call", "receipt"] * 2
    assert [event["attempt"] for event in events] == [1, 1, 2, 2]
    failed, succeeded = events[1], events[3]
    assert (failed["outcome"], failed["error"]) == ("ModelUnavailable", "busy")
    assert succeeded["outcome"] == "ok"
    assert succeeded["output_tokens"] == 1
    for event in events:
        assert (event["node"], event["role"]) == ("node0", "generator")
        assert (event["model"], event["subject"]) == ("stub", "What is bright?")
        json.dumps(event)


@colours
async def test_every_try_is_one_line_in_the_log(
    caplog: pytest.LogCaptureFixture, colour: str
) -> None:
    caplog.set_level(logging.INFO, "crag")
    await run(colour, backends(model=chat(verdict(True))))
    (record,) = [record for record in caplog.records if record.message == "call"]
    assert (record.role, record.model, record.subject) == ("grader", "stub", "d1")
    assert (record.outcome, record.attempt, record.node) == ("ok", 1, "node0")
    assert record.seconds >= 0


@colours
async def test_usage_is_summed_up_by_role_over_nodes_and_tries(
    openai_server: OpenAIServer, colour: str
) -> None:
    openai_server.answer = {"relevant": True}
    openai_server.refuse("json_schema")
    given = Backends(settings=openai_server.settings())
    graph = asking(given, returning(grade), returning(grade), returning(answer))
    usage = (await outcome(colour, graph))["usage"]
    grading = usage["grader"]
    assert (grading["calls"], grading["failed"]) == (3, 1)
    assert (grading["input_tokens"], grading["output_tokens"]) == (2 * TOKENS[0], 2 * TOKENS[1])
    assert grading["models"] == ["gpt-5.4-mini"]
    assert usage["generator"]["calls"] == 1


@colours
async def test_usage_is_zero_where_a_model_does_not_count(colour: str) -> None:
    out = await run(colour, backends(model=lambda question: "x"), answer)
    assert out["usage"]["generator"]["input_tokens"] == 0


# --- asking a person ------------------------------------------------------------------------


@colours
async def test_a_run_stops_for_a_person_and_goes_on_with_the_reply(colour: str) -> None:
    def body(state: Any, context: object) -> Any:
        reply = yield from ask_person(query="secret?", choices=["yes", "no"])
        return {"reply": reply}

    graph = asking(backends(model=chat("x")), returning(answer), body)
    graph = graph.builder.compile(checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "1"}}
    out = await outcome(colour, graph, config=thread)
    assert out["__interrupt__"][0].value == {"query": "secret?", "choices": ["yes", "no"]}
    out = await outcome(colour, graph, Command(resume="yes"), config=thread)
    assert out["reply"] == "yes"
    assert out["usage"]["generator"]["calls"] == 1


# --- the event loop -------------------------------------------------------------------------


async def test_opening_what_takes_long_does_not_block_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = asyncio.get_running_loop()
    opened: list[str] = []
    ticked = threading.Event()

    class Slow(StubIndex):
        @classmethod
        def open(cls, *_: Any) -> Any:
            opened.append(threading.current_thread().name)
            here.call_soon_threadsafe(ticked.set)
            assert ticked.wait(20), "the event loop stood still"
            return cls([document("a")])

    monkeypatch.setattr("backends.wiring.open_index", Slow.open)
    given = backends()
    for _ in range(3):
        out = await run("async", given, lambda: search_index("q", 1))
        assert out["reply"][0]["id"] == "a"
    assert len(opened) == 1
    assert opened[0] != threading.current_thread().name


async def test_a_failure_to_open_is_raised_at_the_yield_every_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> Any:
        raise ConfigError("Run crag ingest again.")

    monkeypatch.setattr("backends.wiring.open_index", broken)
    given = backends()
    for colour in ("sync", "async", "async"):
        with pytest.raises(ConfigError, match="crag ingest"):
            await run(colour, given, lambda: search_index("q", 1))


async def test_a_whole_run_makes_no_blocking_call(openai_server: OpenAIServer) -> None:
    openai_server.answer = {"relevant": True}
    given = Backends(
        settings=openai_server.settings(),
        index=StubIndex([document("a")]),
        web=AsyncWeb([document("w")]),
    )
    graph = asking(
        given,
        returning(grade),
        returning(answer),
        returning(lambda: search_index("q", 1)),
        returning(lambda: search_web("q", 1)),
        returning(lambda: pack([document("a", "x y " * 50_000)], "generator", question="q")),
    )
    guard = BlockBuster()
    for name in ("io.TextIOWrapper.read", "io.BufferedReader.read", "os.stat", "os.listdir"):
        guard.functions.pop(name)  # prompts are read once; the Agent Server allows these too
    guard.activate()
    try:
        out = await graph.ainvoke({"question": "q"})
    finally:
        guard.deactivate()
    assert out["reply"].left_out == []


def test_many_runs_at_the_same_time_keep_apart() -> None:
    given = backends(model=lambda question: f"re: {question}")

    def body(state: Any, context: object) -> Any:
        text = yield from ask("generator", PLAIN, question=state["question"])
        return {"reply": text.text}

    graph = asking(given, body)

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(graph.ainvoke({"question": str(i)}) for i in range(50)))

    outs = asyncio.run(all_of_them())
    assert [out["reply"] for out in outs] == [f"re: {i}" for i in range(50)]
    assert all(out["usage"]["generator"]["calls"] == 1 for out in outs)


def test_a_call_names_no_colour() -> None:
    assert SearchIndex("q", 1) == SearchIndex("q", 1)
    assert issubclass(IndexFailed, CragError)
