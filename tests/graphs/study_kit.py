"""The stubs of the study graph, with names, and a way to run it in either colour."""

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.messages import AIMessage

from backends import Backends, Settings
from graphs import study
from tests.stubs import StubIndex, StubWeb, chat, document

SIMPLE = "INTENT: simple"
COMPLEX = "INTENT: complex\nSUB: What is osmosis?\nSUB: What is diffusion?"
QUESTION = "What is osmosis?"
PIPELINE = ["router", "retrieve", "normalize", "merge_pool", "rerank"]
START = ["triage", "init_state", *PIPELINE]


def verdict(word: str, missing: str = "none", cause: str = "bad_query") -> str:
    return f"VERDICT: {word}\nCAUSE: {cause}\nMISSING: {missing}"


def call_tools(*names: str, query: str = "osmosis") -> AIMessage:
    """Choose tools, as a model does that is given some."""
    calls = [
        {"name": name, "args": {"query": query}, "id": f"call-{n}"} for n, name in enumerate(names)
    ]
    return AIMessage("", tool_calls=calls)


_SUFFICIENT = verdict("correct")


class StubReranker:
    """Scores with a function of the text, and keeps what it heard."""

    name = "stub reranker"

    def __init__(self, score: float | Callable[[str], float] = 0.9) -> None:
        self.heard: list[tuple[str, list[str]]] = []
        self._score = score

    def score(self, query: str, texts: list[str]) -> list[float]:
        self.heard.append((query, list(texts)))
        return [self._score(text) if callable(self._score) else self._score for text in texts]


class Kit:
    """Stubs for every part; override what a test is about."""

    def __init__(
        self,
        *,
        triage: Any = SIMPLE,
        router: Any = "",
        evaluator: Any = _SUFFICIENT,
        rewriter: Any = "water potential membrane",
        generator: Any = "Water moves through a membrane [1].",
        score: float | Callable[[str], float] = 0.9,
        sources: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        self.triage = chat(triage)
        self.router = chat(router, tools=True)
        self.evaluator = chat(evaluator)
        self.rewriter = chat(rewriter)
        self.generator = chat(generator)
        self.reranker = StubReranker(score)
        self.sources: dict[str, Any] = {
            "curated": StubIndex((document("c1", "Osmosis is the movement of water."),)),
            "wikipedia": StubIndex((document("w1", "Osmosis happens in cells."),)),
            "arxiv": StubIndex((document("a1", "We model osmosis."),)),
            "web": StubWeb((document("e1", "Osmosis, explained for pupils."),)),
            **(sources or {}),
        }
        self.settings = Settings(_env_file=None, min_wait=0, max_wait=0, **settings)

    def backends(self) -> Backends:
        return Backends(
            triage=self.triage,
            router=self.router,
            evaluator=self.evaluator,
            rewriter=self.rewriter,
            generator=self.generator,
            sources=self.sources,
            reranker=self.reranker,
            settings=self.settings,
        )

    def graph(self, **compiling: Any) -> Any:
        return study.build(self.backends()).compile(**compiling)

    def queries(self) -> dict[str, list[str]]:
        """What each source was asked."""
        return {name: source.queries for name, source in self.sources.items()}


async def run(
    kit: Kit, colour: str, question: str = QUESTION, **context: Any
) -> tuple[list[str], dict[str, Any]]:
    """Run the graph; return the nodes in the order in which they ran, and the output."""
    nodes: list[str] = []
    out: dict[str, Any] = {}
    graph = kit.graph()
    options: dict[str, Any] = {"context": context, "stream_mode": ["updates", "values"]}
    if colour == "sync":
        parts = list(graph.stream({"question": question}, **options))
    else:
        parts = [part async for part in graph.astream({"question": question}, **options)]
    for mode, part in parts:
        if mode == "updates":
            nodes.extend(part)
        else:
            out = part
    return nodes, out
