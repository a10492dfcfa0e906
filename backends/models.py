"""What LangChain chat models are made of, and how they are set up for the gateway."""

from collections.abc import Callable
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel, SimpleChatModel
from langchain_core.runnables import (
    Runnable,
    RunnableBinding,
    RunnableLambda,
    RunnableWithFallbacks,
)
from langchain_core.runnables.retry import RunnableRetry


def core_of(model: Any) -> Any:
    """Return the model inside of what ``bind``, ``with_config`` and ``with_retry`` make."""
    while isinstance(model, RunnableBinding | RunnableRetry):
        model = model.bound
    return model


def name_of(model: Any) -> str:
    """Return a model's name as its class keeps it, else the class's name."""
    core = core_of(model)
    for attribute in ("model_name", "model", "model_id"):
        name = getattr(core, attribute, None)
        if isinstance(name, str) and name:
            return name
    return type(core).__name__


def is_openai_compatible(model: Any) -> bool:
    """Tell whether a model's class speaks OpenAI's protocol, which ``response_format`` is of."""
    return any(kind.__name__ == "BaseChatOpenAI" for kind in type(core_of(model)).__mro__)


def identity_of(model: Any) -> Any:
    """Return what two models have in common when what is learnt of one holds for the other."""
    core = core_of(model)
    if is_openai_compatible(core):
        return type(core).__name__, name_of(core), str(core.openai_api_base or "")
    return id(core)


def blocks(model: Any) -> bool:
    """Tell whether a model has no async side of its own.

    Its ``ainvoke`` would then block a thread of the event loop's pool, which is small, and
    which is joined at exit.
    """
    core = core_of(model)
    if isinstance(core, BaseChatModel):
        own = type(core)._agenerate
        return own in (BaseChatModel._agenerate, SimpleChatModel._agenerate)
    if isinstance(core, RunnableLambda):
        return not hasattr(core, "afunc")
    return type(core).ainvoke is Runnable.ainvoke


def without_retries(model: Any, *, stream: bool = True) -> Any:
    """Return a model whose client does not retry; the one given is not touched.

    The gateway retries, and both together would multiply.

    Args:
        model: Any model; of those that are not OpenAI-compatible, only LangChain's own
            retries are taken off.
        stream: Whether the reply may be streamed to who listens; else an OpenAI-compatible
            model is asked for it in one piece, unless it was set to stream always.
    """
    return _changed(model, partial(_calm, stream=stream))


def shares_client(model: Any) -> bool:
    """Tell whether a model asks through the async client that all event loops share."""
    if isinstance(model, RunnableWithFallbacks):
        return any(shares_client(one) for one in model.runnables)
    core = core_of(model)
    own = getattr(core, "http_async_client", None)
    return hasattr(getattr(core, "root_async_client", None), "with_options") and own is None


def with_async_client(model: Any, client: Any) -> Any:
    """Return a model that asks through this HTTP client where it would through the shared one."""

    def change(core: Any) -> Any:
        if not shares_client(core):
            return core
        changed = core.model_copy()
        changed.root_async_client = core.root_async_client.with_options(http_client=client)
        changed.async_client = changed.root_async_client.chat.completions
        return changed

    return _changed(model, change)


def _changed(model: Any, change: Callable[[Any], Any]) -> Any:
    """Change the chat models inside of what is wrapped around them; retries come off."""
    if isinstance(model, RunnableRetry):
        inner = _changed(model.bound, change)
        return RunnableBinding(bound=inner, kwargs=model.kwargs, config=model.config)
    if isinstance(model, RunnableBinding):
        return model.model_copy(update={"bound": _changed(model.bound, change)})
    if isinstance(model, RunnableWithFallbacks):
        first, *others = (_changed(one, change) for one in model.runnables)
        return model.model_copy(update={"runnable": first, "fallbacks": others})
    return change(model)


def _calm(model: Any, *, stream: bool) -> Any:
    if not hasattr(getattr(model, "root_client", None), "with_options"):
        return model
    calm = model.model_copy()
    calm.root_client = model.root_client.with_options(max_retries=0)
    calm.client = calm.root_client.chat.completions
    if model.root_async_client is not None:
        calm.root_async_client = model.root_async_client.with_options(max_retries=0)
        calm.async_client = calm.root_async_client.chat.completions
    if model.stream_usage is None:
        calm.stream_usage = True  # else a streamed reply comes without its tokens
    if not stream and not model.streaming:
        calm.disable_streaming = True
    return calm


def profiled_window(model: Any) -> int | None:
    """Return the window, in tokens, that LangChain knows of for a model."""
    profile = getattr(core_of(model), "profile", None) or {}
    window = profile.get("max_input_tokens") if isinstance(profile, dict) else None
    return window if isinstance(window, int) else None
