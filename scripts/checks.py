"""The checks of ``crag doctor``: each asks one backend something real, through the gateway."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph

from backends import Backends, Settings
from backends.gateway import Gateway
from backends.wiring import ROLES
from nodes.calls import Steps, ask, search_web
from nodes.grader import grade
from prompts import load
from scripts.readiness import NO_DOCUMENTS
from state.corrective import CorrectiveContext, CorrectiveState, Grade, GradingTask
from state.documents import Document
from state.errors import CragError
from state.outcome import Update

State = Literal["ok", "warn", "fail"]
QUESTION = "How long is the warranty of the Aurora kettle?"
PLANTED: tuple[tuple[bool, str], ...] = (
    (True, "The warranty of the Aurora kettle lasts 24 months from the day of purchase."),
    (False, "Sourdough rises best overnight, at about 20 degrees, under a damp cloth."),
)
"""Whether each document answers the question; no reader can doubt it."""

_WEB_QUERY = "LangGraph documentation"
_PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found.

    Attributes:
        name: What was checked.
        state: How it is.
        says: What was found, and what to do about it.
    """

    name: str
    state: State
    says: str


def checks(make: Callable[[Settings], Backends], settings: Settings) -> Iterator[Check]:
    """Check every backend of the settings; each answer comes as soon as it is known.

    Args:
        make: Makes the backends of some settings.
        settings: The user's; one try a call is made, whatever they say.
    """
    hasty = settings.model_copy(
        update={"max_attempts": 1, "timeout": min(settings.timeout, _PATIENCE)}
    )
    backends = make(hasty)
    yield _guarded("index", lambda: _index(backends))
    chat = _guarded("chat", lambda: _chat(hasty))
    yield chat
    if chat.state != "fail":
        yield _guarded("grader", lambda: _grader(backends))
        yield from _other_models(backends, hasty)
    yield _guarded("web", lambda: _web(backends, hasty))


def _guarded(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except CragError as error:
        return Check(name, "fail", str(error))


def _index(backends: Backends) -> Check:
    index, where = backends.index, backends.settings.index_path
    count = index.count()
    if not count:
        return Check("index", "warn", f"{where}: {NO_DOCUMENTS}")
    return Check("index", "ok", f"{where}: {count} chunks, embedded by {index.embedder.name}")


def _chat(settings: Settings) -> Check:
    if not settings.hosted:
        says = "no key and no base URL: the embedded default plays every role, offline"
        return Check("chat", "ok", says)
    where = settings.base_url or "OpenAI's endpoint"
    return Check("chat", "ok", f"{where}, {settings.model_of('grader')}; asked below")


def _grader(backends: Backends) -> Check:
    """Let the grader grade the planted documents, as a run would."""
    player = backends.player("grader")
    for number, (relevant, text) in enumerate(PLANTED):
        verdict = _graded(backends, number, text)
        who = f"{player.name}{_form(player)}"
        if verdict["problem"]:
            unread = verdict["problem"] == "unreadable"
            todo = " Choose another CRAG_GRADER_MODEL." if unread else ""
            return Check("grader", "fail", f"{who}: {verdict['reason']}{todo}")
        if verdict["relevant"] != relevant:
            wrong = f"graded a plain case wrongly (“{text}”). Choose another CRAG_GRADER_MODEL."
            return Check("grader", "fail", f"{who}: {wrong}")
    return Check("grader", "ok", f"{who}: graded both planted documents rightly")


def _graded(backends: Backends, number: int, text: str) -> Grade:
    document: Document = {"id": f"planted-{number}", "content": text, "metadata": {}}
    task = GradingTask(question=QUESTION, document=document)
    verdict: Grade = _one_node(backends, grade, GradingTask, task)["grades"][0]
    return verdict


def _form(player: Any) -> str:
    """Name the form of structured output that the endpoint took."""
    ladders = getattr(player, "ladders", None)
    known = ladders.verdict.known if ladders else None
    return f", structured output by {known.name}" if known else ""


def _other_models(backends: Backends, settings: Settings) -> Iterator[Check]:
    """Ask the models of the other roles something, where they differ from the grader's."""
    if not settings.hosted:
        return
    asked = {settings.model_of("grader")}
    for role in ROLES:
        if settings.model_of(role) not in asked:
            asked.add(settings.model_of(role))
            yield _guarded(role, lambda role=role: _answers(backends, role))  # type: ignore[misc]


def _answers(backends: Backends, role: str) -> Check:
    def hello(state: Any, context: object) -> Steps[Update]:
        prompt = load("web_query_rewriter")
        reply = yield from ask(role, prompt, question=QUESTION, reasons=["Nothing was found."])
        return {"draft": reply.text}

    said = _one_node(backends, hello, CorrectiveState, {"question": QUESTION})["draft"]
    name = backends.player(role).name
    if not said:
        return Check(role, "fail", f"{name}: the reply was empty. Choose another model.")
    return Check(role, "ok", f"{name}: answers")


def _web(backends: Backends, settings: Settings) -> Check:
    if settings.tavily_api_key is None:
        says = (
            "not set up: when no document is relevant, the answer is “not found”. "
            "Set TAVILY_API_KEY to search the web."
        )
        return Check("web", "warn", says)

    def search(state: Any, context: object) -> Steps[Update]:
        return {"documents": (yield from search_web(_WEB_QUERY, 1))}

    output = _one_node(backends, search, CorrectiveState, {"question": _WEB_QUERY})
    found = len(output["documents"])
    if not found:
        return Check("web", "warn", f"reached, but nothing was found for “{_WEB_QUERY}”")
    return Check("web", "ok", "reached; the key was accepted")


def _one_node(backends: Backends, body: Any, input_schema: Any, given: Any) -> dict[str, Any]:
    """Run one node behind the gateway, as a graph does."""
    door = Gateway(backends, CorrectiveContext)
    graph = StateGraph(CorrectiveState, context_schema=CorrectiveContext, input_schema=input_schema)
    graph.add_node("node", door.node(body), input_schema=input_schema)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    output: dict[str, Any] = graph.compile().invoke(given)
    return output
