"""Roles played by an evaluator: a plain callable from the role's fields to its reply."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage

from backends.jobs import Job, Plan
from backends.redaction import one_line, scrub
from backends.replies import (
    raw_of,
    read_message,
    read_object,
    read_text,
    strip_thinking,
    text_of,
    tool_choices,
)
from backends.threads import in_thread, plainly
from nodes.calls import Ask, Reading, Text, ToolChoice
from state.errors import ConfigError, CragError, ModelError, ModelUnavailable
from state.verdicts import Verdict


class EvaluatorPlayer:
    """Plays a role with a callable, which is given the fields that it names.

    Documents come as ``Document`` mappings, everything else as in the prompt. A callable with
    one required parameter that is no field is given all of them as one mapping. The reply is
    text, or for a verdict a mapping, an instance of the schema, or text that holds JSON. What
    a coroutine function returns is awaited.
    """

    window = None

    def __init__(self, role: str, evaluate: Callable[..., Any]) -> None:
        """Look at the callable's signature once."""
        self.role = role
        self.name = _name(evaluate)
        self._evaluate = evaluate
        self._wanted = _parameters(evaluate)
        self._required = _parameters(evaluate, required=True) or frozenset()
        self._is_async = _is_async(evaluate)

    def plan(self, ask: Ask) -> Plan:
        """Plan one call; one a document when a list is asked of a judge of single documents."""
        if ask.schema is not None and ask.schema.each is not None and self._judges_one_by_one():
            return (yield from self._judge_each(ask.fields, ask.schema, ask.schema.each))
        reply = yield self._job(ask.fields)
        if ask.tools:
            return _choices(reply)
        if ask.schema is None:
            return Text(_text(reply), self.name)
        return self._reading(reply, ask.schema)

    def _judges_one_by_one(self) -> bool:
        return self._wanted is not None and "doc" in self._wanted

    def _judge_each(
        self, fields: Mapping[str, Any], schema: type[Verdict], each: type[Verdict]
    ) -> Plan:
        readings: dict[str, Reading[Any]] = {}
        for document in fields["documents"]:
            reply = yield self._job({**fields, "doc": document})
            readings[document["id"]] = self._reading(reply, each)
        read = {i: reading.value for i, reading in readings.items() if reading.value is not None}
        raw = repr({i: reading.raw for i, reading in readings.items()})
        return Reading(schema.from_each(read), raw, self.name)

    def _reading(self, reply: Any, schema: type[Verdict]) -> Reading[Any]:
        if isinstance(reply, str):
            return Reading(read_text(reply, schema), reply, self.name)
        if isinstance(reply, BaseMessage):
            return Reading(read_message(reply, schema), raw_of(reply), self.name)
        return Reading(read_object(reply, schema), repr(reply), self.name)

    def _call(self, fields: Mapping[str, Any]) -> Callable[[], Any]:
        """Give the callable the fields that it names.

        Raises:
            ConfigError: It requires what is no field of the role.
        """
        if self._wanted is None:
            return partial(self._evaluate, **fields)
        unknown = self._required - fields.keys()
        if len(self._required) == 1 and unknown:
            return partial(self._evaluate, dict(fields))
        if unknown:
            raise ConfigError(
                f"The {self.role} ({self.name}) asks for {', '.join(sorted(unknown))}; its "
                f"fields are {', '.join(fields)}. Name its parameters like them."
            )
        return partial(self._evaluate, **{k: v for k, v in fields.items() if k in self._wanted})

    def _job(self, fields: Mapping[str, Any]) -> Job:
        call = self._call(fields)

        def run() -> Any:
            with self._foreign():
                reply = plainly(call)
                return asyncio.run(_awaited(reply)) if inspect.isawaitable(reply) else reply

        async def arun() -> Any:
            with self._foreign():
                reply = plainly(call) if self._is_async else await in_thread(call)
                return await reply if inspect.isawaitable(reply) else reply

        return Job(self.role, self.name, subject_of(fields), run, arun, self._timed_out)

    @contextmanager
    def _foreign(self) -> Iterator[None]:
        """Turn whatever an evaluator raises into an error that names it."""
        try:
            yield
        except CragError:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary to a user's code
            passing = isinstance(error, ConnectionError | TimeoutError)
            kind = ModelUnavailable if passing else ModelError
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            shown = one_line(scrub(said))
            named = kind(f"The {self.role} ({self.name}) failed: {shown}")
            raise named from (error if scrub(said) == said else None)

    def _timed_out(self, seconds: float) -> CragError:
        return ModelUnavailable(
            f"The {self.role} ({self.name}) gave no reply within {seconds:g} s."
        )


def subject_of(fields: Mapping[str, Any]) -> str:
    """Return what an ask is about, for the receipt: a document's id, else the question."""
    document = fields.get("doc")
    if isinstance(document, Mapping):
        return str(document.get("id", ""))
    return str(fields.get("question", ""))[:200]


def _name(evaluate: Callable[..., Any]) -> str:
    """Return the name that an evaluator gives itself, else its function's or class's."""
    if isinstance(evaluate, partial):
        return _name(evaluate.func)
    own = getattr(evaluate, "name", None) or getattr(evaluate, "__qualname__", None)
    return own if isinstance(own, str) else type(evaluate).__name__


def _is_async(evaluate: Callable[..., Any]) -> bool:
    call = getattr(type(evaluate), "__call__", None)  # noqa: B004 - not whether, but which
    return inspect.iscoroutinefunction(evaluate) or inspect.iscoroutinefunction(call)


async def _awaited(reply: Awaitable[Any]) -> Any:
    return await reply


def _text(reply: Any) -> str:
    if isinstance(reply, BaseMessage):
        return text_of(reply)
    return strip_thinking("" if reply is None else str(reply))


def _choices(reply: Any) -> list[ToolChoice]:
    """Read the tools that an evaluator chose: mappings with a ``name`` and ``args``."""
    if isinstance(reply, BaseMessage):
        return tool_choices(reply)
    given: Sequence[Any] = reply if isinstance(reply, list | tuple) else []
    choices = [choice for choice in given if isinstance(choice, Mapping) and choice.get("name")]
    return [ToolChoice(str(choice["name"]), choice.get("args") or {}) for choice in choices]


def _parameters(function: Callable[..., Any], *, required: bool = False) -> frozenset[str] | None:
    """Return the names that a callable takes, or requires; ``None`` when it takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    named = [p for p in parameters if p.kind is not p.VAR_POSITIONAL]
    return frozenset(p.name for p in named if not required or p.default is p.empty)
