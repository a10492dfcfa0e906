"""Options made from the contexts of the graphs."""

from typing import Literal

import pytest
from pydantic import Field

import graphs
from scripts import options, parameters
from scripts.exits import Code
from state.context import Context
from tests.scripts.kettle import QUESTION


@pytest.fixture
def beam(monkeypatch):
    """A second graph, ``beam``, with parameters of other kinds."""

    class BeamContext(Context):
        beam_width: int = Field(1, ge=1, le=8, description="Paths kept")
        threshold: float = Field(0.2, gt=0, lt=1, description="When to retrieve")
        strict: bool = Field(False, description="Whether to be strict")
        mode: Literal["wide", "deep"] = Field("wide", description="How to search")
        seed: int | None = Field(None, ge=0, description="Seed")

    names = ("corrective", "beam")
    for module in (options, parameters):
        monkeypatch.setattr(module, "NAMES", names)
    own = parameters.context_of
    contexts = {"beam": BeamContext}
    for module in (options, parameters):
        monkeypatch.setattr(module, "context_of", lambda n: contexts.get(n) or own(n))
    yield BeamContext
    parameters.parameters.cache_clear()
    options.options_of.cache_clear()


@pytest.mark.parametrize("name", graphs.NAMES)
def test_the_parameters_are_the_graph_s_own_context(name):
    context = graphs.load(name).Context

    assert parameters.context_of(name) is context
    assert [p.name for p in parameters.parameters(name)] == list(context.model_fields)


@pytest.mark.parametrize("name", graphs.NAMES)
def test_every_parameter_is_an_option_with_its_default_and_bounds_in_the_help(crag, name):
    text = crag("ask", "--graph", name, "--help").stdout
    shown = " ".join(text.replace("│", " ").split())

    for parameter in parameters.parameters(name):
        assert parameter.option in shown
        assert parameter.description in shown
        if parameter.type in ("integer", "number"):
            assert f"({parameter.bounds}; default {parameter.default})" in shown


@pytest.mark.parametrize("name", graphs.NAMES)
def test_no_parameter_hides_an_option_of_the_command(name):
    from typer.main import get_command

    from scripts.commands import app

    own = {p.name for p in get_command(app).commands["ask"].params}
    assert not own & {p.name for p in parameters.parameters(name)}


@pytest.mark.parametrize("name", graphs.NAMES)
def test_defaults_of_the_options_are_the_context_s(name):
    context = parameters.context_of(name)()

    assert {o.name: o.default for o in options.options_of(name)} == context.model_dump()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--top-k", "51"], "--top-k takes 1 to 50, not 51."),
        (["--top-k", "0"], "--top-k takes 1 to 50, not 0."),
        (["--top-k", "many"], "--top-k takes 1 to 50."),
        (["--web-search", "maybe"], "--web-search takes auto, ask, off."),
        (["--max-regenerations", "-1"], "--max-regenerations takes 0 to 10, not -1."),
    ],
)
def test_a_value_out_of_bounds_is_named_with_its_bounds(crag, arguments, said):
    result = crag("ask", QUESTION, *arguments)

    assert result.exit_code == Code.USAGE
    assert f"Error: {said}" in result.stderr
    assert len(result.stderr.splitlines()) == 2


def test_an_option_of_another_graph_is_refused_by_name_with_the_graph_s_own(crag, beam):
    result = crag("ask", QUESTION, "--beam-width", "3")

    assert result.exit_code == Code.USAGE
    assert result.stderr.splitlines()[0] == (
        "Error: The graph corrective has no option --beam-width (it belongs to beam). "
        "Its parameters: --top-k, --max-regenerations, --web-search."
    )


def test_a_misspelt_option_gets_the_nearest_one(crag):
    said = crag("ask", QUESTION, "--topk", "3").stderr

    assert "has no option --topk. Did you mean --top-k?" in said


def test_an_option_without_its_value_says_so(crag):
    assert "Option '--top-k' requires an argument." in crag("ask", QUESTION, "--top-k").stderr


def test_an_unknown_graph_is_named_with_those_there_are(crag):
    result = crag("ask", QUESTION, "--graph", "correctve")

    assert result.exit_code == Code.USAGE
    assert result.stderr.startswith("Error: There is no graph 'correctve'. Graphs: corrective")


def test_help_shows_the_parameters_of_the_graph_that_is_named(crag, beam):
    shown = crag("ask", "--graph", "beam", "--help").stdout

    assert "Parameters of beam" in shown
    assert "--beam-width" in shown
    assert "--strict" in shown
    assert "--top-k" not in shown


def test_each_kind_of_parameter_is_read(beam):
    read = {}

    import typer

    app = typer.Typer()

    @app.command(cls=options.AskCommand)
    def ask(ctx: typer.Context, question: str, graph: str = "corrective") -> None:
        read.update(options.given(ctx))

    arguments = ["--beam-width", "3", "--threshold=0.5", "--strict", "--mode", "deep"]
    typer.main.get_command(app).main(["q", "-" + "-graph=beam", *arguments], standalone_mode=False)

    assert read == {
        "beam_width": 3, "threshold": 0.5, "strict": True, "mode": "deep", "seed": None
    }  # fmt: skip
    assert beam(**read).beam_width == 3


def test_bounds_are_worded(beam):
    worded = {p.name: p.bounds for p in parameters.parameters("beam")}

    assert worded == {
        "beam_width": "1 to 8",
        "threshold": "above 0 and below 1",
        "strict": "boolean",
        "mode": "wide, deep",
        "seed": "at least 0",
    }
