"""Read the HTTP response that a client's error came with, whichever client it is."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of an error; also of one sent in the body of a 200 reply."""
    response = getattr(error, "response", None)
    embedded = _embedded(error)
    candidates = (
        getattr(error, "status_code", None),
        getattr(response, "status_code", None),
        getattr(error, "status", None),
        embedded.get("code"),
        embedded.get("status"),
        getattr(error, "code", None),
    )
    return next((c for c in map(_failure, candidates) if c is not None), None)


def retry_after_of(error: BaseException) -> float | None:
    """Return the seconds that a server asked to wait: given in ms, in s or as a date."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    return retry_after(headers)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read a wait in seconds, at least 0, from response headers; ``None`` without one."""
    named = {str(name).lower(): value for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(named[name]) / unit)
        except (KeyError, TypeError, ValueError):
            continue
    try:
        date = parsedate_to_datetime(named.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    zoned = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (zoned - datetime.now(UTC)).total_seconds())


def body_of(error: BaseException) -> str:
    """Return the text of the response's body; empty when there is none at hand."""
    response = getattr(error, "response", None)
    try:
        return str(getattr(response, "text", "") or "")
    except (RuntimeError, ValueError, UnicodeDecodeError):  # a stream that was not read
        return ""


def _embedded(error: BaseException) -> Mapping[str, Any]:
    """Return the error object that some gateways send with status 200."""
    first = error.args[0] if error.args else None
    if isinstance(first, Mapping):
        return first
    if getattr(getattr(error, "response", None), "status_code", None) != 200:
        return {}
    try:
        body = json.loads(body_of(error))
    except ValueError:
        return {}
    inner = body.get("error") if isinstance(body, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}


def _failure(value: Any) -> int | None:
    """Return a value as an HTTP status if it is one of a failure."""
    try:
        status = int(value)
    except (TypeError, ValueError):
        return None
    return status if 400 <= status <= 599 else None
