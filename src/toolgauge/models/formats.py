"""The APIs of endpoints: from a request to bytes, from an answer's bytes to a reply. One client sends all."""

from __future__ import annotations

import re
from functools import partial
from typing import Protocol

from msgspec.structs import replace

from toolgauge.chat import Json, Request
from toolgauge.models.failures import Answered
from toolgauge.models.families import Ids, family_of
from toolgauge.models.local_server import LLAMACPP
from toolgauge.models.model import Sampling
from toolgauge.models.provider import Quirks
from toolgauge.models.provider_adapter import bounded, kept_echo, settings_of, shape, to_json
from toolgauge.models.providers import Endpoint
from toolgauge.models.replies import read_reply
from toolgauge.models.schemas import openapi_schema

_REASONING_MODEL = re.compile(r"(?:ft:)?(?:o\d|gpt-5|gpt-[6-9]|gpt-\d\d)(?!\d)")
"""OpenAI's models that reason: newer ones take tools in the Responses API only, and all keep their reasoning there."""
ID_FORMS = {"functions": "functions.NAME:N", "nine": "nine letters and digits"}
"""How the ids of calls are described that a family wants to see."""
STREAMING: Json = {"stream": True, "stream_options": {"include_usage": True}}


class Format(Protocol):
    """One API. path: what comes after the base URL; streams: a stream is asked for."""

    path: str
    streams: bool

    def body(self, request: Request) -> bytes: ...

    def reply(self, body: bytes) -> Answered:
        """What a 2xx answer says; a Failure where it says nothing, an InnerError where it says that one occurred."""
        ...

    def describe(self) -> Json:
        """What a run's manifest records about it."""
        ...


class RequestEncoder:
    """Writes chat completion requests to one model."""

    def __init__(self, model: str, sampling: Sampling, quirks: Quirks | None = None, more: Json | None = None) -> None:
        """more: further fields of every request."""
        self._quirks = quirks or Quirks()
        self._settings = settings_of(sampling, self._quirks)
        self._always: Json = {"model": model, **self._settings.sent, **(more or {})}
        self._length = self._quirks.renamed.get(self._quirks.length_field, self._quirks.length_field)

    def body(self, request: Request) -> bytes:
        """The JSON body, UTF-8."""
        tools = [tool.wire() for tool in request.tools]
        if self._quirks.schema == "openapi":
            for tool, wire in zip(request.tools, tools, strict=True):
                wire["function"]["parameters"] = openapi_schema(tool.parameters)
        settings = {**self._always, **self._settings.with_tools} if tools else self._always
        body: Json = {"messages": shape(request.messages, self._quirks, bool(tools))}
        if tools:
            body["tools"] = tools
        elif request.reply_schema is not None and self._quirks.json_schema:
            schema = {"name": request.reply_schema.name, "schema": request.reply_schema.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return to_json({**bounded(settings, self._length, request.max_tokens), **body, **self._settings.extra})


class ChatFormat:
    """Chat completions, with the endpoint's quirks."""

    path = "/chat/completions"

    def __init__(self, model: str, endpoint: Endpoint, sampling: Sampling) -> None:
        quirks, family = endpoint.quirks, family_of(model)
        self._ids: Ids = family.ids if family and quirks.ids == "any" else "any"
        if self._ids != "any":  # whoever serves it
            quirks = replace(quirks, ids=self._ids)
        # to stop replies that repeat themselves: llama.cpp parses calls in streams as in whole replies; vLLM and SGLang
        # have parsers of their own for streams
        is_asked = endpoint.is_on_this_machine and endpoint.provider.name == LLAMACPP
        self.streams = is_asked and "stream" not in sampling.extra_body
        self.body = RequestEncoder(model, sampling, quirks, STREAMING if self.streams else {}).body
        self._keep = partial(kept_echo, quirks=quirks) if quirks.signed or quirks.details else None

    def reply(self, body: bytes) -> Answered:
        return read_reply(body, self._keep)

    def describe(self) -> Json:
        return {} if self._ids == "any" else {"call_ids": ID_FORMS[self._ids]}


def find_format(model: str, endpoint: Endpoint, sampling: Sampling) -> Format:
    """The API in which a model is asked at its best."""
    if endpoint.provider.api == "messages":
        from toolgauge.models.messages_api import MessagesFormat

        return MessagesFormat(model, endpoint, sampling)
    if speaks_responses(model, endpoint):
        from toolgauge.models.responses_api import ResponsesFormat

        return ResponsesFormat(model, endpoint, sampling)
    return ChatFormat(model, endpoint, sampling)


def speaks_responses(model: str, endpoint: Endpoint) -> bool:
    """Whether a model is asked in OpenAI's Responses API: OpenAI's reasoning models at OpenAI's own address are."""
    provider = endpoint.provider
    is_openai = provider.name == "openai" and endpoint.base_url == provider.base_url
    return provider.api == "responses" or (is_openai and _REASONING_MODEL.match(model) is not None)
