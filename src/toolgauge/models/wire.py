"""From a Request to the bytes of a chat completion request."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

import msgspec

from toolgauge.chat import Json, Message, Request, Tool
from toolgauge.models.model import Sampling
from toolgauge.models.replies import read_json

REMEMBERED = 512
"""Tool lists whose encoding is kept; tasks of a session share theirs."""


class RequestEncoder:
    """Writes requests to one model. The tool lists, the bulk of a request, are encoded once per list."""

    def __init__(self, model: str, sampling: Sampling, length_field: str = "max_tokens") -> None:
        """length_field: the name under which the endpoint takes the most tokens of a reply."""
        settings: Json = msgspec.to_builtins(sampling)
        extra = settings.pop("extra_body", {})
        if "max_tokens" in settings:
            settings[length_field] = settings.pop("max_tokens")
        self._with_tools: Json = {"model": model, **settings}
        without = {key: value for key, value in settings.items() if key not in ("parallel_tool_calls", "tool_choice")}
        self._without_tools: Json = {"model": model, **without}
        self._extra = extra
        self._tools: OrderedDict[int, tuple[tuple[Tool, ...], msgspec.Raw]] = OrderedDict()

    def body(self, request: Request) -> bytes:
        """The JSON body, UTF-8."""
        body: Json = {"messages": [wire_message(message) for message in request.messages]}
        if request.tools:
            body["tools"] = self._encoded(request.tools)
            return to_json({**self._with_tools, **body, **self._extra})
        return to_json({**self._without_tools, **body, **self._extra})

    def _encoded(self, tools: tuple[Tool, ...]) -> msgspec.Raw:
        """Known by identity: a list that is kept here keeps its id, and comparing lists would cost what it saves."""
        known = self._tools.get(id(tools))
        if known is not None:
            return known[1]
        raw = msgspec.Raw(to_json([tool.wire() for tool in tools]))
        self._tools[id(tools)] = (tools, raw)
        if len(self._tools) > REMEMBERED:
            self._tools.popitem(last=False)
        return raw


def wire_message(message: Message) -> Json:
    """The message in a form that endpoints take back: arguments as text, and a text where there is nothing else."""
    wire = message.wire()
    if message.tool_calls:
        for call in wire["tool_calls"]:
            call["function"]["arguments"] = wire_arguments(call["function"]["arguments"])
    elif message.content is None:
        wire["content"] = ""
    return wire


def wire_arguments(arguments: Any) -> str:
    """Arguments as endpoints take them back: the text of a JSON object.

    Many servers read this text again and refuse a conversation with a broken one. Anything else is therefore wrapped
    into an object, so that the model's mistake stays visible to it, and stays the model's.
    """
    if arguments is None:
        return "{}"
    if not isinstance(arguments, str):
        return to_json(arguments if isinstance(arguments, dict) else {"arguments": arguments}).decode()
    try:
        readable = isinstance(read_json(arguments.encode("utf-8", "replace")), dict)
    except ValueError:
        readable = False
    return arguments if readable else to_json({"arguments": arguments}).decode()


def to_json(value: object) -> bytes:
    """JSON in UTF-8; texts with lone surrogates, which UTF-8 has no bytes for, make it ASCII with escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(_unpacked(value)).encode()


def _unpacked(value: object) -> object:
    """The value with encoded parts decoded again, for the standard module."""
    if isinstance(value, dict):
        return {key: _unpacked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unpacked(item) for item in value]
    return json.loads(bytes(value)) if isinstance(value, msgspec.Raw) else value
