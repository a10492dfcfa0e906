"""A chat model that sleeps: what stands for the network and the endpoint."""

import asyncio
import time
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

GRADE = '{"relevant": true, "reason": "It names the vendor."}'
CHECK = '{"supported": true, "unsupported_claims": []}'
DRAFT = "Acme runs payroll for all offices [d1]."
_REPLIES = (("You grade", GRADE), ("Check whether", CHECK), ("Answer the question", DRAFT))


class Sleeper(BaseChatModel):
    """Answers every prompt of the corrective graph after some seconds.

    Attributes:
        seconds: How long a call takes.
    """

    seconds: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "sleeper"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if self.seconds:
            time.sleep(self.seconds)
        return _result(messages)

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        if self.seconds:
            await asyncio.sleep(self.seconds)
        return _result(messages)


def ask(model: Sleeper, prompt: str) -> str:
    """Ask as a program without a gateway does."""
    return str(model.invoke([HumanMessage(prompt)]).text)


async def aask(model: Sleeper, prompt: str) -> str:
    """Do the same without blocking."""
    return str((await model.ainvoke([HumanMessage(prompt)])).text)


def _result(messages: list[BaseMessage]) -> ChatResult:
    prompt = str(messages[-1].text)
    reply = next(reply for opening, reply in _REPLIES if prompt.startswith(opening))
    return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])
