"""The stubs of the corrective graph, with names, and the four ways to run it."""

import logging
from typing import Any

import pytest

from backends import Backends, Settings
from graphs import corrective
from tests.stubs import StubIndex, StubWeb, chat, checked, document, field, grade

QUESTION = "Who runs payroll?"
INDEXED = [
    document("d1", "Acme Ltd runs payroll for all offices."),
    document("d2", "Payroll is paid on the 25th of each month."),
    document("d3", "The canteen opens at eight."),
    document("d4", "Parking is free for visitors."),
]
FOUND_ON_THE_WEB = [
    document("w1", "Acme Ltd is a payroll bureau.", source="https://acme.example/about"),
    document("w2", "Acme Ltd serves offices abroad.", source="https://acme.example/offices"),
]
ANSWER = "Acme Ltd runs payroll [d1]."
FROM_THE_WEB = "Acme Ltd is a payroll bureau [w1]."
QUERY = "Acme payroll vendor"
NOT_FOUND = "The answer could not be found in the documents."
COLOURS = ["invoke", "ainvoke", "stream", "astream"]

GRADED = ["start", "retrieve", *["grade"] * 4, "select"]


def only(*identifiers: str):
    """Grade these documents relevant, by their contents, and every other one not."""
    contents = [d["content"] for d in INDEXED if d["id"] in identifiers]
    return lambda prompt: grade(field(prompt, "document") in contents, "Off topic.")


TWO_RELEVANT = only("d1", "d2")
SUPPORTED = checked()


class Kit:
    """Stubs for every part; override what a test is about."""

    def __init__(
        self,
        *,
        grader: Any = TWO_RELEVANT,
        rewriter: Any = QUERY,
        generator: Any = ANSWER,
        checker: Any = SUPPORTED,
        found: Any = INDEXED,
        web: Any = FOUND_ON_THE_WEB,
        tools: bool = False,
        saver: Any = None,
        **settings: Any,
    ) -> None:
        self.grader = chat(grader, tools=tools)
        self.rewriter = chat(rewriter, tools=tools)
        self.generator = chat(generator, tools=tools)
        self.checker = chat(checker, tools=tools)
        self.index = StubIndex(found)
        self.web = StubWeb(web)
        self.settings = Settings(_env_file=None, **{"min_wait": 0, "max_wait": 0, **settings})
        self.graph = corrective.build(self.backends()).compile(checkpointer=saver)

    def backends(self) -> Backends:
        return Backends(
            grader=self.grader,
            rewriter=self.rewriter,
            generator=self.generator,
            checker=self.checker,
            index=self.index,
            web=self.web,
            settings=self.settings,
        )

    def ask(self, question: str = QUESTION, thread: str | None = None, **context: Any) -> Any:
        return self.graph.invoke({"question": question}, on(thread), context=context)

    def heard(self) -> dict[str, int]:
        """How often each part was asked."""
        return {
            "grader": len(self.grader.prompts),
            "rewriter": len(self.rewriter.prompts),
            "generator": len(self.generator.prompts),
            "checker": len(self.checker.prompts),
            "index": len(self.index.heard),
            "web": len(self.web.heard),
        }


def rejecting(**parts: Any) -> Kit:
    """A kit whose grader rejects all four documents."""
    return Kit(**{"grader": grade(False, "Off topic."), "generator": FROM_THE_WEB, **parts})


def on(thread: str | None, **config: Any) -> dict[str, Any]:
    """Return the config that runs on a thread."""
    return {**({"configurable": {"thread_id": thread}} if thread else {}), **config}


async def run(
    kit: Kit, colour: str, given: Any = None, config: Any = None, **context: Any
) -> tuple[list[str], dict[str, Any]]:
    """Run the graph in one of four colours; return the nodes in their order, and the output."""
    given = {"question": QUESTION} if given is None else given
    options = {"context": context, "stream_mode": ["updates", "values"]}
    started = getattr(kit.graph, colour)(given, config, **options)
    if colour == "ainvoke":
        started = await started
    elif colour == "astream":
        started = [part async for part in started]
    nodes: list[str] = []
    out: dict[str, Any] = {}
    for mode, part in started:
        if mode == "updates":
            nodes.extend(part)
        else:
            out = part
    return nodes, out


def events(caplog: pytest.LogCaptureFixture, name: str) -> list[dict[str, Any]]:
    """Return the facts of the logged events of this name."""
    assert caplog.handler.level <= logging.INFO
    return [vars(record) for record in caplog.records if record.getMessage() == name]
