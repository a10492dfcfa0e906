"""One HTTP client an event loop.

A client's kept connections belong to the loop that opened them, so a client shared by two
loops fails in the second ("Event loop is closed"): as when a script calls ``asyncio.run``
once a question.
"""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any
from weakref import WeakKeyDictionary

from backends.models import shares_client, with_async_client

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Any, Any]] = WeakKeyDictionary()


async def client_here() -> Any:
    """Return the running loop's client for OpenAI's SDK; it is closed when the loop ends."""
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        from openai import DefaultAsyncHttpxClient

        client = DefaultAsyncHttpxClient()
        keeper = _until_the_loop_ends(client)
        _clients[loop] = client, keeper
        await anext(keeper)
    return _clients[loop][0]


async def _until_the_loop_ends(client: Any) -> AsyncGenerator[None, None]:
    """Close a client when the loop closes the generators that were begun in it."""
    try:
        yield
    finally:
        await client.aclose()


class LoopModel:
    """A model that asks through the running loop's client.

    Attributes:
        model: The model itself, for asking it blocking.
        shares: Whether it would ask through a client that all loops share.
    """

    def __init__(self, model: Any) -> None:
        """Keep the model; a copy is made when a loop first asks for it."""
        self.model = model
        self.shares = shares_client(model)
        self._copies: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    async def in_loop(self) -> Any:
        """Return the running loop's copy of the model, or the model itself where it needs none."""
        if not self.shares:
            return self.model
        loop = asyncio.get_running_loop()
        if loop not in self._copies:
            self._copies[loop] = with_async_client(self.model, await client_here())
        return self._copies[loop]
