"""All that talks to the outside: models, the index, the web, and the gateway to them."""

from backends.settings import Settings
from backends.wiring import Backends
from state.errors import CragError

__all__ = ["Backends", "CragError", "Settings"]
