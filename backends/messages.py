"""Take what chat models return, or fail with, as messages."""

import json
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel


def as_message(reply: Any) -> BaseMessage:
    """Return a reply as a message.

    Models return messages; chains around them return text, mappings or objects, and the raw
    message beside the parsed one where structured output is asked for with it.
    """
    if isinstance(reply, dict) and isinstance(reply.get("raw"), BaseMessage):
        reply = reply["raw"]
    if isinstance(reply, BaseMessage):
        return reply
    if isinstance(reply, BaseModel):
        return AIMessage(reply.model_dump_json())
    if isinstance(reply, dict | list):
        return AIMessage(json.dumps(reply, ensure_ascii=False, default=str))
    return AIMessage("" if reply is None else str(reply))


def cut_reply(error: Exception) -> BaseMessage:
    """Return the reply that a client threw away because it was cut at the token limit.

    Raises:
        Exception: The error itself, when it is another.
    """
    completion = getattr(error, "completion", None)
    choices = getattr(completion, "choices", None)
    if not choices or choices[0].finish_reason != "length":
        raise error
    usage = getattr(completion, "usage", None)
    read, written = getattr(usage, "prompt_tokens", 0), getattr(usage, "completion_tokens", 0)
    counts = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
    return AIMessage(
        choices[0].message.content or "",
        response_metadata={"finish_reason": "length"},
        usage_metadata=counts if usage else None,
    )


def refusal_of(message: BaseMessage) -> str:
    """Return what a model said instead of an answer that it refused to give; else nothing."""
    if str(message.text).strip():
        return ""
    refused = message.additional_kwargs.get("refusal")
    if refused:
        return str(refused)
    filtered = message.response_metadata.get("finish_reason") == "content_filter"
    return "its content filter stopped the reply." if filtered else ""


def usage_of(message: Any) -> tuple[int, int]:
    """Return the tokens in and out that a reply reports; 0 where it does not."""
    usage = getattr(message, "usage_metadata", None) or {}
    return int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)
