"""The edge to the shell: errors become one or two lines, every ending its exit code."""

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import typer
from typer.core import TyperGroup

from scripts.exits import Code

DEBUG = "crag.debug"


class Shell(TyperGroup):
    """The group of commands, with the project's own way of ending."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; print what went wrong, never a traceback, and exit with its code."""
        use_utf8()
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except typer.TyperException as error:
            code = _misused(error)
        except KeyboardInterrupt:
            code = _interrupted()
        except typer.Abort:
            code = _interrupted()
        if not standalone_mode:
            return code or Code.DONE
        sys.exit(code)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named, and turn what it raises into an exit code."""
        try:
            super().invoke(ctx)
            sys.stdout.flush()
        except (typer.TyperException, typer.Abort):
            raise
        except typer.Exit as done:
            raise typer.Exit(_flushed(Code(done.exit_code))) from done
        except KeyboardInterrupt:
            raise typer.Exit(_interrupted()) from None
        except BrokenPipeError:
            raise typer.Exit(silence()) from None
        # The outermost boundary: whatever it is, a user gets a line and not a traceback.
        except Exception as error:  # noqa: BLE001
            raise typer.Exit(_failed(error, debug=debugging(ctx))) from None


def debugging(ctx: Any) -> bool:
    """Return whether tracebacks are wanted: ``--debug`` or ``CRAG_DEBUG``."""
    return bool(ctx.meta.get(DEBUG) or os.environ.get("CRAG_DEBUG"))


def remember_debug(ctx: typer.Context, value: bool) -> bool:
    """Note ``--debug`` where the outermost boundary finds it."""
    if value:
        ctx.meta[DEBUG] = True
    return value


def complain(message: str) -> None:
    """Write a line to stderr, as far as there is one."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(message, file=sys.stderr, flush=True)


def use_utf8() -> None:
    """Write UTF-8 whatever the locale says, and never fail on a broken character.

    A stream that was closed before the program started is ``None``; it gets the null device.
    """
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def silence() -> Code:
    """Send the rest of the output nowhere: who read it has gone."""
    for stream in (sys.stdout, sys.stderr):
        _to_nowhere(stream)
    return Code.BROKEN_PIPE


def _to_nowhere(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _flushed(code: Code) -> Code:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return silence()
    return code


def _misused(error: typer.TyperException) -> Code:
    if type(error).__name__ == "NoArgsIsHelpError":
        return Code.USAGE
    complain(f"Error: {error.format_message()}")
    command = getattr(getattr(error, "ctx", None), "command_path", None)
    complain(f"Try '{command or getattr(error, 'command', 'crag')} --help'.")
    return Code(error.exit_code)


def _interrupted() -> Code:
    complain("Interrupted.")
    return Code.INTERRUPTED


def _failed(error: Exception, *, debug: bool) -> Code:
    from scripts.failures import explain

    message, code = explain(error)
    if debug:
        import traceback

        complain("".join(traceback.format_exception(error)))
    complain(f"Error: {message}")
    return code
