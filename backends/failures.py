"""Turn what chat clients raise into the project's errors, with what to do next."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from state.errors import (
    ContextOverflow,
    CragError,
    FormRejected,
    ModelError,
    ModelRejected,
    ModelUnavailable,
)

_SECRET = re.compile(r"\b(?:sk|key|tvly|jina|Bearer)[-_ ][\w*.-]{6,}")
_OVERFLOW = re.compile(
    r"context[_ ](?:length|window)|maximum context|too many tokens|prompt is too long", re.I
)
_PASSING = {408, 409, 425, 429}
_FORM = {400, 404, 415, 422, 501}


@contextmanager
def named_failures(role: str, model: str, *, structured: bool) -> Iterator[None]:
    """Raise the project's errors for whatever a chat client raises.

    Args:
        role: The role that the model plays, for the message.
        model: The model's name.
        structured: Whether the request asked for a form of structured output, so that a
            refused request may be a refused form.
    """
    try:
        yield
    except CragError:
        raise
    except Exception as error:
        raise translate(error, f"The {role} ({model})", structured=structured) from error


def translate(error: Exception, who: str, *, structured: bool) -> ModelError:
    """Classify a client's error by its status, its type's name and its message.

    Clients of any provider may be plugged in, so their classes are not named here.
    """
    status = _status(error)
    said = scrub(str(error))[:300]
    if _OVERFLOW.search(said) or "ContextOverflow" in type(error).__name__:
        return ContextOverflow(
            f"{who} was sent more than its window holds. Set CRAG_CONTEXT_WINDOW to the "
            "model's window in tokens."
        )
    if status in (401, 403):
        return ModelRejected(
            f"{who} refused the key ({status}). Check OPENAI_API_KEY and that it may use "
            "this model."
        )
    if structured and (status in _FORM or isinstance(error, NotImplementedError)):
        return FormRejected(f"{who} refused the form of the request ({status}): {said}")
    if status in _PASSING or (status or 0) >= 500:
        return ModelUnavailable(
            f"{who} is not available ({status}): {said}. Try again later, or set CRAG_MODEL "
            "or CRAG_BASE_URL to another.",
            retry_after=_retry_after(error),
        )
    if status == 404:
        return ModelRejected(f"{who} was not found (404). Check CRAG_MODEL and CRAG_BASE_URL.")
    if status is not None:
        return ModelRejected(f"{who} refused the request ({status}): {said}")
    return _without_status(error, who, said)


def _without_status(error: Exception, who: str, said: str) -> ModelError:
    name = type(error).__name__
    if isinstance(error, TimeoutError) or "Timeout" in name:
        return ModelUnavailable(f"{who} gave no reply in time. Raise CRAG_TIMEOUT or try again.")
    if isinstance(error, ConnectionError) or "Connection" in name or "ConnectError" in name:
        return ModelUnavailable(
            f"{who} cannot be reached: {said} Check CRAG_BASE_URL and that the server runs."
        )
    if "JSONDecodeError" in name:
        return ModelUnavailable(f"{who} sent something that is not an API reply: {said}")
    return ModelError(f"{who} failed: {name}: {said}")


def scrub(text: str) -> str:
    """Take out what looks like a key."""
    return _SECRET.sub("[key]", text)


def _status(error: Exception) -> int | None:
    status: Any = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) else None


def _retry_after(error: Exception) -> float | None:
    """Return the seconds that the server asked to wait, also where it said milliseconds."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / unit)
        except (KeyError, TypeError, ValueError):
            continue
    return None
