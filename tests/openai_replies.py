"""What the local OpenAI-compatible server can reply, and how it is written on the wire."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from werkzeug import Response

HANG = object()
"""No reply before the test ends."""
TOKENS = (11, 7)
"""Tokens in and out that every completion reports."""
Alternatives = tuple[str, float, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Heard:
    """One request.

    Attributes:
        body: Its JSON.
        headers: Its headers, names in lower case.
    """

    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def prompt(self) -> str:
        """The text of its messages."""
        return "\n".join(str(message["content"]) for message in self.body["messages"])

    @property
    def form(self) -> str:
        """The form that it asks for: ``json_schema``, ``tool_call``, ``json_mode`` …"""
        if self.body.get("tools"):
            return "tool_call" if self.body.get("tool_choice") else "tools"
        kind = (self.body.get("response_format") or {}).get("type")
        if kind is None:
            return "logprobs" if self.body.get("logprobs") else "text"
        return {"json_schema": "json_schema", "json_object": "json_mode"}[kind]


@dataclass(frozen=True, slots=True)
class Said:
    """A completion; see ``said``."""

    content: Any
    tool: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    reasoning: str | None = None
    logprobs: tuple[Alternatives, ...] = ()
    usage: tuple[int, int] | None = TOKENS
    delay: float = 0.0
    cut: bool = False


def said(content: Any, **rest: Any) -> Said:
    """Make a completion.

    Args:
        content: Text, a mapping, or ``None``.
        **rest: ``finish`` (the reason, ``length`` for a truncated reply), ``refusal``,
            ``reasoning`` (beside the content, as reasoning models send it), ``logprobs``
            (a token, its log-probability and its alternatives, each), ``usage`` (tokens in
            and out, or ``None``), ``delay`` (seconds before the first byte), ``cut`` (a
            stream that breaks off in the middle).
    """
    return Said(content, **rest)


def tool_call(arguments: Any, **rest: Any) -> Said:
    """Make a tool call, whatever was asked for; text arguments are sent as they are."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return Said(rest.pop("content", None), tool=raw, **{"finish": "tool_calls", **rest})


def error(status: int, message: str = "It went wrong.", **rest: Any) -> Response:
    """Make an error as the API shapes it; ``code``, ``type`` and ``headers`` can be given."""
    headers = rest.pop("headers", {})
    body = {"error": {"message": message, "type": "error", "param": None, "code": None, **rest}}
    return Response(json.dumps(body), status, headers, content_type="application/json")


def html(status: int = 200, **headers: str) -> Response:
    """Make a web page, as proxies and wrong base URLs send it."""
    page = "<!DOCTYPE html>\n<html><head><title>Gateway</title></head>\n<body>Hello</body></html>"
    return Response(page, status, headers, content_type="text/html; charset=utf-8")


def garbled() -> Response:
    """Make a reply whose JSON breaks off."""
    return Response('{"id": "chatcmpl-1", "choices": [{"mess', content_type="application/json")


@dataclass
class Completion:
    """One completion, written whole or as events."""

    heard: Heard
    said: Said
    head: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Send a mapping in the form that was asked for."""
        self.head = {"id": "chatcmpl-1", "created": 1, "model": self.heard.body["model"]}
        content, tool, finish = self.said.content, self.said.tool, self.said.finish
        if isinstance(content, dict):
            content = json.dumps(content, ensure_ascii=False)
            if self.heard.form == "tool_call":
                content, tool, finish = None, content, "tool_calls"
        self.content, self.tool, self.finish = content, tool, finish
        self.logprobs = self.said.logprobs if self.heard.body.get("logprobs") else ()

    def whole(self) -> str:
        """Return the body of a plain reply."""
        message = {"role": "assistant", "content": self.content, **self._extras()}
        if self.tool is not None:
            message["tool_calls"] = [self._call(self.tool)]
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        if self.logprobs:
            choice["logprobs"] = _logprobs(self.logprobs)
        body = {**self.head, "object": "chat.completion", "choices": [choice]}
        return json.dumps({**body, **self._usage()})

    def events(self) -> Iterator[bytes]:
        """Yield the server-sent events of a streamed reply."""
        yield self._event({"role": "assistant", "content": "", **self._extras()})
        yield from self._content()
        if self.tool is not None:
            half = len(self.tool) // 2
            yield self._event({"tool_calls": [{"index": 0, **self._call(self.tool[:half])}]})
            rest = {"index": 0, "function": {"arguments": self.tool[half:]}}
            yield self._event({"tool_calls": [rest]})
        if self.said.cut:
            raise ConnectionError("The stream breaks off.")
        yield self._event({}, finish_reason=self.finish)
        if (self.heard.body.get("stream_options") or {}).get("include_usage"):
            yield _data({**self.head, "object": _CHUNK, "choices": [], **self._usage()})
        yield b"data: [DONE]\n\n"

    def _content(self) -> Iterator[bytes]:
        for entry in self.logprobs:
            yield self._event({"content": entry[0]}, logprobs=_logprobs((entry,)))
        words = self.content.split(" ") if self.content and not self.logprobs else []
        for i, word in enumerate(words):
            yield self._event({"content": f" {word}" if i else word})

    def _event(self, delta: dict[str, Any], **rest: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": None, **rest}
        return _data({**self.head, "object": _CHUNK, "choices": [choice]})

    def _call(self, arguments: str) -> dict[str, Any]:
        tools = self.heard.body.get("tools") or [{"function": {"name": "tool"}}]
        function = {"name": tools[0]["function"]["name"], "arguments": arguments}
        return {"id": "call_1", "type": "function", "function": function}

    def _extras(self) -> dict[str, Any]:
        extras = {"refusal": self.said.refusal, "reasoning_content": self.said.reasoning}
        return {name: value for name, value in extras.items() if value is not None}

    def _usage(self) -> dict[str, Any]:
        if self.said.usage is None:
            return {}
        read, written = self.said.usage
        counts = {"prompt_tokens": read, "completion_tokens": written}
        return {"usage": {**counts, "total_tokens": read + written}}


_CHUNK = "chat.completion.chunk"


def _data(body: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


def _logprobs(entries: tuple[Alternatives, ...]) -> dict[str, Any]:
    return {
        "content": [
            {
                **_token(token, logprob),
                "top_logprobs": [_token(other, value) for other, value in alternatives.items()],
            }
            for token, logprob, alternatives in entries
        ],
        "refusal": None,
    }


def _token(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}
