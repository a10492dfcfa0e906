"""Keep keys out of everything that is shown, streamed or logged."""

import re
from collections.abc import Iterable
from typing import Any

from pydantic import SecretStr

_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|tvly|jina|ghp|AIza)[-_][\w*.-]{6,}"
    r"|\bAIza[\w-]{20,}"
    r"|(?i:\bbearer\s+)[\w.~+/=*-]{6,}"
    r"|(?i:\b(?:x-)?(?:api[-_]?key|access[-_]?token|token|secret|authorization|password)"
    r"[\"']?\s*[=:]\s*[\"']?(?:bearer\s+|basic\s+)?)[^\s\"'&,;)}\]]{6,}"
)
_SHORTEST = 8
"""Shorter than any real key; names like "ollama", given where a local server needs none, stay."""


def scrub(text: str, secrets: Iterable[SecretStr] = ()) -> str:
    """Take out known secrets, and whatever else looks like a key.

    Args:
        text: What a client or server said; some echo the key that they were sent.
        secrets: Keys in use; those of fewer than 8 characters are taken for placeholders.
    """
    known = [secret.get_secret_value().strip() for secret in secrets]
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, "[key]")
    return _SHAPES.sub("[key]", text)


def secrets_in(*holders: Any) -> tuple[SecretStr, ...]:
    """Return the secrets among the fields of models and settings, headers included."""
    found: dict[SecretStr, None] = {}
    for holder in holders:
        fields = getattr(holder, "__dict__", {})
        found |= dict.fromkeys(v for v in fields.values() if isinstance(v, SecretStr))
        headers = (fields.get("default_headers") or {}).values()
        found |= dict.fromkeys(SecretStr(str(value)) for value in headers)
    return tuple(found)


def one_line(text: str, longest: int = 300) -> str:
    """Put a foreign message on one line, cut to a length that can be read."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"
