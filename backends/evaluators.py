"""Roles played by an evaluator: a plain callable from the role's fields to its reply."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from backends.jobs import Job, Plan
from backends.replies import read_text, strip_thinking
from nodes.calls import Ask, Reading, Text, ToolChoice
from state.errors import CragError, ModelError, ModelUnavailable
from state.verdicts import Verdict


class EvaluatorPlayer:
    """Plays a role with a callable, which is given the fields that it names.

    Documents come as ``Document`` mappings, everything else as in the prompt. The reply is
    text, or for a verdict a mapping, an instance of the schema, or text that holds JSON. A
    coroutine function is awaited.
    """

    window = None

    def __init__(self, role: str, evaluate: Callable[..., Any]) -> None:
        """Look at the callable's signature once."""
        self.role = role
        own_name = getattr(evaluate, "name", None) or getattr(evaluate, "__qualname__", None)
        self.name = str(own_name or type(evaluate).__name__)
        self._evaluate = evaluate
        self._wanted = _parameters(evaluate)
        self._is_async = inspect.iscoroutinefunction(
            evaluate if inspect.isroutine(evaluate) else getattr(evaluate, "__call__", None)  # noqa: B004
        )

    def plan(self, ask: Ask) -> Plan:
        """Plan one call; one a document when a list is asked of a judge of single documents."""
        if ask.schema is not None and ask.schema.each is not None and self._judges_one_by_one():
            return (yield from self._judge_each(ask.fields, ask.schema, ask.schema.each))
        reply = yield self._job(ask.fields)
        if ask.tools:
            return [ToolChoice(choice["name"], choice.get("args") or {}) for choice in reply or []]
        if ask.schema is None:
            return Text(strip_thinking(str(reply if reply is not None else "")), self.name)
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
        try:
            value = schema.model_validate(reply)
        except ValidationError:
            return Reading(None, repr(reply), self.name)
        return Reading(value, repr(reply), self.name)

    def _job(self, fields: Mapping[str, Any]) -> Job:
        named = {k: v for k, v in fields.items() if self._wanted is None or k in self._wanted}

        def run() -> Any:
            with _Foreign(self.role, self.name):
                reply = self._evaluate(**named)
                return asyncio.run(reply) if self._is_async else reply

        async def arun() -> Any:
            with _Foreign(self.role, self.name):
                if self._is_async:
                    return await self._evaluate(**named)
                return await asyncio.to_thread(self._evaluate, **named)

        return Job(self.role, self.name, subject_of(fields), run, arun, self._timed_out)

    def _timed_out(self, seconds: float) -> CragError:
        return ModelUnavailable(
            f"The {self.role} ({self.name}) gave no reply within {seconds:g} s."
        )


class _Foreign:
    """Turn whatever an evaluator raises into an error that names it."""

    def __init__(self, role: str, name: str) -> None:
        self._who = f"The {role} ({name})"

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, CragError):
            raise ModelError(f"{self._who} failed: {type(error).__name__}: {error}") from error


def subject_of(fields: Mapping[str, Any]) -> str:
    """Return what an ask is about, for the receipt: a document's id, else the question."""
    document = fields.get("doc")
    if isinstance(document, Mapping):
        return str(document.get("id", ""))
    return str(fields.get("question", ""))[:200]


def _parameters(function: Callable[..., Any]) -> frozenset[str] | None:
    """Return the names that a callable takes; ``None`` when it takes any."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return None
    return frozenset(p.name for p in parameters)
