"""Roles played by a chat model: any LangChain chat model, or the one of the settings."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from backends import tokens
from backends.evaluators import subject_of
from backends.failures import named_failures
from backends.forms import TEXT, Form, Ladder, Ladders
from backends.hosted import default_model
from backends.jobs import Job, Plan
from backends.loops import LoopModel
from backends.messages import as_message, cut_reply, refusal_of, usage_of
from backends.models import blocks, core_of, name_of, profiled_window, without_retries
from backends.redaction import secrets_in
from backends.replies import raw_of, read_message, text_of, tokens_of, tool_choices
from backends.settings import Settings
from backends.threads import in_thread, plainly
from nodes.calls import Ask, Reading, Text
from state.errors import (
    CragError,
    FormFault,
    FormRejected,
    ModelRejected,
    ModelUnavailable,
)

__all__ = ["ChatPlayer", "default_model", "name_of", "without_retries"]

_UNKNOWN_WINDOW = 16_384
PLAIN = Ladder((TEXT,))


@dataclass(frozen=True, slots=True)
class _Asked:
    """An ask, the schema or tools that the reply is wanted in, and the rendered prompt."""

    ask: Ask
    wanted: Any
    messages: Sequence[BaseMessage]


class ChatPlayer:
    """Plays a role with a chat model: renders the prompt, makes one call, reads the reply.

    Attributes:
        role: The role.
        name: The model's name.
        window: Tokens that the model can read, counted as for OpenAI's models.
    """

    def __init__(self, role: str, model: Any, ladders: Ladders, settings: Settings) -> None:
        """Keep the model, with its client's own retries turned off."""
        self.role = role
        self.name = name_of(model)
        self.ladders = ladders
        self.window = _window(model, settings)
        self._shown = LoopModel(without_retries(model))
        self._quiet = LoopModel(without_retries(model, stream=False))
        self._blocks = blocks(model)
        self._tries = settings.max_attempts
        self._secrets = secrets_in(core_of(model), settings)

    def plan(self, ask: Ask) -> Plan:
        """Plan one call; more only when the endpoint refuses the form of the request."""
        if ask.tools:
            message = yield from self._ask(ask, self.ladders.tools, ask.tools)
            return tool_choices(message)
        if ask.schema is not None:
            ladder = self.ladders.tool if ask.enforce_tool else self.ladders.verdict
            message = yield from self._ask(ask, ladder, ask.schema)
            return Reading(read_message(message, ask.schema), raw_of(message), self.name)
        ladder = self.ladders.logprobs if ask.logprobs else PLAIN
        message = yield from self._ask(ask, ladder, None)
        return self._text(message, logprobs=ask.logprobs)

    def _text(self, message: BaseMessage, *, logprobs: bool) -> Text:
        refusal = refusal_of(message)
        if refusal:
            raise ModelRejected(f"The {self.role} ({self.name}) refused the content: {refusal}")
        return Text(text_of(message), self.name, tokens_of(message) if logprobs else None)

    def _ask(self, ask: Ask, ladder: Ladder, wanted: Any) -> Plan:
        """Make one call, and one more for each form that the endpoint refuses.

        A server error on a form that never worked may be the form's fault, so the lower ones
        are tried, once each. Where none of them works either, it is an outage, and the first
        form gets the tries that are left.
        """
        asked = _Asked(ask, wanted, [HumanMessage(ask.prompt.render(ask.fields))])
        faulty: tuple[Form, ModelUnavailable] | None = None
        for form in ladder.down():
            known = form is ladder.known
            try:
                message = yield self._job(asked, form, known=known, tries=1 if faulty else None)
            except FormRejected:
                continue
            except ModelUnavailable as error:
                if known or not (faulty or isinstance(error, FormFault)):
                    raise
                faulty = faulty or (form, error)
                continue
            ladder.known = form
            return message
        assert faulty is not None  # noqa: S101 - plain text is never a refused form
        form, fault = faulty
        left = self._tries - FormFault.tries
        if left <= 0:
            raise fault
        message = yield self._job(asked, form, known=True, tries=left)
        ladder.known = form
        return message

    def _job(self, asked: _Asked, form: Form, *, known: bool, tries: int | None) -> Job:
        # Only the answer may reach a stream of messages: no verdicts, no queries, and no
        # candidates for an answer, which are what log-probabilities are asked for with.
        shown = self.role == "generator" and not asked.ask.logprobs
        config: Any = {"tags": [] if shown else ["nostream"], "run_name": self.role}
        model = self._shown if shown else self._quiet
        bound = self._bound(form, asked.wanted, model.model)
        named = partial(
            named_failures,
            self.role,
            self.name,
            structured=form is not TEXT,
            known=known,
            secrets=self._secrets,
        )

        def run() -> BaseMessage:
            with named():
                try:
                    return as_message(plainly(partial(bound.invoke, asked.messages, config)))
                except Exception as error:  # noqa: BLE001 - raised again unless it is a reply
                    return cut_reply(error)

        async def arun() -> BaseMessage:
            if self._blocks:
                return await in_thread(run)
            own = bound
            if model.shares:
                own = self._bound(form, asked.wanted, await model.in_loop())
            with named():
                try:
                    return as_message(await own.ainvoke(asked.messages, config))
                except Exception as error:  # noqa: BLE001 - raised again unless it is a reply
                    return cut_reply(error)

        subject = subject_of(asked.ask.fields)
        return Job(self.role, self.name, subject, run, arun, self._timed_out, usage_of, tries)

    def _bound(self, form: Form, wanted: Any, model: Any) -> Any:
        try:
            return form.bind(model, wanted)
        except (NotImplementedError, TypeError, ValueError) as error:
            raise FormRejected(
                f"The {self.role} ({self.name}) cannot be asked by {form.name}: {error}"
            ) from error

    def _timed_out(self, seconds: float) -> CragError:
        return ModelUnavailable(
            f"The {self.role} ({self.name}) gave no reply within {seconds:g} s. Raise "
            "CRAG_TIMEOUT, or try again."
        )


def _window(model: Any, settings: Settings) -> int:
    """Return what of a model's window is left for a prompt.

    The reply has to fit, and a prompt may hold a draft and its unsupported claims, each as
    long as a reply; half of a small window stays for the documents all the same.
    """
    whole = settings.context_window or profiled_window(model) or _UNKNOWN_WINDOW
    reserve = min(3 * settings.max_output_tokens, whole // 2)
    return int((whole - reserve) / tokens.margin(name_of(model)))
