"""Tables for the docs, and ``.env.example``, made from what the code declares."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import AliasChoices

from backends.settings import Settings
from graphs import NAMES
from scripts.parameters import Parameter, description, parameters, parameters_of

_ENV_HEAD = (
    "# Copy this file to .env and take the # off the lines that you set.\n"
    "# A variable of the environment wins over the same one in .env.\n"
)


def parameter_table(graph: str) -> str:
    """Return the run-time parameters of a graph as a Markdown table."""
    rows = [[f"`{p.name}`", _code(p.default), p.bounds, p.description] for p in parameters(graph)]
    return table(["parameter", "default", "takes", "what it does"], rows)


def graph_table() -> str:
    """Return the graphs as a Markdown table, as it stands in the README."""
    rows = [[f"[`{name}`](docs/{name}.md)", description(name)] for name in NAMES]
    return table(["graph", "what it does"], rows)


def settings_table() -> str:
    """Return the settings as a Markdown table, by the names of the environment."""
    rows = [
        [" or ".join(f"`{name}`" for name in variables(p.name)), _code(p.default), p.bounds,
         p.description]
        for p in parameters_of(Settings)
    ]  # fmt: skip
    return table(["variable", "default", "takes", "what it sets"], rows)


def env_example() -> str:
    """Return ``.env.example``: every setting, commented out, with its default."""
    return "\n".join([_ENV_HEAD, *(_env_entry(p) for p in parameters_of(Settings))])


def variables(field: str) -> list[str]:
    """Return the environment variables that set a field, ours first."""
    alias = Settings.model_fields[field].validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices]
    return [f"CRAG_{field.upper()}"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; bars inside cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |"
                     for line in lines)  # fmt: skip


def _env_entry(parameter: Parameter) -> str:
    ours, *theirs = variables(parameter.name)
    name = theirs[0] if theirs else ours
    return f"# {parameter.description}\n# {name}={_text(parameter.default)}\n"


def _code(default: Any) -> str:
    return "" if default is None else f"`{_text(default)}`"


def _text(default: Any) -> str:
    """Return a default as a person types it: JSON, and strings without quotes."""
    if default is None:
        return ""
    return default if isinstance(default, str) else json.dumps(default)
