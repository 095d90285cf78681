"""Chat messages in OpenAI's form, as logs have them: content as text or parts, calls and their older form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from toolgauge.chat import Message, ToolCall
from toolgauge.conversations.formats.open_calls import OpenCalls
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be

ROLES = {
    **{role: role for role in ("system", "user", "assistant", "tool")},
    "developer": "system",
    "function": "tool",
}
"""The roles of the API, and what they are here."""
_TEXTS = ("text", "input_text", "output_text")
_THOUGHTS = ("reasoning", "thinking")


def read_messages(record: DataLine, listed: object, path: str) -> tuple[Message, ...]:
    """The messages of a list, every call with an id and every result with that of its call, where that can be told.

    Raises DataError with the place of what is no message.
    """
    if type(listed) is not list:
        raise record.error(must_be(list, listed), path)
    made = []
    for place, message in enumerate(listed):
        where = f"{path}[{place}]"
        if type(message) is not dict:
            raise record.error(must_be(dict, message), where)
        made += [(read_message(record, one, where), one.get("name")) for one in _apart(message)]
    return linked(made)


def _apart(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    """A message in Anthropic's form as those that it is here: results are messages, calls no part of the content."""
    content = message.get("content")
    parts = [part for part in content if type(part) is dict] if type(content) is list else []
    calls = [part for part in parts if part.get("type") == "tool_use"]
    results = [part for part in parts if part.get("type") == "tool_result"]
    if not calls and not results:
        return [message]
    made: list[Mapping[str, object]] = [
        {"role": "tool", "tool_call_id": part.get("tool_use_id"), "content": part.get("content")} for part in results
    ]
    others = [part for part in parts if part not in calls and part not in results]
    if others or calls:
        made.append({**message, "content": others or None, "tool_calls": calls})
    return made


def read_message(record: DataLine, message: Mapping[str, object], path: str) -> Message:
    """One message. Raises DataError for a role that is none."""
    role = ROLES.get(record.take(message, "role", str, path))
    if role is None:
        raise record.error(f"unknown role; must be one of {', '.join(ROLES)}", f"{path}.role")
    text, thought = said(message.get("content"))
    if text is None and type(message.get("refusal")) is str:
        text = str(message["refusal"])
    for key in ("reasoning_content", "reasoning"):
        if type(message.get(key)) is str and message[key]:
            thought = str(message[key])
    calls = read_calls(message) if role == "assistant" else ()
    answered = message.get("tool_call_id") if role == "tool" else None
    return Message(role, text, calls, id_text(answered), thought if role == "assistant" else None)


def said(content: object) -> tuple[str | None, str | None]:
    """Text and reasoning of a content: a text, parts, or other JSON, which is kept as its text.

    Of parts that are no text - pictures, sound, files - only the kind is kept, in brackets.
    """
    if content is None or type(content) is str:
        return content, None
    parts = content if type(content) is list else [content]
    texts, thoughts = [], []
    for part in parts:
        if type(part) is str:
            texts.append(part)
            continue
        if type(part) is not dict or type(part.get("type")) is not str:
            texts.append(as_json(part))
            continue
        kind = part["type"]
        value = next((part[key] for key in ("text", "content", kind) if type(part.get(key)) is str), None)
        if kind in _THOUGHTS:
            thoughts.append(value or "")
        else:
            texts.append(value if value is not None and kind in (*_TEXTS, "refusal") else f"[{_word(kind)}]")
    return ("".join(texts) if texts else None), ("".join(thoughts) or None)


def read_calls(message: Mapping[str, object]) -> tuple[ToolCall, ...]:
    """The calls of an assistant message, as JSON text each; what is missing stays away."""
    listed = message.get("tool_calls")
    calls = [listed] if type(listed) is dict else listed if type(listed) is list else []
    legacy = message.get("function_call")
    if not calls and type(legacy) is dict:
        calls = [{"function": legacy}]
    return tuple(_call(call) for call in calls)


def _call(call: object) -> ToolCall:
    if type(call) is not dict:
        return made_call(None, None, None)
    inner = call.get("function", call.get("custom"))
    function: Mapping[str, object] = inner if type(inner) is dict else call
    name = function.get("name", inner if type(inner) is str else None)
    arguments = function.get("arguments", function.get("args", function.get("input")))
    return made_call(call.get("id"), name, arguments)


def made_call(given: object, name: object, arguments: object) -> ToolCall:
    """A call with its arguments as JSON text."""
    text = arguments if type(arguments) is str else "{}" if arguments is None else as_json(arguments)
    return ToolCall(id_text(given), name if type(name) is str else None, text)


def id_text(value: object) -> str | None:
    return value if type(value) is str and value else str(value) if type(value) is int else None


def linked(messages: Sequence[tuple[Message, object]]) -> tuple[Message, ...]:
    """Messages with an id for every call, and of results without one that of the next call without a result.

    Beside each message the name of the tool, where a result has it (the older form of the API).
    """
    taken = {call.id for message, _name in messages for call in message.tool_calls}
    open_calls, made, count = OpenCalls(), [], 0
    for message, name in messages:
        if message.tool_calls:
            calls = []
            for call in message.tool_calls:
                count += 1
                calls.append(call if call.id else replace(call, id=_free(f"call_{count}", taken)))
            open_calls = OpenCalls((call.id or "", call.name) for call in calls)
            made.append(replace(message, tool_calls=tuple(calls)))
        elif message.role == "tool":
            made.append(replace(message, tool_call_id=open_calls.answered(message.tool_call_id, name)))
        else:
            made.append(message)
    return tuple(made)


def _free(name: str, taken: set[str | None]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _word(kind: str) -> str:
    return kind if kind.isidentifier() and len(kind) <= 30 else "part"
