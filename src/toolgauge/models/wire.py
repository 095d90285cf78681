"""From a Request to the bytes of a chat completion request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial

import msgspec
from msgspec import Struct

from toolgauge.chat import Json, Request, Tool
from toolgauge.models.model import Sampling
from toolgauge.models.provider import Quirks
from toolgauge.models.provider_adapter import shape, to_json, wire_arguments, wire_message
from toolgauge.models.schemas import openapi_schema

__all__ = ["EncodedTools", "RequestEncoder", "Settings", "settings_of", "to_json", "wire_arguments", "wire_message"]

REMEMBERED = 512
"""Tool lists whose encoding is kept; tasks of a session share theirs."""


class Settings(Struct, frozen=True):
    """Sampling options in the words of an endpoint.

    sent: fields of every request; with_tools: those that go along with tools only; extra: what wins over everything;
    left_out: options that were set and that the endpoint does not take.
    """

    sent: Json
    with_tools: Json
    extra: Json
    left_out: tuple[str, ...]


def settings_of(sampling: Sampling, quirks: Quirks) -> Settings:
    """What is sent of the sampling options, and under which names."""
    chosen: Json = msgspec.to_builtins(sampling)
    extra = chosen.pop("extra_body", {})
    left_out = tuple(name for name in quirks.dropped if name in chosen)
    chosen = {name: value for name, value in chosen.items() if name not in left_out}
    if "max_tokens" in chosen:
        chosen[quirks.length_field] = chosen.pop("max_tokens")
    tools = dict(quirks.with_tools)
    tools |= {name: chosen.pop(name) for name in ("parallel_tool_calls", "tool_choice") if name in chosen}
    sent = {quirks.renamed.get(name, name): value for name, value in chosen.items()}
    return Settings(sent, tools, extra, left_out)


def bounded(settings: Json, field: str, most: int | None) -> Json:
    """The fields of a request with no more than so many tokens of the reply in this one; None leaves them alone."""
    return settings if most is None else {**settings, field: min(most, settings.get(field) or most)}


class RequestEncoder:
    """Writes requests to one model. The tool lists, the bulk of a request, are encoded once per list."""

    def __init__(self, model: str, sampling: Sampling, quirks: Quirks | None = None, more: Json | None = None) -> None:
        """more: further fields of every request."""
        self._quirks = quirks or Quirks()
        settings = settings_of(sampling, self._quirks)
        self._without_tools: dict[str, object] = {"model": model, **settings.sent, **(more or {})}
        self._with_tools: dict[str, object] = {**self._without_tools, **settings.with_tools}
        self._extra = settings.extra
        self._tools = EncodedTools(partial(_wire_tool, schema=self._quirks.schema))
        self._length = self._quirks.renamed.get(self._quirks.length_field, self._quirks.length_field)

    def body(self, request: Request) -> bytes:
        """The JSON body, UTF-8."""
        body: dict[str, object] = {"messages": shape(request.messages, self._quirks, bool(request.tools))}
        if request.tools:
            body["tools"] = self._tools.of(request.tools)
        elif request.reply_schema is not None and self._quirks.json_schema:
            named = {"name": request.reply_schema.name, "schema": request.reply_schema.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        settings = self._with_tools if request.tools else self._without_tools
        return to_json({**bounded(settings, self._length, request.max_tokens), **body, **self._extra})


def _wire_tool(tool: Tool, schema: str) -> dict[str, object]:
    wire = tool.wire()
    if schema == "openapi":
        wire["function"]["parameters"] = openapi_schema(tool.parameters)
    return wire


class EncodedTools:
    """The JSON of tool lists, written once per list. wire: how one tool is written."""

    def __init__(self, wire: Callable[[Tool], dict[str, object]]) -> None:
        self._wire = wire
        self._known: OrderedDict[int, tuple[tuple[Tool, ...], msgspec.Raw]] = OrderedDict()

    def of(self, tools: tuple[Tool, ...]) -> msgspec.Raw:
        """Known by identity: a list that is kept here keeps its id, and comparing lists would cost what it saves."""
        known = self._known.get(id(tools))
        if known is not None:
            return known[1]
        raw = msgspec.Raw(to_json([self._wire(tool) for tool in tools]))
        self._known[id(tools)] = (tools, raw)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return raw
