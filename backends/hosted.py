"""The chat model of the settings: any OpenAI-compatible endpoint."""

from typing import Any

from backends import tokens
from backends.settings import Settings
from state.errors import ConfigError

_LOCAL_KEY = "no-key"


def default_model(settings: Settings, role: str) -> Any:
    """Return the settings' chat model for a role; the client is imported here, not before.

    Raises:
        ConfigError: There is neither a key nor the address of a local endpoint, or the key
            cannot be one.
    """
    from langchain_openai import ChatOpenAI

    key = settings.api_key.get_secret_value().strip() if settings.api_key else ""
    if not key and settings.base_url is None:
        raise ConfigError("There is no key. Set OPENAI_API_KEY, or CRAG_BASE_URL for a local one.")
    if not (key.isascii() and key.isprintable()):
        raise ConfigError("OPENAI_API_KEY has a character that no key has. Paste it again.")
    name = settings.model_of(role)
    return ChatOpenAI(
        model=name,
        api_key=key or _LOCAL_KEY,
        base_url=settings.base_url,
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=0,
        stream_usage=True,
        **_token_limit(settings, name),
    )


def _token_limit(settings: Settings, name: str) -> dict[str, Any]:
    """Name the limit as the endpoint does: OpenAI's own models refuse the older name."""
    limit = settings.max_output_tokens
    if settings.base_url is None or tokens.margin(name) == 1.0:
        return {"max_tokens": limit}  # sent as max_completion_tokens
    return {"extra_body": {"max_tokens": limit}}
