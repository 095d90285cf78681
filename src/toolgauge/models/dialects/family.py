"""A dialect made of data and a speaker: what all families share when a conversation is turned into plain text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Literal

from msgspec import Struct

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Json, Message, Tool, ToolCall
from toolgauge.models.dialects.dialect import MAX_TEXT, Parsed, PlainCall, Result, Speaker
from toolgauge.models.dialects.turn_marks import this_turn
from toolgauge.models.replies import read_json, tame

Place = Literal["system", "first_user", "last_user", "own_user"]


class Family(Struct, frozen=True):
    """A `Dialect`. speaker: the family's hooks; the other fields see `Dialect`.

    place: where tools are announced: in the system prompt, in the first or last message of the user, or in a message
    of the user's own before the conversation.
    result_role: of the message that brings results, where the family's chat template gives it a place of its own.
    one_by_one: each result is a message of its own, instead of all results of a step in one. alternating: neighbours of
    one role become one message, for templates that take nothing else. system_role: "user" where a family's template
    has no system prompt. settle: gives the values of calls their types, for families that write all of them as text.
    """

    name: str
    title: str
    speaker: Speaker
    models: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    place: Place = "system"
    result_role: str = "user"
    one_by_one: bool = False
    alternating: bool = False
    system_role: str = "system"
    settle: Callable[[Parsed, tuple[Tool, ...]], Parsed] | None = None

    def render(self, messages: tuple[Message, ...], tools: tuple[Tool, ...], language: str) -> tuple[Message, ...]:
        said = tuple(self._plain(messages, tools, language))
        return tuple(_merged(said)) if self.alternating or self.system_role == "user" else said

    def parse(self, text: str, tools: tuple[Tool, ...] = ()) -> Parsed:
        if len(text) > MAX_TEXT:
            return Parsed(text, problem=CallProblem.TOO_LONG)
        parsed = this_turn(text, self.speaker.parse)
        return self.settle(parsed, tools) if self.settle else parsed

    def _plain(self, messages: tuple[Message, ...], tools: tuple[Tool, ...], language: str) -> Iterator[Message]:
        leading = 0
        while leading < len(messages) and messages[leading].role == "system":
            leading += 1
        system = "\n\n".join(message.content for message in messages[:leading] if message.content)
        conversation = list(messages[leading:])
        if tools:
            system, conversation = self._announced(system, conversation, tools, language)
        if system:
            yield Message(self.system_role, system)
        names: dict[str | None, str] = {}
        schemas = argument_schemas(tools)
        for role, group in groupby(conversation, lambda message: message.role):
            if role == "tool":
                yield from self._results([_result(message, names) for message in group])
                continue
            for message in group:
                names |= {call.id: call.name or "" for call in message.tool_calls}
                yield self._said(message, schemas)

    def _announced(
        self, system: str, conversation: list[Message], tools: tuple[Tool, ...], language: str
    ) -> tuple[str, list[Message]]:
        """The system prompt and the conversation with the tools in their place; in the prompt where no user speaks."""
        asked = [number for number, message in enumerate(conversation) if message.role == "user"]
        if self.place == "system" or not asked:
            return self.speaker.brief(system, tools, language), conversation
        if self.place == "own_user":
            return system, [Message("user", self.speaker.brief("", tools, language)), *conversation]
        at = asked[0 if self.place == "first_user" else -1]
        told = Message("user", self.speaker.brief(conversation[at].content or "", tools, language))
        return system, [*conversation[:at], told, *conversation[at + 1 :]]

    def _said(self, message: Message, schemas: dict[str, dict[str, object]]) -> Message:
        content = message.content or ""
        if not message.tool_calls:
            return Message(message.role, content)
        calls = tuple(plain_call(call, schemas.get(call.name or "", {})) for call in message.tool_calls)
        return Message(message.role, self.speaker.say(content, calls))

    def _results(self, results: list[Result]) -> Iterator[Message]:
        for together in [[result] for result in results] if self.one_by_one else [results]:
            yield Message(self.result_role, self.speaker.report(together))


def _result(message: Message, names: dict[str | None, str]) -> Result:
    return Result(message.tool_call_id or "", names.get(message.tool_call_id, ""), message.content or "")


def _merged(messages: tuple[Message, ...]) -> Iterator[Message]:
    for role, group in groupby(messages, lambda message: message.role):
        yield Message(role, "\n\n".join(message.content or "" for message in group))


def argument_schemas(tools: tuple[Tool, ...]) -> dict[str, dict[str, object]]:
    """Name of a tool -> name of an argument -> its schema."""
    found = {tool.name: tool.parameters.get("properties") for tool in tools}
    return {name: properties if isinstance(properties, dict) else {} for name, properties in found.items()}


def plain_call(call: ToolCall, schemas: Json) -> PlainCall:
    """An earlier call with its arguments as an object; others (a model's mistake) are wrapped into one, as they are
    when the conversation is sent to an endpoint with native calls (wire.py)."""
    return PlainCall(call.name or "", _arguments(call.arguments), call.id or "", schemas)


def _arguments(arguments: object) -> Json:
    if arguments is None:
        return {}
    value = arguments
    if isinstance(arguments, str):
        try:
            value = read_json(arguments.encode("utf-8", "replace"))
        except ValueError:
            return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": arguments}


def write_json(value: object) -> str:
    """A value as one line of JSON with blanks after commas and colons, as most templates write it. What JSON cannot
    carry becomes null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return json.dumps(tame(value), ensure_ascii=False, default=lambda _other: None)
