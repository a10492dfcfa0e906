"""The study graph's own model: a small one at Mistral, when its key is set (document 003)."""

from typing import Any

from backends.settings import Settings
from state.errors import ConfigError
from state.study import MISTRAL_MODEL


def asked_model(settings: Settings, name: str) -> Any:
    """Return the chat model that a graph asks for by name; ``None`` for the project's default.

    With Mistral's key, and neither ``CRAG_MODEL`` nor a base URL set, it is asked for there.
    Else a name that is not the default one goes to the endpoint that is configured.

    Raises:
        ConfigError: A model was named but there is no endpoint for it.
    """
    if settings.mistral_api_key and not (settings.model or settings.base_url):
        return _at_mistral(settings, name)
    if name == MISTRAL_MODEL:
        return None
    if not settings.hosted:
        raise ConfigError(
            f"llm_model is {name!r} but there is no key for it. Set MISTRAL_API_KEY, "
            "OPENAI_API_KEY or CRAG_BASE_URL, or leave llm_model out to use the embedded default."
        )
    from backends.chat import default_model

    return default_model(settings.model_copy(update={"model": name}), "")


def _at_mistral(settings: Settings, name: str) -> Any:
    from langchain_openai import ChatOpenAI

    assert settings.mistral_api_key is not None  # noqa: S101 - for the type checker
    return ChatOpenAI(
        model=name,
        api_key=settings.mistral_api_key,
        base_url=settings.mistral_base_url,
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=0,
        # Mistral refuses OpenAI's newer fields: max_completion_tokens and stream_options.
        extra_body={"max_tokens": settings.max_output_tokens},
        stream_usage=False,
    )
