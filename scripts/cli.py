"""The entry point of ``crag``: runs a command and ends the process with its exit code.

Nothing is imported before ``main`` runs, so that Ctrl-C is answered without a traceback from
the first moment on.
"""

_INTERRUPTED = 130


def main() -> None:
    """Run the command line."""
    import sys

    try:
        code = _run()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        code = _INTERRUPTED
    if code == _INTERRUPTED:
        _leave_at_once(code)
    sys.exit(code)


def _run() -> int:
    import typer.main

    from scripts.commands import app

    command = typer.main.get_command(app)
    code: int = command.main(prog_name="crag", standalone_mode=False)
    return code


def _leave_at_once(code: int) -> None:
    """End the process without joining its threads: one may wait for a call that blocks."""
    import os
    import sys

    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
