"""Say what went wrong in one or two lines, and which exit code it has."""

from typing import Any

from pydantic import ValidationError

from scripts.exits import Code, of_error
from state.errors import CragError

_LONGEST = 200


def explain(error: BaseException) -> tuple[str, Code]:
    """Return the message for an error, and the exit code.

    A fault of the program says so, and how to see more.
    """
    if isinstance(error, CragError):
        return str(error), of_error(error)
    if isinstance(error, ValidationError):
        return _wrong_values(error), Code.USAGE
    name, said = type(error).__name__, _short(str(error))
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}.", Code.USAGE
    return (
        f"{name}: {said}\nThis is a fault of the program. Run it again with --debug to see where.",
        Code.UNEXPECTED,
    )


def _wrong_values(error: ValidationError) -> str:
    """Name each wrong field, what it was and what it may be."""
    return "\n".join(_wrong_value(problem, error.title) for problem in error.errors())


def _wrong_value(problem: Any, model: str) -> str:
    message = str(problem["msg"]).removeprefix("Value error, ")
    field = ".".join(str(part) for part in problem["loc"])
    if not field:
        return message
    name = _variable(field) if model == "Settings" else field
    return f"{name}: {message}{_value(field, problem.get('input'))}."


def _variable(field: str) -> str:
    """Return the environment variable that sets a field of the settings."""
    return field if field.isupper() else f"CRAG_{field.upper()}"


def _value(field: str, value: Any) -> str:
    """Show the wrong value, unless it may be a secret."""
    if "key" in field.lower() or isinstance(value, dict):
        return ""
    return f", not {_short(repr(value))}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
