"""The single door to the outside: every call of every node is made here.

It turns a node body into a LangGraph node with a sync and an async side, and makes the
calls that the body yields: limited in number, each with a time limit, tried again when a
failure may pass, and each with a receipt.
"""

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.runtime import get_runtime
from langgraph.types import interrupt

from backends.attempts import Attempts
from backends.driving import adrive, drive
from backends.receipts import usage_of
from backends.threads import begin, in_thread
from nodes.calls import AskPerson, Call, Pack, Together
from state.context import Context
from state.errors import CragError
from state.outcome import Update
from state.reducers import NEW_RUN

if TYPE_CHECKING:
    from backends import Backends

R = TypeVar("R")
C = TypeVar("C", bound=Context)
Steps = Generator[Any, Any, R]


class Gateway:
    """Wraps node bodies and routing functions of one graph.

    Args:
        backends: What the calls are made to.
        context_schema: The graph's parameters.
    """

    def __init__(self, backends: "Backends", context_schema: type[Context]) -> None:
        """Keep both; nothing is opened before the first call."""
        self.backends = backends
        self.context_schema = context_schema

    def node(self, body: Callable[..., Any]) -> "Node":
        """Wrap a node body, a generator of calls or a plain function, into a graph node."""
        return Node(self, body)

    def route(self, choose: Callable[[Any, C], R]) -> Callable[[Any], R]:
        """Wrap a routing function so that it is given the run's parameters."""

        def routed(state: Any) -> R:
            return choose(state, self.context())  # type: ignore[arg-type]

        routed.__name__ = choose.__name__
        routed.__annotations__["return"] = choose.__annotations__["return"]
        return routed

    @cached_property
    def _defaults(self) -> Context:
        return self.context_schema()

    def context(self) -> Context:
        """Return the run's parameters, with defaults for what the caller left out."""
        given: Any = get_runtime().context
        if given is None:
            return self._defaults
        return given if isinstance(given, Context) else self.context_schema.model_validate(given)


class Node(Runnable[Any, Update]):
    """A node body behind the gateway.

    A bare ``Runnable`` adds nothing to LangGraph's own cost of a node; ``RunnableLambda``
    opens a run of its own in each, which doubles it.
    """

    def __init__(self, gateway: Gateway, body: Callable[..., Any]) -> None:
        """Keep the body; its name is the node's."""
        self.name = body.__name__
        self._gateway = gateway
        self._body = body

    def invoke(self, input: Any, config: RunnableConfig | None = None, **_: Any) -> Update:  # noqa: A002
        """Run the body and make its calls, blocking."""
        steps, run = self._start(input, config)
        if steps is None:
            return run.update
        return run.close(drive(steps, run.answer))

    async def ainvoke(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **_: Any,
    ) -> Update:
        """Run the body and make its calls without blocking the event loop."""
        steps, run = self._start(input, config)
        if steps is None:
            return run.update
        return run.close(await adrive(steps, run.aanswer))

    def _start(
        self, state: Any, config: RunnableConfig | None
    ) -> tuple[Steps[Update] | None, "_Run"]:
        metadata = (config or {}).get("metadata") or {}
        run = _Run(self._gateway.backends, metadata.get("langgraph_node") or self._body.__name__)
        produced = self._body(state, self._gateway.context())
        if isinstance(produced, Generator):
            return produced, run
        run.update = produced
        return None, run


class _Run:
    """One run of one node: makes its calls and keeps their receipts."""

    def __init__(self, backends: "Backends", node: str) -> None:
        self._backends = backends
        self._attempts = Attempts(
            backends.settings, backends.limiter, node, get_runtime().stream_writer
        )
        self.update: Update = {}

    def answer(self, call: Call) -> Any:
        if isinstance(call, AskPerson):
            return interrupt(dict(call.payload))
        if isinstance(call, Pack):
            return self._backends.pack(call)
        if isinstance(call, Together):
            return self._all(call.parts)
        make = partial(self._attempts.make, seconds=call.seconds)
        return drive(self._backends.plan(call), make)

    async def aanswer(self, call: Call) -> Any:
        if isinstance(call, AskPerson):
            return interrupt(dict(call.payload))
        if isinstance(call, Pack):
            return await self._unblocked(call, self._backends.pack)
        if isinstance(call, Together):
            return await self._aall(call.parts)
        amake = partial(self._attempts.amake, seconds=call.seconds)
        return await adrive(await self._unblocked(call, self._backends.plan), amake)

    async def _unblocked(self, call: Call, answer: Callable[[Any], R]) -> R:
        """Open in a thread what is not open yet: an index or a client takes seconds."""
        if self._backends.is_open(call):
            return answer(call)
        return await in_thread(partial(answer, call))

    def _all(self, parts: Sequence[Steps[Any]]) -> list[Any]:
        def part(steps: Steps[Any]) -> Any:
            try:
                return drive(steps, self.answer)
            except CragError as error:
                return error

        begun = [begin(partial(part, steps)) for steps in parts]
        return [future.result() for future in begun]

    async def _aall(self, parts: Sequence[Steps[Any]]) -> list[Any]:
        async def part(steps: Steps[Any]) -> Any:
            try:
                return await adrive(steps, self.aanswer)
            except CragError as error:
                return error

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(part(steps)) for steps in parts]
        except BaseExceptionGroup as several:  # what the blocking side raises is no group
            raise several.exceptions[0] from None
        return [task.result() for task in tasks]

    def close(self, update: Mapping[str, Any]) -> Update:
        receipts = self._attempts.receipts
        if not receipts:
            return dict(update)
        usage = usage_of(receipts)
        new_run = {NEW_RUN: None} if update.get("usage", usage) is None else {}
        return {**update, "usage": {**new_run, **usage}}
