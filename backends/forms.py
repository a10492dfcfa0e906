"""The ladder of structured output: how a model is asked for JSON.

From the strictest form to none: ``json_schema``, then a forced tool call, then JSON mode,
then plain text (the prompts ask for JSON in words, so that always stands). A lower rung is
tried only when the endpoint refuses the form of the request, and the one that worked is
remembered for the model.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableBinding
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from backends.models import core_of, is_openai_compatible

Bind = Callable[[Any, Any], Any]
_ALTERNATIVES = 20


def _json_schema(model: Any, schema: type[BaseModel]) -> Any:
    description = {"name": schema.__name__, "schema": strict_schema(schema), "strict": True}
    return model.bind(response_format={"type": "json_schema", "json_schema": description})


def _tool_call(model: Any, schema: type[BaseModel]) -> Any:
    return _with_tools(model, [schema], tool_choice=schema.__name__)


def _json_mode(model: Any, schema: type[BaseModel]) -> Any:
    return model.bind(response_format={"type": "json_object"})


def _logprobs(model: Any, wanted: None) -> Any:
    return model.bind(logprobs=True, top_logprobs=_ALTERNATIVES)


def _free_tools(model: Any, tools: Sequence[type[BaseModel]]) -> Any:
    return _with_tools(model, tools)


def _with_tools(model: Any, tools: Sequence[type[BaseModel]], **choice: Any) -> Any:
    """Bind tools, and keep what the model was bound to before."""
    core = core_of(model)
    bound = core.bind_tools([_tool(tool) for tool in tools], **choice)
    if core is model or not isinstance(bound, RunnableBinding):
        return bound
    return model.bind(**bound.kwargs)


@cache
def _tool(schema: type[BaseModel]) -> dict[str, Any]:
    return convert_to_openai_tool(schema)


def _plain_text(model: Any, wanted: Any) -> Any:
    return model


@dataclass(frozen=True, slots=True)
class Form:
    """One rung: its name, and how a model is bound to it."""

    name: str
    bind: Bind


JSON_SCHEMA = Form("json_schema", _json_schema)
TOOL_CALL = Form("tool_call", _tool_call)
JSON_MODE = Form("json_mode", _json_mode)
LOGPROBS = Form("logprobs", _logprobs)
FREE_TOOLS = Form("tools", _free_tools)
TEXT = Form("text", _plain_text)


class Ladder:
    """The forms that one model may accept, and the one that is known to work.

    Attributes:
        forms: From the strictest down; the last one always works.
        known: The one that worked; ``None`` before the first reply.
    """

    def __init__(self, forms: tuple[Form, ...]) -> None:
        """Start at the strictest form."""
        self.forms = forms
        self.known: Form | None = None

    def down(self) -> Iterator[Form]:
        """Yield the forms to try: the known one, or what a call at the same time has learnt."""
        place = 0
        while place < len(self.forms):
            if self.known in self.forms:
                place = max(place, self.forms.index(self.known))
            yield self.forms[place]
            place += 1


def forms_of(model: Any) -> tuple[Form, ...]:
    """Return the forms that a model's class offers, from the strictest down.

    Only OpenAI-compatible classes take ``response_format``; any other class that implements
    tools is asked with a forced tool call, and one that does not, in plain text.
    """
    core = core_of(model)
    if is_openai_compatible(core):
        return JSON_SCHEMA, TOOL_CALL, JSON_MODE, TEXT
    has_tools = getattr(type(core), "bind_tools", None) not in (None, BaseChatModel.bind_tools)
    return (TOOL_CALL, TEXT) if has_tools and isinstance(core, Runnable) else (TEXT,)


@dataclass(slots=True)
class Ladders:
    """What is known of one model: a ladder for each kind of request.

    Attributes:
        verdict: Structured output by the strictest form.
        tool: Structured output by a forced tool call first.
        logprobs: Log-probabilities, or plain text where they are refused.
        tools: A free choice of tools, or plain text where tools are refused.
    """

    verdict: Ladder
    tool: Ladder
    logprobs: Ladder
    tools: Ladder


def ladders_of(model: Any) -> Ladders:
    """Return fresh ladders for a model, from what its class offers."""
    forms = forms_of(model)
    compatible = JSON_SCHEMA in forms
    by_tool = tuple(sorted(forms, key=lambda form: form is not TOOL_CALL))
    return Ladders(
        verdict=Ladder(forms),
        tool=Ladder(by_tool),
        logprobs=Ladder((LOGPROBS, TEXT) if compatible else (TEXT,)),
        tools=Ladder((FREE_TOOLS, TEXT) if TOOL_CALL in forms else (TEXT,)),
    )


@cache
def strict_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return a JSON schema as strict endpoints want it: all keys required, none added."""
    described: dict[str, Any] = schema.model_json_schema()
    for part in [described, *described.get("$defs", {}).values()]:
        if part.get("type") == "object":
            part["additionalProperties"] = False
            part["required"] = list(part.get("properties", {}))
            for field in part.get("properties", {}).values():
                field.pop("default", None)
    return described
