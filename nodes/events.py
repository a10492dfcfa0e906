"""What nodes log: one event a line, its facts as fields."""

import logging
from typing import Any

_log = logging.getLogger("crag")


def note(event: str, **facts: Any) -> None:
    """Log an event with its facts; how it is written is the application's choice."""
    _log.info(event, extra=facts)
