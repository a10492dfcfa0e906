"""The commands of ``crag``.

Only Typer is imported here; each command imports what it needs when it runs, so that help is
there at once.
"""

from pathlib import Path
from typing import Annotated

import typer

from scripts.exits import HELP
from scripts.options import DEFAULT_GRAPH, AskCommand, given
from scripts.shell import Shell, remember_debug

app = typer.Typer(
    cls=Shell,
    name="crag",
    help="Ask your documents. Every answer says what it stands on, what was rejected and why, "
    "and why it stopped; refusing is an answer too.",
    epilog=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no steps.")]
Trace = Annotated[bool, typer.Option("--trace", help="Show every call: who, how long, tokens.")]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", callback=remember_debug, is_eager=True, help="Show the traceback of an error."
    ),
]
LogLevel = Annotated[
    str | None,
    typer.Option(
        "--log-level",
        envvar="CRAG_LOG_LEVEL",
        metavar="LEVEL",
        help="Write the log to stderr: debug, info, warning or error.",
    ),
]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="The same as --log-level info.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"crag {version('corrective-rag')}")
        raise typer.Exit


@app.callback()
def crag(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that stand before a command."""


@app.command(cls=AskCommand)
def ask(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="The question; - reads it from stdin.")],
    graph: Annotated[
        str,
        typer.Option(
            "--graph",
            "-g",
            help="Which graph answers; each has options of its own: crag ask --graph NAME --help.",
        ),
    ] = DEFAULT_GRAPH,
    as_json: Json = False,
    trace: Trace = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log_level: LogLevel = None,
    debug: Debug = False,
) -> None:
    """Ask a question; see each step, then the answer with its sources."""
    from scripts import questions
    from scripts.asking import Wish
    from scripts.asking import ask as answer

    text = questions.read(question)
    logging = _start_log(log_level, verbose=verbose)
    wish = Wish(json=as_json, trace=trace, quiet=quiet, plain=logging)
    raise typer.Exit(answer(text, graph, given(ctx), wish))


@app.command()
def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders: .md, .txt, .html, .pdf.")],
    prune: Annotated[
        bool, typer.Option("--prune", help="Forget files in PATHS that are there no more.")
    ] = False,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress bar.")] = False,
    debug: Debug = False,
) -> None:
    """Ingest files and folders; unchanged ones are not read again."""
    from scripts.ingesting import ingest as store

    _start_log(None, verbose=False)
    raise typer.Exit(store(paths, prune=prune, as_json=as_json, quiet=quiet))


@app.command()
def graphs(as_json: Json = False, debug: Debug = False) -> None:
    """List the graphs, with their parameters, defaults and bounds."""
    from scripts.catalogue import show

    show(as_json=as_json)


@app.command()
def draw(
    graph: Annotated[str, typer.Argument(help="The graph to draw.")] = DEFAULT_GRAPH,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write: .mmd, .png or .svg."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Draw a graph: Mermaid on stdout, or a picture in a file."""
    from scripts.drawing import mermaid, save

    if output is None:
        typer.echo(mermaid(graph), nl=False)
    else:
        save(graph, output)


@app.command()
def doctor(as_json: Json = False, verbose: Verbose = False, debug: Debug = False) -> None:
    """Check which backends answer, and that the grader grades two plain cases rightly."""
    from scripts.doctor import examine

    _start_log(None, verbose=verbose)
    raise typer.Exit(examine(as_json=as_json))


@app.command()
def demo(quiet: Quiet = False, verbose: Verbose = False, debug: Debug = False) -> None:
    """Ingest sample documents into an index of its own and ask three questions."""
    from scripts.demo import demo as show

    _start_log(None, verbose=verbose)
    raise typer.Exit(show(quiet=quiet))


def _start_log(level: str | None, *, verbose: bool) -> bool:
    """Start the log; return whether it is going to write between the steps."""
    from backends.settings import Settings
    from scripts import logs

    chosen = logs.level(level or ("info" if verbose else "warning"))
    logs.configure(chosen, Settings())
    return chosen in ("debug", "info")
