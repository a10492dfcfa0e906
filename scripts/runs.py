"""Run a graph in a thread and hand its events over as they come.

The graph runs beside the main thread, so that Ctrl-C is heard at once, also while a call to
the outside blocks.
"""

import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backends import Backends, Settings

Event = tuple[str, Any]
"""``("custom", event)``, ``("updates", {node: update})``, then ``("output", state)``."""
Decide = Callable[[Any], Any]
"""From what a run asks a person to what it is resumed with."""

_MODES = ["custom", "updates", "values"]
_END = "end"
_FAILED = "failed"


def make_backends(settings: "Settings | None" = None) -> "Backends":
    """Return what the command line's runs talk to: the settings' own."""
    from backends import Backends

    return Backends(settings=settings)


def compiled(name: str, backends: "Backends") -> Any:
    """Build a graph by name; its checkpoints let a run stop to ask a person."""
    from langgraph.checkpoint.memory import InMemorySaver

    from graphs import load

    return load(name).build(backends).compile(checkpointer=InMemorySaver(), name=name)


def events(
    graph: Any, question: str, parameters: dict[str, Any], decide: Decide
) -> Iterator[Event]:
    """Run a graph on a question; yield what happens, and at last the output.

    Args:
        graph: Compiled with a checkpointer.
        question: As the user gave it.
        parameters: The graph's parameters.
        decide: Called in the caller's thread when the run stops to ask.
    """
    config = {"configurable": {"thread_id": "crag"}}
    start: Any = {"question": question}
    while True:
        output: Any = {}
        asked: tuple[Any, ...] = ()
        stream = partial(graph.stream, context=parameters, stream_mode=_MODES, version="v2")
        for part in _aside(partial(stream, start, config)):
            if part["type"] == "values":
                output = part["data"]
            elif "__interrupt__" in part["data"]:
                asked = part["data"]["__interrupt__"]
            else:
                yield part["type"], part["data"]
        if not asked:
            yield "output", output
            return
        from langgraph.types import Command

        start = Command(resume={wait.id: decide(wait.value) for wait in asked})


def _aside(produce: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Iterate in a thread of its own; raise here what is raised there."""
    queue: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    context = copy_context()

    def work() -> None:
        try:
            for part in produce():
                queue.put(("part", part))
            queue.put((_END, None))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            queue.put((_FAILED, error))

    threading.Thread(target=context.run, args=(work,), daemon=True).start()
    while True:
        kind, value = queue.get()
        if kind == _END:
            return
        if kind == _FAILED:
            raise value
        yield value
