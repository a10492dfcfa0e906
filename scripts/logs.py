"""Write the log to stderr: one event a line, as text or as JSON.

The project logs by the standard library, an event's name and its facts in ``extra``; only
here, in the application, is it decided how that is written.
"""

import logging
import sys
from collections.abc import Iterable, MutableMapping
from typing import Any, TextIO

from pydantic import SecretStr

from backends.settings import Settings
from state.errors import ConfigError

LEVELS = ("debug", "info", "warning", "error")
_HIDDEN = "[key]"


class _Stderr(logging.StreamHandler[TextIO]):
    """Writes to whatever stderr is at the time: progress displays replace it."""

    def __init__(self) -> None:
        super().__init__(sys.stderr)

    @property
    def stream(self) -> TextIO:
        return sys.stderr

    @stream.setter
    def stream(self, value: TextIO) -> None:
        pass


def level(name: str) -> str:
    """Return the level of that name.

    Raises:
        ConfigError: There is none.
    """
    if name.lower() not in LEVELS:
        raise ConfigError(f"There is no log level {name!r}. Levels: {', '.join(LEVELS)}.")
    return name.lower()


def configure(level: str, settings: Settings) -> None:
    """Send the project's log to stderr.

    Args:
        level: One of ``LEVELS``.
        settings: Say the format, and hold the secrets that are never written.
    """
    import structlog

    handler = _Stderr()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[
                structlog.stdlib.ExtraAdder(),
                structlog.stdlib.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True),
            ],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _without(_secrets(settings)),
                _renderer(settings.log_format),
            ],
        )
    )
    logger = logging.getLogger("crag")
    logger.handlers = [handler]
    logger.propagate = False
    logger.setLevel(level.upper())


def _renderer(log_format: str) -> Any:
    import structlog

    if log_format == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    return structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)


def _secrets(settings: Settings) -> list[str]:
    values = (getattr(settings, name) for name in type(settings).model_fields)
    return [v.get_secret_value() for v in values if isinstance(v, SecretStr)]


def _without(secrets: Iterable[str]) -> Any:
    """Return a processor that takes keys out of every text, wherever they came from."""
    known = [secret for secret in secrets if secret]

    def hide(value: Any) -> Any:
        if isinstance(value, str):
            for secret in known:
                value = value.replace(secret, _HIDDEN)
            return value
        if isinstance(value, list | tuple):
            return [hide(item) for item in value]
        return {k: hide(v) for k, v in value.items()} if isinstance(value, dict) else value

    def process(logger: Any, method: str, event: MutableMapping[str, Any]) -> Any:
        return {key: hide(value) for key, value in event.items()}

    return process
