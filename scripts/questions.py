"""Take a question from the command line or from stdin."""

import sys

from scripts.shell import complain
from state.errors import BadQuestion

STDIN = "-"


def read(question: str) -> str:
    """Return the question; ``-`` stands for all of stdin, in UTF-8.

    Raises:
        BadQuestion: What came from stdin is not UTF-8.
    """
    if question != STDIN:
        return question
    if sys.stdin.isatty():
        complain("Type the question, then Ctrl-D on a line of its own.")
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None:
        return sys.stdin.read().strip()
    try:
        text: str = stream.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadQuestion(
            f"The question on stdin is not UTF-8 (byte {error.start}). Convert it, like "
            "iconv -t UTF-8, and ask again."
        ) from error
    return text.strip()
