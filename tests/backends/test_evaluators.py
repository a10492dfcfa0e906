"""Roles played by plain callables, in every shape that a callable comes in."""

import asyncio
import threading
from functools import partial
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from pydantic import BaseModel

from backends import Backends, Settings
from nodes.calls import ask, choose_tools
from prompts import Prompt
from state.errors import ConfigError, ModelError, ModelRejected, ModelUnavailable
from state.verdicts import DocumentGrade
from tests.backends.asking import answer, grade, run

YES = {"relevant": True, "reason": "It says so."}
colours = pytest.mark.parametrize("colour", ["sync", "async"])


def backends(evaluate: Any, **settings: Any) -> Backends:
    given = {"min_wait": 0.0, **settings}
    return Backends(model=evaluate, settings=Settings(_env_file=None, **given))


def by_name(question: str, doc: dict[str, Any]) -> dict[str, Any]:
    return {"relevant": "Sirius" in doc["content"] and "bright" in question, "reason": "x"}


async def coroutine(doc: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    return by_name("bright", doc)


class Judge:
    name = "the judge"

    def __call__(self, question: str, doc: dict[str, Any]) -> dict[str, Any]:
        return by_name(question, doc)


class AsyncJudge:
    async def __call__(self, **fields: Any) -> dict[str, Any]:
        await asyncio.sleep(0)
        return by_name(fields["question"], fields["doc"])


class Bench:
    def sit(self, doc: dict[str, Any], question: str = "bright") -> dict[str, Any]:
        return by_name(question, doc)


def with_threshold(threshold: float, doc: dict[str, Any]) -> dict[str, Any]:
    return {"relevant": threshold < 1 and bool(doc["content"])}


async def async_with_threshold(threshold: float, doc: dict[str, Any]) -> dict[str, Any]:
    return {"relevant": threshold < 1 and bool(doc["content"])}


SHAPES: dict[str, tuple[Any, str]] = {
    "function": (by_name, "by_name"),
    "coroutine": (coroutine, "coroutine"),
    "object": (Judge(), "the judge"),
    "async object": (AsyncJudge(), "AsyncJudge"),
    "method": (Bench().sit, "Bench.sit"),
    "partial": (partial(with_threshold, 0.5), "with_threshold"),
    "async partial": (partial(async_with_threshold, 0.5), "async_with_threshold"),
    "keywords": (lambda **fields: by_name(fields["question"], fields["doc"]), "<lambda>"),
    "one mapping": (lambda fields: by_name(fields["question"], fields["doc"]), "<lambda>"),
    "lambda of a coroutine": (lambda doc: coroutine(doc), "<lambda>"),
}


@colours
@pytest.mark.parametrize("shape", SHAPES)
async def test_every_shape_is_called_with_the_fields_that_it_names(colour: str, shape: str) -> None:
    evaluate, name = SHAPES[shape]
    out = await run(colour, backends(evaluate))
    assert out["reply"].value.relevant is True
    assert out["reply"].model.endswith(name)
    assert out["usage"]["grader"]["calls"] == 1


class Wrapped(BaseModel):
    relevant: bool


@colours
@pytest.mark.parametrize(
    "reply",
    [
        YES,
        DocumentGrade(relevant=True),
        Wrapped(relevant=True),
        '{"relevant": "yes"}',
        "```json\n{'relevant': True}\n```",
        {"grade": {"relevant": "Yes.", "extra": 1}},
        AIMessage('{"relevant": true}'),
    ],
)
async def test_a_verdict_is_read_from_what_it_returns(colour: str, reply: Any) -> None:
    out = await run(colour, backends(lambda doc: reply))
    assert out["reply"].value.relevant is True


@colours
@pytest.mark.parametrize("reply", [None, "No.", 3, object(), [], {}, {"relevant": "perhaps"}, True])
async def test_nonsense_is_unread_and_kept(colour: str, reply: Any) -> None:
    out = await run(colour, backends(lambda doc: reply))
    assert out["reply"].value is None
    assert out["reply"].raw == (reply if isinstance(reply, str) else repr(reply))
    assert out["usage"]["grader"]["failed"] == 0


@colours
@pytest.mark.parametrize(
    ("reply", "text"),
    [(" Riga. ", "Riga."), (None, ""), (3, "3"), (AIMessage("<think>x</think>Riga."), "Riga.")],
)
async def test_text_is_read_from_what_it_returns(colour: str, reply: Any, text: str) -> None:
    assert (await run(colour, backends(lambda question: reply), answer))["reply"].text == text


def raising(error: BaseException) -> Any:
    def evaluate(doc: dict[str, Any]) -> None:
        raise error

    return evaluate


@colours
@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyError("doc"), StopIteration("x")])
async def test_what_it_raises_names_the_role_and_the_evaluator(
    colour: str, error: Exception
) -> None:
    says = r"The grader \(raising.*evaluate\) failed: .*" + type(error).__name__
    with pytest.raises(ModelError, match=says) as raised:
        await run(colour, backends(raising(error)))
    assert error in (raised.value.__cause__, raised.value.__cause__.__cause__)


@colours
async def test_an_error_of_the_projects_own_passes_as_it_is(colour: str) -> None:
    with pytest.raises(ModelRejected, match=r"\AOut of bounds"):
        await run(colour, backends(raising(ModelRejected("Out of bounds."))))


@colours
@pytest.mark.parametrize("error", [ConnectionError("gone"), TimeoutError()])
async def test_a_lost_connection_is_tried_again(colour: str, error: Exception) -> None:
    tries: list[int] = []

    def evaluate(doc: dict[str, Any]) -> Any:
        tries.append(1)
        if len(tries) < 3:
            raise error
        return YES

    assert (await run(colour, backends(evaluate)))["reply"].value.relevant
    assert len(tries) == 3
    with pytest.raises(ModelUnavailable, match="grader"):
        await run(colour, backends(raising(error), max_attempts=2))


@colours
async def test_parameters_that_are_no_fields_are_named(colour: str) -> None:
    def evaluate(query: str, document: str) -> None:
        raise AssertionError

    with pytest.raises(ConfigError, match="asks for document, query; its fields are question, doc"):
        await run(colour, backends(evaluate))


@colours
async def test_a_key_in_an_error_is_not_shown(colour: str) -> None:
    error = RuntimeError("401 for https://api.example.org/v1?api_key=abcdef0123456789 sk-abcdef123")
    with pytest.raises(ModelError) as raised:
        await run(colour, backends(raising(error)))
    assert "abcdef" not in str(raised.value)
    assert raised.value.__cause__ is None


@colours
async def test_tools_are_chosen_by_mappings(colour: str) -> None:
    class Wiki(BaseModel):
        """Search Wikipedia."""

    choose = lambda: choose_tools("grader", Prompt("p", ""), [Wiki], question="q")  # noqa: E731
    choice = [{"name": "Wiki", "args": {"query": "x"}}, {"nameless": 1}, "nonsense"]
    reply = (await run(colour, backends(lambda question: choice), choose))["reply"]
    assert [(c.name, c.args) for c in reply] == [("Wiki", {"query": "x"})]
    for nothing in (None, [], "Wiki"):
        assert (await run(colour, backends(lambda question, found=nothing: found), choose))[
            "reply"
        ] == []


async def test_a_blocking_evaluator_does_not_block_the_event_loop() -> None:
    here = threading.Event()

    def evaluate(doc: dict[str, Any]) -> Any:
        assert here.wait(20)
        return YES

    running = asyncio.create_task(run("async", backends(evaluate)))
    await asyncio.sleep(0)
    here.set()
    assert (await running)["reply"].value.relevant


async def test_a_coroutine_runs_in_the_loop_of_the_graph() -> None:
    loops: list[Any] = []

    async def evaluate(doc: dict[str, Any]) -> Any:
        loops.append(asyncio.get_running_loop())
        return YES

    await run("async", backends(evaluate))
    assert loops == [asyncio.get_running_loop()]


async def test_fields_that_a_prompt_does_not_show_reach_an_evaluator() -> None:
    heard: dict[str, Any] = {}
    steps = lambda: ask("generator", Prompt("p", "{{question}}"), question="q", k=3)  # noqa: E731
    await run("sync", backends(lambda **fields: heard.update(fields) or "ok"), steps)
    assert heard == {"question": "q", "k": 3}


@pytest.mark.parametrize("player", ["gpt-5.4-mini", 7, object(), dict, Judge])
def test_what_cannot_play_a_role_is_refused_at_once(player: Any) -> None:
    with pytest.raises(ConfigError, match=r"grader must be a LangChain chat model or a callable"):
        Backends(grader=player)


def test_a_retriever_cannot_play_a_role() -> None:
    from langchain_core.retrievers import BaseRetriever

    class Retriever(BaseRetriever):
        def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
            return []

    with pytest.raises(ConfigError, match=r"model must be a LangChain chat model.*Retriever"):
        Backends(model=Retriever())


async def test_an_evaluator_that_is_empty_as_a_container_still_plays() -> None:
    class Empty(list[Any]):
        def __call__(self, doc: Any) -> Any:
            return YES

    assert (await run("sync", Backends(model=lambda doc: None, grader=Empty())))[
        "reply"
    ].value.relevant


async def test_the_document_is_given_whole() -> None:
    heard: list[str] = []
    steps = lambda: grade("Vega.")  # noqa: E731
    await run("sync", backends(lambda doc: heard.append(doc["content"])), steps)
    assert heard == ["Vega."]
