"""Turn what chat clients raise into the project's errors, with what to do next."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from pydantic import SecretStr

from backends.redaction import one_line, scrub
from backends.responses import body_of, retry_after_of, status_of
from state.errors import (
    ContextOverflow,
    CragError,
    FormFault,
    FormRejected,
    ModelError,
    ModelRejected,
    ModelUnavailable,
)

_OVERFLOW = re.compile(
    r"context[_ ](?:length|window|size)|maximum context|reduce the length|too many tokens"
    r"|(?:prompt|input|request) (?:is )?too l(?:ong|arge)|tokens.{0,60}must be <= ?\d"
    r"|exceeds? the (?:maximum|available|configured)[\w ]{0,30}(?:context|token|length|limit)",
    re.I,
)
_REFUSED_CONTENT = re.compile(
    r"content[_ ](?:filter|policy|management)|\bmoderation\b|safety (?:system|filter)|flagged", re.I
)
_NO_SUCH_MODEL = re.compile(r"model_not_found|\bmodel\b.{0,80}(?:not found|not exist)", re.I)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|insufficient.balance", re.I
)
_PASSING = {408, 409, 425, 429}
_FORM = {400, 404, 415, 422, 501}
_NOT_A_REPLY = (AttributeError, IndexError, KeyError, TypeError)
"""What clients raise when a reply with status 200 is not what the API promises."""
_NOT_REPLIES = ("Unexpected response type", "No generations found", "JSONDecodeError")
_UNREACHABLE = re.compile(r"Connect|Protocol|Network|ReadError|WriteError|SSL")


@contextmanager
def named_failures(
    role: str,
    model: str,
    *,
    structured: bool,
    known: bool = False,
    secrets: Sequence[SecretStr] = (),
) -> Iterator[None]:
    """Raise the project's errors for whatever a chat client raises.

    Args:
        role: The role that the model plays, for the message.
        model: The model's name.
        structured: Whether the request asked for a form of structured output, so that a
            refused request may be a refused form.
        known: Whether that form is known to work, so that a server error is not its fault.
        secrets: Keys that must not be shown.
    """
    try:
        yield
    except CragError:
        raise
    except Exception as error:  # noqa: BLE001 - the boundary to any provider's client
        who = f"The {role} ({model})"
        named = translate(error, who, structured=structured, known=known, secrets=secrets)
        # A cause is printed with a traceback, so one that echoes the key is not kept.
        shown = f"{error!r} {error} {error.__cause__!r}"
        raise named from (error if scrub(shown, secrets) == shown else None)


def translate(
    error: Exception,
    who: str,
    *,
    structured: bool,
    known: bool = False,
    secrets: Sequence[SecretStr] = (),
) -> ModelError:
    """Classify a client's error by its status, its type's name and its message.

    Clients of any provider may be plugged in, so their classes are not named here.
    """
    status = status_of(error)
    said = _said(error, secrets)
    kinds = (type(error).__name__, getattr(error, "code", None), getattr(error, "type", None))
    hints = f"{' '.join(map(str, kinds))} {said}"
    if status == 413 or _too_long(status, hints):
        return ContextOverflow(
            f"{who} was sent more than its window holds. Set CRAG_CONTEXT_WINDOW to the "
            "model's window in tokens."
        )
    rejected = _rejection(status, hints, who, said)
    if rejected is not None:
        return rejected
    if structured and (status in _FORM or isinstance(error, NotImplementedError)):
        return FormRejected(f"{who} refused the form of the request ({status}): {said}")
    if status in _PASSING or (status or 0) >= 500:
        kind = FormFault if status == 500 and structured and not known else ModelUnavailable
        return _unavailable(kind, error, f"{who} is not available ({status}): {said}")
    if status is not None:
        return ModelRejected(f"{who} refused the request ({status}): {said}")
    return _without_status(error, who, said)


def _too_long(status: int | None, hints: str) -> bool:
    """Tell an overlong prompt; a rate limit also speaks of too many tokens."""
    return "equest too large" in hints if status == 429 else bool(_OVERFLOW.search(hints))


def _rejection(status: int | None, hints: str, who: str, said: str) -> ModelRejected | None:
    """Return the error for what neither another try nor another form can mend."""
    if status == 401:
        return ModelRejected(f"{who} refused the key (401). Check OPENAI_API_KEY: {said}")
    if status == 402 or _NO_CREDIT.search(hints):
        return ModelRejected(f"{who} has no credit left ({status}): {said}")
    if "ContentFilter" in hints or (status is not None and _REFUSED_CONTENT.search(hints)):
        return ModelRejected(f"{who} refused the content: {said}")
    if status == 403:
        return ModelRejected(
            f"{who} refused access (403): {said} Check that OPENAI_API_KEY may use this model."
        )
    if status in (400, 404) and _NO_SUCH_MODEL.search(hints):
        return ModelRejected(f"{who} was not found ({status}): {said} Check CRAG_MODEL.")
    return None


def _unavailable(kind: type[ModelUnavailable], error: Exception, what: str) -> ModelUnavailable:
    asked = retry_after_of(error)
    waits = "" if asked is None else f" It asks to wait {asked:g} s."
    return kind(
        f"{what}{waits} Try again later, or set CRAG_MODEL or CRAG_BASE_URL to another.",
        retry_after=asked,
    )


def _without_status(error: Exception, who: str, said: str) -> ModelError:
    name = type(error).__name__
    if isinstance(error, TimeoutError) or "Timeout" in name:
        return ModelUnavailable(f"{who} gave no reply in time. Raise CRAG_TIMEOUT or try again.")
    if isinstance(error, OSError) or _UNREACHABLE.search(name):
        return ModelUnavailable(
            f"{who} cannot be reached: {said} Check CRAG_BASE_URL and that the server runs."
        )
    if re.search(r"<!doctype html|<html", f"{said} {body_of(error)}", re.I):
        return ModelRejected(
            f"{who} sent a web page instead of an API reply. Check CRAG_BASE_URL: it usually "
            "ends in /v1."
        )
    if isinstance(error, _NOT_A_REPLY) or any(m in f"{name} {said}" for m in _NOT_REPLIES):
        return ModelUnavailable(f"{who} sent something that is not an API reply: {name}: {said}")
    return ModelError(f"{who} failed: {name}: {said}")


def _said(error: Exception, secrets: Sequence[SecretStr]) -> str:
    """Return the server's own message where there is one, else the client's, without keys."""
    body = getattr(error, "body", None)
    message = body.get("message") if isinstance(body, dict) else None
    text, root = str(message or error), error
    while isinstance(root.__cause__, Exception):
        root = root.__cause__
    if str(root) not in text:
        text = f"{text} ({root})"
    return one_line(scrub(text, secrets))
