"""What can be set for a run of a graph, read from the graph's ``Context``.

The one source of the command line's options, of ``crag graphs`` and of the tables in the
docs. Nothing here imports LangGraph, so that help stays fast.
"""

import ast
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from graphs import NAMES, load
from state.context import Context


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a graph.

    Attributes:
        name: As in the context.
        type: ``integer``, ``number``, ``boolean``, ``string`` or ``array``.
        default: Its JSON value.
        minimum: Least value allowed; ``None`` without such a bound.
        maximum: Greatest value allowed; ``None`` without such a bound.
        bounds: What it may be, in words.
        choices: The values there are; empty when they are not listed.
        description: What it does, in one sentence.
    """

    name: str
    type: str
    default: Any
    minimum: float | None
    maximum: float | None
    bounds: str
    choices: tuple[str, ...]
    description: str

    @property
    def option(self) -> str:
        """The command line's option."""
        return "--" + self.name.replace("_", "-")


def context_of(name: str) -> type[Context]:
    """Return a graph's parameters without importing the graph where that can be.

    ``state/<name>.py`` holds the graph's context by convention; where it does not, the
    graph itself is asked.
    """
    if name in NAMES and find_spec(f"state.{name}"):
        module = import_module(f"state.{name}")
        own = [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Context)
            and value.__module__ == module.__name__
        ]
        if len(own) == 1:
            return own[0]
    context: type[Context] = load(name).Context
    return context


@cache
def parameters(name: str) -> tuple[Parameter, ...]:
    """Return the parameters of a graph, in the order of its context."""
    return parameters_of(context_of(name))


def parameters_of(model: type[BaseModel]) -> tuple[Parameter, ...]:
    """Return the fields of any model as parameters, in their order."""
    properties = model.model_json_schema(by_alias=False).get("properties", {})
    return tuple(_parameter(key, schema) for key, schema in properties.items())


def _parameter(name: str, schema: dict[str, Any]) -> Parameter:
    merged = {**schema, **_without_null(schema)}
    listed = merged.get("items", merged)
    choices = tuple(str(choice) for choice in listed.get("enum", ()))
    return Parameter(
        name=name,
        type=merged.get("type", "string"),
        default=schema.get("default"),
        minimum=merged.get("minimum"),
        maximum=merged.get("maximum"),
        bounds=", ".join(choices) or _bounds(merged),
        choices=choices,
        description=schema.get("description", ""),
    )


def _bounds(schema: dict[str, Any]) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']:g} to {schema['maximum']:g}"
    words = {
        "minimum": "at least",
        "exclusiveMinimum": "above",
        "maximum": "at most",
        "exclusiveMaximum": "below",
    }
    limits = [f"{word} {schema[key]:g}" for key, word in words.items() if key in schema]
    return " and ".join(limits) or str(schema.get("type", ""))


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an optional value."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind.get("type") != "null"]
    return kinds[0] if len(kinds) == 1 else {}


def description(name: str) -> str:
    """Return the first line of a graph's docstring, read without importing it."""
    spec = find_spec(f"graphs.{name}")
    source = Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
    return (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]


def listing() -> list[dict[str, Any]]:
    """Return every graph with its description and parameters, as JSON values."""
    return [
        {
            "name": name,
            "description": description(name),
            "parameters": [asdict(parameter) for parameter in parameters(name)],
        }
        for name in NAMES
    ]
