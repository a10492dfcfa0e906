"""Roles played by a chat model: any LangChain chat model, or the one of the settings."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from backends import tokens
from backends.evaluators import subject_of
from backends.failures import named_failures
from backends.forms import TEXT, Ladder, Ladders
from backends.jobs import Job, Plan
from backends.replies import raw_of, read_message, text_of, tokens_of, tool_choices
from backends.settings import Settings
from nodes.calls import Ask, Reading, Text
from state.errors import ConfigError, CragError, FormRejected, ModelUnavailable

_UNKNOWN_WINDOW = 16_384
_LOCAL_KEY = "no-key"
PLAIN = Ladder((TEXT,))


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
        self._model = without_retries(model)
        window = settings.context_window or _profiled_window(model) or _UNKNOWN_WINDOW
        self.window = int((window - 3 * settings.max_output_tokens) / tokens.margin(self.name))

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
        return Text(text_of(message), self.name, tokens_of(message) if ask.logprobs else None)

    def _ask(self, ask: Ask, ladder: Ladder, wanted: Any) -> Plan:
        """Make one call, and one more for each form that the endpoint refuses."""
        messages = [HumanMessage(ask.prompt.render(ask.fields))]
        for form in ladder.down():
            bound = form.bind(self._model, wanted)
            try:
                message = yield self._job(bound, messages, ask, structured=form is not TEXT)
            except FormRejected:
                continue
            ladder.known = form
            return message
        raise AssertionError  # pragma: no cover - plain text is never a refused form

    def _job(
        self, model: Any, messages: Sequence[BaseMessage], ask: Ask, *, structured: bool
    ) -> Job:
        # Only the answer may reach a stream of messages: no verdicts, no queries, and no
        # candidates for an answer, which are what log-probabilities are asked for with.
        shown = self.role == "generator" and not ask.logprobs
        tags = [] if shown else ["nostream"]
        config: Any = {"tags": tags, "run_name": self.role}

        def run() -> BaseMessage:
            with named_failures(self.role, self.name, structured=structured):
                return _message(model.invoke(messages, config))

        async def arun() -> BaseMessage:
            with named_failures(self.role, self.name, structured=structured):
                return _message(await model.ainvoke(messages, config))

        subject = subject_of(ask.fields)
        return Job(self.role, self.name, subject, run, arun, self._timed_out, _tokens)

    def _timed_out(self, seconds: float) -> CragError:
        return ModelUnavailable(
            f"The {self.role} ({self.name}) gave no reply within {seconds:g} s. Raise "
            "CRAG_TIMEOUT, or try again."
        )


def default_model(settings: Settings, role: str) -> Any:
    """Return the settings' chat model for a role; the client is imported here, not before."""
    from langchain_openai import ChatOpenAI

    key = settings.api_key.get_secret_value() if settings.api_key else None
    if key is None and settings.base_url is None:
        raise ConfigError("There is no key. Set OPENAI_API_KEY, or CRAG_BASE_URL for a local one.")
    return ChatOpenAI(
        model=settings.model_of(role),
        api_key=key or _LOCAL_KEY,  # type: ignore[arg-type]
        base_url=settings.base_url,
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_tokens=settings.max_output_tokens,  # type: ignore[call-arg]
        max_retries=0,
        stream_usage=True,
    )


def name_of(model: Any) -> str:
    """Return a model's name as its class keeps it, else the class's name."""
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(model, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(model).__name__


def without_retries(model: Any) -> Any:
    """Return an OpenAI-compatible model whose client does not retry.

    The gateway retries, and both together would multiply. Other models come back as they are.
    """
    if not hasattr(getattr(model, "root_client", None), "with_options"):
        return model
    calm = model.model_copy()
    calm.root_client = model.root_client.with_options(max_retries=0)
    calm.client = calm.root_client.chat.completions
    if model.root_async_client is not None:
        calm.root_async_client = model.root_async_client.with_options(max_retries=0)
        calm.async_client = calm.root_async_client.chat.completions
    return calm


def _message(reply: Any) -> BaseMessage:
    """Wrap the text of models that return text."""
    return reply if isinstance(reply, BaseMessage) else HumanMessage(str(reply))


def _tokens(message: Any) -> tuple[int, int]:
    usage = getattr(message, "usage_metadata", None) or {}
    return int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)


def _profiled_window(model: Any) -> int | None:
    profile = getattr(model, "profile", None) or {}
    window = profile.get("max_input_tokens") if isinstance(profile, dict) else None
    return window if isinstance(window, int) else None
