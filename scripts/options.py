"""Options of ``crag ask`` that are made from the parameters of the chosen graph."""

import inspect
from difflib import get_close_matches
from functools import cache
from typing import Any

import typer
from pydantic import ValidationError
from typer.core import TyperCommand

from graphs import NAMES
from scripts.exits import Code
from scripts.parameters import Parameter, context_of, parameters

DEFAULT_GRAPH = NAMES[0]
_GRAPH = "crag.graph"
_GIVEN = "crag.parameters"
_METAVARS = {"integer": "INT", "number": "NUM"}


class Misuse(typer.TyperException):
    """The options of ``crag ask`` were used wrongly.

    Attributes:
        command: Whose help to read.
    """

    exit_code = Code.USAGE
    command = "crag ask"


class AskCommand(TyperCommand):
    """A command whose options depend on its ``--graph``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Look for the graph first; then its options are known."""
        graph = self._look_for_graph(ctx, args)
        ctx.meta[_GRAPH] = graph
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException as error:
            explained = None if self._knows(error, ctx) else _explain(error, graph)
            if explained is None:
                raise
            raise Misuse(explained) from error

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the command's own options, then the graph's, then ``--help``."""
        own = super().get_params(ctx)
        graph = ctx.meta.get(_GRAPH)
        return [*own[:-1], *options_of(graph), own[-1]] if graph else own

    def invoke(self, ctx: Any) -> Any:
        """Keep the graph's parameters apart from the command's own."""
        names = [parameter.name for parameter in parameters(ctx.meta[_GRAPH])]
        ctx.meta[_GIVEN] = {name: ctx.params.pop(name) for name in names}
        check(ctx.meta[_GIVEN], ctx.meta[_GRAPH])
        return super().invoke(ctx)

    def _knows(self, error: typer.TyperException, ctx: Any) -> bool:
        """Return whether the error is about the use of an option that there is."""
        option = getattr(error, "option_name", None)
        return any(option in parameter.opts for parameter in self.get_params(ctx))

    def _look_for_graph(self, ctx: Any, args: list[str]) -> str:
        parser = self.make_parser(ctx)
        parser.ignore_unknown_options = True
        found, _, _ = parser.parse_args(list(args))
        graph = str(found.get("graph") or DEFAULT_GRAPH)
        if graph in NAMES:
            return graph
        if ctx.resilient_parsing:
            return DEFAULT_GRAPH
        raise Misuse(f"There is no graph {graph!r}. Graphs: {', '.join(NAMES)}.")


def given(ctx: typer.Context) -> dict[str, Any]:
    """Return the values of the graph's parameters."""
    values: dict[str, Any] = ctx.meta[_GIVEN]
    return values


@cache
def options_of(graph: str) -> list[Any]:
    """Return a graph's parameters as options, made by Typer from a signature."""

    def command(**_: Any) -> None:
        """Take any option."""

    fields = context_of(graph).model_fields
    signature = [
        inspect.Parameter(
            parameter.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_option(parameter, graph),
            annotation=_annotation(parameter, fields[parameter.name].annotation),
        )
        for parameter in parameters(graph)
    ]
    command.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    command.__annotations__ = {field.name: field.annotation for field in signature}
    app = typer.Typer(add_completion=False)
    app.command(add_help_option=False)(command)
    return list(typer.main.get_command(app).params)


def _annotation(parameter: Parameter, own: Any) -> Any:
    """Return the type that Typer reads; what is in a list, the context checks."""
    return list[str] if parameter.type == "array" else own


def _option(parameter: Parameter, graph: str) -> Any:
    """Return the option; the context checks its bounds, which the help only shows."""
    switch = parameter.type == "boolean"
    off = f"/--no-{parameter.option[2:]}" if switch and parameter.default else ""
    return typer.Option(
        parameter.default,
        parameter.option + off,
        help=parameter.description + _limits(parameter),
        metavar=None if switch else _METAVARS.get(parameter.type, "TEXT"),
        show_choices=False,
        show_default=False,
        rich_help_panel=f"Parameters of {graph}",
    )


def _limits(parameter: Parameter) -> str:
    """Word what an option takes and its default."""
    if parameter.type == "boolean":
        return ""
    shown = parameter.default
    default = ", ".join(shown) if isinstance(shown, list) else "none" if shown is None else shown
    takes = "" if parameter.bounds == parameter.type else f"{parameter.bounds}; "
    return f" ({takes}default {default})"


def check(values: dict[str, Any], graph: str) -> None:
    """Hold values against the graph's context.

    Raises:
        Misuse: One is out of bounds, or they contradict each other.
    """
    try:
        context_of(graph)(**values)
    except ValidationError as error:
        raise Misuse("\n".join(_fault(fault, graph) for fault in error.errors())) from error


def _fault(fault: Any, graph: str) -> str:
    for parameter in parameters(graph):
        if fault["loc"] and parameter.name == fault["loc"][0]:
            return f"{parameter.option} takes {parameter.bounds}, not {fault['input']!r}."
    return str(fault["msg"]).removeprefix("Value error, ")


def _explain(error: typer.TyperException, graph: str) -> str | None:
    """Say what a graph's parameter takes; ``None`` when the error is about something else."""
    wrong = getattr(getattr(error, "param", None), "name", None)
    for parameter in parameters(graph):
        if parameter.name == wrong:
            return f"{parameter.option} takes {parameter.bounds}. {error.message}."
    option = getattr(error, "option_name", None)
    return _unknown(option, graph) if option else None


def _unknown(option: str, graph: str) -> str:
    """Say whose an option is, and which ones the graph has (field report on beam width)."""
    mine = [parameter.option for parameter in parameters(graph)]
    owners = [
        name for name in NAMES if option in (parameter.option for parameter in parameters(name))
    ]
    whose = f" (it belongs to {', '.join(owners)})" if owners else ""
    close = get_close_matches(option, mine, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    return (
        f"The graph {graph} has no option {option}{whose}.{hint} Its parameters: {', '.join(mine)}."
    )
