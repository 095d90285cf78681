"""Conversations and sampling options in the form that an endpoint takes them, to fit its quirks. Pure functions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Message
from toolgauge.models.families import Ids
from toolgauge.models.model import Sampling
from toolgauge.models.provider import Quirks
from toolgauge.models.replies import read_json, tame

BRIDGE = "…"
"""What the assistant says where it said nothing but has to stand between two messages of others."""
STAND_IN = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""What Google's documentation gives for calls that Gemini did not make, such as those of an annotated history."""
_FUNCTIONS = re.compile(r"functions\.\S+:\d+")
_NINE = re.compile(r"[0-9A-Za-z]{9}")
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


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


def shape(messages: Sequence[Message], quirks: Quirks, with_tools: bool) -> list[Json]:
    """The conversation as an endpoint with these quirks takes it. with_tools: tools are on offer in this request."""
    names: dict[str | None, str | None] = {}
    shaped = []
    for message in _with_ids(messages, quirks.ids):
        wire = wire_message(message)
        if message.role == "assistant":
            names |= {call.id: call.name for call in message.tool_calls}
            _finish_answer(wire, message, quirks, with_tools)
        elif message.role == "tool" and quirks.tool_name and (name := names.get(message.tool_call_id)):
            wire["name"] = name
        shaped.append(wire)
    if quirks.alternates:
        shaped = _joined(shaped)
    return shaped if quirks.user_after_tool else _bridged(shaped)


def _finish_answer(wire: Json, message: Message, quirks: Quirks, with_tools: bool) -> None:
    """What the endpoint wants to see in the assistant's earlier messages: reasoning, signatures, words."""
    calls = message.tool_calls
    if calls and message.content is None and quirks.call_content == "text":
        wire["content"] = ""
    if quirks.returned != "never" and (with_tools or calls):
        if message.reasoning:
            wire[quirks.reasoning_field] = message.reasoning
        elif calls and quirks.returned == "required":
            wire[quirks.reasoning_field] = ""
    if quirks.signed and calls:
        signatures = _listed(message.echo, "calls")
        for position, call in enumerate(wire["tool_calls"]):
            signature = signatures[position] if position < len(signatures) else None
            if isinstance(signature, dict):
                call["extra_content"] = signature
            elif position == 0:
                call["extra_content"] = STAND_IN
    if quirks.details and (details := _listed(message.echo, "reasoning_details")):
        wire["reasoning_details"] = details


def kept_echo(message: object, quirks: Quirks) -> dict[str, object] | None:
    """What of a reply's message has to go back as it came, or None: the counterpart of `shape`."""
    if not isinstance(message, dict):
        return None
    if quirks.details and (details := _listed(message, "reasoning_details")):
        return {"reasoning_details": details}
    if quirks.signed:
        calls = [
            call.get("extra_content") if isinstance(call, dict) else None for call in _listed(message, "tool_calls")
        ]
        if any(isinstance(extra, dict) for extra in calls):
            return {"calls": calls}
    return None


def _listed(of: Json | None, key: str) -> list[object]:
    value = of.get(key) if of else None
    return value if isinstance(value, list) else []


def nine(id_: str | None) -> str:
    """Nine letters and digits for an id of a call, the same ones every time; such an id itself stays as it is."""
    if id_ is not None and _NINE.fullmatch(id_):
        return id_
    number = int.from_bytes(hashlib.sha256((id_ or "").encode("utf-8", "replace")).digest())
    return "".join(_DIGITS[number // 62**place % 62] for place in range(9))


def _with_ids(messages: Sequence[Message], ids: Ids) -> Sequence[Message]:
    """The messages with ids of calls as a family wants them. An id that has the form stays; a result's is that of the
    last call with the id that it names."""
    if ids == "any":
        return messages
    renamed: list[Message] = []
    new_ids: dict[str | None, str] = {}
    count = 0
    for message in messages:
        calls = []
        for call in message.tool_calls:
            native = _FUNCTIONS.fullmatch(call.id or "")
            new_id = nine(call.id) if ids == "nine" else native[0] if native else f"functions.{call.name}:{count}"
            new_ids[call.id] = new_id
            calls.append(replace(call, id=new_id))
            count += 1
        answers = new_ids.get(message.tool_call_id) or nine(message.tool_call_id) if message.role == "tool" else None
        if calls or answers:
            renamed.append(replace(message, tool_calls=tuple(calls), tool_call_id=answers))
        else:
            renamed.append(message)
    return renamed


def _joined(wires: list[Json]) -> list[Json]:
    """Neighbours of the user, and of an assistant that made no calls, as one message each."""
    joined: list[Json] = []
    for wire in wires:
        before = joined[-1] if joined else {}
        if before.get("role") == wire["role"] in ("user", "assistant") and "tool_calls" not in before:
            words = [text for text in (before["content"], wire["content"]) if text]
            joined[-1] = {**before, **wire, "content": "\n\n".join(words)}
        else:
            joined.append(wire)
    return joined


def _bridged(wires: list[dict[str, object]]) -> list[dict[str, object]]:
    """An assistant's message between the result of a tool and the user's next words."""
    bridged: list[dict[str, object]] = []
    for wire in wires:
        if wire["role"] == "user" and bridged and bridged[-1]["role"] == "tool":
            bridged.append({"role": "assistant", "content": BRIDGE})
        bridged.append(wire)
    return bridged


def wire_message(message: Message) -> dict[str, object]:
    """The message in a form that endpoints take back: arguments as text, and a text where there is nothing else."""
    wire = message.wire()
    if message.tool_calls:
        for call in wire["tool_calls"]:
            call["function"]["arguments"] = wire_arguments(call["function"]["arguments"])
    elif message.content is None:
        wire["content"] = ""
    return wire


def wire_arguments(arguments: object) -> str:
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


def as_object(arguments: object) -> Json:
    """Arguments of an earlier call as an object, for APIs that take nothing else; see `wire_arguments`."""
    if isinstance(arguments, dict):
        arguments = tame(arguments)
    read: Json = read_json(wire_arguments(arguments).encode("utf-8", "replace"))
    return read


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
