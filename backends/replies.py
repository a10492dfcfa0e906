"""Read what models write, whatever form it comes in.

JSON in the content, in a tool call, inside a fence or prose, or after thinking; a wrapper
object around it or keys beside it. A reply that holds two different verdicts, or none, is
not read: it takes the specification's conservative branch.
"""

import ast
import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import ValidationError

from nodes.calls import Token, ToolChoice
from state.verdicts import Verdict

M = TypeVar("M", bound=Verdict)

_THINKING = re.compile(
    r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)|\A.*?</(?:think|thinking|reasoning)>",
    re.DOTALL | re.IGNORECASE,
)
_JSON = json.JSONDecoder(strict=False)


def text_of(message: BaseMessage) -> str:
    """Return the text of a message without thinking blocks."""
    return strip_thinking(str(message.text))


def strip_thinking(text: str) -> str:
    """Take thinking blocks out, an unclosed or unopened one too, and outer white space."""
    return _THINKING.sub("", text).strip()


def raw_of(message: BaseMessage) -> str:
    """Return a reply as it came, for the log."""
    calls = list(_tool_arguments(message))
    return str(message.text) + ("" if not calls else f" tool calls: {calls}")


def read_message(message: BaseMessage, schema: type[M]) -> M | None:
    """Read a verdict from tool calls, else from the content; ``None`` when there is none."""
    values = [value for raw in _tool_arguments(message) for value in _values(raw, schema)]
    return _only(values) if values else read_text(str(message.text), schema)


def read_text(text: str, schema: type[M]) -> M | None:
    """Read a verdict from text that holds it as JSON; ``None`` when there is none."""
    said = strip_thinking(text)
    values = list(_values(said, schema))
    return _only(values) if values else schema.from_words(said)


def tool_choices(message: BaseMessage) -> list[ToolChoice]:
    """Return the tools that a model chose; calls whose arguments are not JSON are left out."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return [ToolChoice(call["name"], call["args"]) for call in calls]


def tokens_of(message: BaseMessage) -> tuple[Token, ...] | None:
    """Return a reply's tokens with their alternatives; ``None`` where they were not exposed."""
    logprobs = message.response_metadata.get("logprobs") or {}
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not content:
        return None
    return tuple(
        Token(
            entry["token"],
            entry["logprob"],
            {top["token"]: top["logprob"] for top in entry.get("top_logprobs") or []},
        )
        for entry in content
    )


def _only(values: list[M]) -> M | None:
    """Return the one verdict of a reply; contradictory ones are none."""
    return values[0].joined(values) if values else None


def _tool_arguments(message: BaseMessage) -> Iterator[Any]:
    if isinstance(message, AIMessage):
        yield from (call["args"] for call in message.tool_calls)
        yield from (call["args"] for call in message.invalid_tool_calls if call["args"])


def _values(raw: Any, schema: type[M]) -> Iterator[M]:
    for candidate in _objects(raw) if isinstance(raw, str) else [raw]:
        value = _validated(candidate, schema)
        if value is not None:
            yield value


def _validated(candidate: Any, schema: type[M]) -> M | None:
    """Validate an object, or the one inside a wrapper object or a list of one."""
    for _ in range(3):
        try:
            return schema.model_validate(candidate)
        except ValidationError:
            inner = _unwrapped(candidate)
        if inner is None:
            return None
        candidate = inner
    return None


def _unwrapped(candidate: Any) -> Any:
    if isinstance(candidate, dict) and len(candidate) == 1:
        return next(iter(candidate.values()))
    if isinstance(candidate, list) and len(candidate) == 1:
        return candidate[0]
    return _JSON.decode(candidate) if _is_json(candidate) else None


def _is_json(candidate: Any) -> bool:
    if not isinstance(candidate, str) or not candidate.lstrip().startswith("{"):
        return False
    try:
        _JSON.decode(candidate.strip())
    except ValueError:
        return False
    return True


def _objects(text: str) -> Iterator[Any]:
    """Yield the outermost JSON objects in a text; a Python literal counts as one."""
    position = text.find("{")
    found = False
    while position >= 0:
        try:
            value, end = _JSON.raw_decode(text, position)
        except (ValueError, RecursionError):
            position = text.find("{", position + 1)
            continue
        found = True
        yield value
        position = text.find("{", end)
    if not found:
        yield from _python_literal(text)


def _python_literal(text: str) -> Iterator[Any]:
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        return
    try:
        yield ast.literal_eval(text[start : end + 1])
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
