"""How the command line ends: one number a kind of ending, for scripts to read."""

from enum import IntEnum

from state.errors import BadQuestion, ConfigError, CragError, IngestError


class Code(IntEnum):
    """The exit codes; ``docs/cli.md`` lists them for users."""

    DONE = 0
    """It was done; for a question, it was answered, in part at least."""
    UNEXPECTED = 1
    """A fault of the program."""
    USAGE = 2
    """Something given is wrong: an option, a path, a setting, the question."""
    NO_ANSWER = 3
    """A result, but not the one hoped for: no answer, or files that could not be read."""
    BACKEND = 4
    """A model, the index or the web failed."""
    INTERRUPTED = 130
    """Ctrl-C."""
    BROKEN_PIPE = 141
    """Who read the output has gone."""


HELP = (
    "Exit codes: 0 answered or done, 1 a fault of the program, 2 bad input or setting, "
    "3 no answer (not found, refused, exhausted) or some files unread, 4 a model, the index "
    "or the web failed, 130 interrupted."
)

_ANSWERED = {"answered", "partly_supported", "low_confidence"}


def of_status(status: str) -> Code:
    """Return the code for how a run ended."""
    return Code.DONE if status in _ANSWERED else Code.NO_ANSWER


def of_error(error: CragError) -> Code:
    """Return the code for an error: the caller's to mend, or a backend's."""
    if isinstance(error, BadQuestion | ConfigError | IngestError):
        return Code.USAGE
    return Code.BACKEND
