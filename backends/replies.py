"""Read what models write, whatever form it comes in.

JSON in the content, in a tool call, inside a fence or prose, or after thinking; a wrapper
object around it or keys beside it. A reply that holds two different verdicts, or none, is
not read: it takes the specification's conservative branch.
"""

import re
from collections.abc import Iterator
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, ValidationError

from backends.objects import objects_in
from nodes.calls import Token, ToolChoice
from state.verdicts import Verdict

M = TypeVar("M", bound=Verdict)

_TAG = r"[<\[](think|thinking|thought|reasoning)[>\]]"
_CLOSED = r"[<\[]/(?:think|thinking|thought|reasoning)[>\]]"
_FLAGS = re.DOTALL | re.IGNORECASE
_UNOPENED = rf"\A(?:(?!{_TAG}).)*?{_CLOSED}(?=\s*(?:\n|\Z|[{{`]))"
_LEADING = re.compile(rf"\A\s*{_TAG}.*?(?:{_CLOSED}|\Z)|{_UNOPENED}", _FLAGS)
_ANYWHERE = re.compile(rf"{_TAG}.*?(?:{_CLOSED}|\Z)|{_UNOPENED}", _FLAGS)
_CUT = {"length", "max_tokens", "model_length"}


def text_of(message: BaseMessage) -> str:
    """Return the text of a message without thinking blocks."""
    return strip_thinking(str(message.text))


def strip_thinking(text: str) -> str:
    """Take out the thinking that opens a reply, also unclosed or unopened, and outer space.

    Tags further on are the answer's own: a question may be about them.
    """
    while (match := _LEADING.match(text)) is not None and match.end():
        text = text[match.end() :]
    return text.strip()


def raw_of(message: BaseMessage) -> str:
    """Return a reply as it came, for the log: its text, its tool calls and its refusal."""
    parts = [str(message.text)]
    calls = [arguments for _, arguments in _tool_calls(message)]
    if calls:
        parts.append(f"tool calls: {calls}")
    refusal = message.additional_kwargs.get("refusal")
    if refusal:
        parts.append(f"refusal: {refusal}")
    if is_cut(message):
        parts.append("(cut at the token limit)")
    return " ".join(part for part in parts if part)


def is_cut(message: BaseMessage) -> bool:
    """Tell whether a reply ended at the token limit, by any provider's word for it."""
    told = message.response_metadata
    reasons = (told.get(name) for name in ("finish_reason", "stop_reason", "done_reason"))
    return any(str(reason).lower() in _CUT for reason in reasons)


def read_message(message: BaseMessage, schema: type[M]) -> M | None:
    """Read a verdict from tool calls and the content; ``None`` when there is none.

    Arguments of a reply that was cut are not read: clients close what is open in them.
    """
    calls = [] if is_cut(message) else [arguments for _, arguments in _tool_calls(message)]
    values = [value for raw in calls for value in _values(raw, schema)]
    if not values:
        return read_text(str(message.text), schema)
    return _only([*values, *_in_text(str(message.text), schema)])


def read_text(text: str, schema: type[M]) -> M | None:
    """Read a verdict from text that holds it as JSON; ``None`` when there is none."""
    values = _in_text(text, schema)
    return _only(values) if values else schema.from_words(_ANYWHERE.sub("", text).strip())


def read_object(value: Any, schema: type[M]) -> M | None:
    """Read a verdict from a mapping or a model's instance; ``None`` when it is none."""
    plain = value.model_dump() if isinstance(value, BaseModel) else value
    return _only(list(_values(plain, schema)))


def tool_choices(message: BaseMessage) -> list[ToolChoice]:
    """Return the tools that a model chose; calls whose arguments are not JSON are left out."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    whole = calls[:-1] if is_cut(message) else calls
    return [ToolChoice(call["name"], call["args"]) for call in whole]


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


def _tool_calls(message: BaseMessage) -> Iterator[tuple[str | None, Any]]:
    if not isinstance(message, AIMessage):
        return
    for call in message.tool_calls:
        yield call["name"], call["args"]
    for broken in message.invalid_tool_calls:
        yield broken["name"], broken["args"] or ""
    older = message.additional_kwargs.get("function_call")
    if isinstance(older, dict):
        yield older.get("name"), older.get("arguments") or ""


def _in_text(text: str, schema: type[M]) -> list[M]:
    """Return the verdicts in a text, outside of its thinking."""
    whole = text.strip()
    if whole.startswith("{") and whole.endswith("}"):
        # A whole object may speak of thinking tags in a string.
        values = list(_values(whole, schema))
        if values:
            return values
    return list(_values(_ANYWHERE.sub("", text), schema))


def _values(raw: Any, schema: type[M]) -> Iterator[M]:
    for candidate in objects_in(raw) if isinstance(raw, str) else [raw]:
        value = _validated(candidate, schema)
        if value is not None:
            yield value


def _validated(candidate: Any, schema: type[M]) -> M | None:
    """Validate an object, or the only one inside a wrapper object or a list."""
    for _ in range(4):
        try:
            return schema.model_validate(candidate)
        except (ValidationError, TypeError):  # a validator may trip over what it is given
            candidate = _unwrapped(candidate)
        if candidate is None:
            return None
    return None


def _unwrapped(candidate: Any) -> Any:
    """Return the only object inside; ``None`` when there is none or there are several."""
    if isinstance(candidate, str):
        inner = objects_in(candidate)
    elif isinstance(candidate, dict):
        inner = [value for value in candidate.values() if _holds_object(value)]
    else:
        inner = candidate if isinstance(candidate, list) else []
    return inner[0] if len(inner) == 1 else None


def _holds_object(value: Any) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, str) and value.startswith("{"))
