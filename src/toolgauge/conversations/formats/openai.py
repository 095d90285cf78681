"""OpenAI's chat messages: files for fine-tuning and evaluation, exports, batches, and logs of requests and responses.

A line with `messages` alone is a conversation. A line with a response is one request of a conversation, whose messages
repeat what was said before: such lines are joined (joining.py), also those of one conversation that lie apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolgauge.chat import Message
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.definitions import decoded, read_definitions
from toolgauge.conversations.formats.found import Finds
from toolgauge.conversations.formats.grouping import Part, grouped
from toolgauge.conversations.formats.joining import joined, opening
from toolgauge.conversations.formats.messages import id_text, linked, read_messages, said
from toolgauge.conversations.formats.records import made_id
from toolgauge.conversations.formats.times import first_time
from toolgauge.data.record import DataLine

_HOLDERS = ("request", "body", "input", "data", "kwargs")
"""Fields that hold a request, where the line itself has no messages."""
_ANSWERS = ("response", "output", "completion", "body", "result")
_CONVERSATIONS = ("conversation_id", "session_id", "thread_id", "conversation", "chat_id")
_TIMES = ("created_at", "timestamp", "created", "time", "start_time", "started_at")

Object = Mapping[str, object]


def read_openai(paths: Sequence[Path]) -> Finds:
    """The conversations of files of chat messages."""
    return grouped(paths, _parts, joined)


def _parts(record: DataLine) -> Iterator[Part[Conversation]]:
    """The conversation, or the part of one, that a line holds."""
    request, path = _request(record.value)
    if request is None:
        raise record.error("`messages` missing")
    listed = request.get("messages")
    if not listed and type(listed) is list:
        raise record.error("no messages", f"{path}messages")
    messages = read_messages(record, listed, f"{path}messages")
    reply = _reply(record, record.value)
    if (system := said(request.get("system"))[0]) and messages[0].role != "system":  # Anthropic's place for it
        messages = (Message("system", system), *messages)
    if reply and reply[0] != messages[-1]:
        messages = linked([(message, None) for message in (*messages, *reply)])
    own = _own_id(record.value) or (_own_id(request) if request is not record.value else None)
    given = own if reply else own or id_text(record.value.get("id")) or id_text(record.value.get("custom_id"))
    tools = read_definitions(request.get("tools") or request.get("functions") or record.value.get("tools"))
    conversation = Conversation(
        given or made_id(record), messages, tools, record.line, first_time(_TIMES, record.value, request)
    )
    yield Part(conversation, own, opening(messages) if reply and own is None else None)


def _request(value: Object) -> tuple[Object | None, str]:
    """The object that has the messages, and its path."""
    if "messages" in value:
        return value, ""
    for key in _HOLDERS:
        inner = _object(value.get(key))
        if inner is not None:
            found, path = _request_inside(inner)
            if found is not None:
                return found, f"{key}.{path}"
    return None, ""


def _request_inside(value: Object) -> tuple[Object | None, str]:
    if "messages" in value:
        return value, ""
    body = _object(value.get("body"))
    return (body, "body.") if body is not None and "messages" in body else (None, "")


def _reply(record: DataLine, value: Object) -> tuple[Message, ...]:
    """What the response on a line says: its first choice. Nothing where there is none."""
    holders: list[Object] = [value]
    for key in _ANSWERS:
        if (inner := _object(value.get(key))) is not None:
            holders.append(inner)
            if (body := _object(inner.get("body"))) is not None:
                holders.append(body)
    for holder in holders:
        choices = holder.get("choices")
        choice = choices[0] if type(choices) is list and choices else holder if holder is not value else None
        message = choice.get("message", choice if "role" in choice else None) if type(choice) is dict else None
        if type(message) is dict:
            return read_messages(record, [{"role": "assistant", **message}], "message")
    preferred = value.get("preferred_output")
    return read_messages(record, preferred, "preferred_output") if type(preferred) is list else ()


def _own_id(value: Object) -> str | None:
    """The name of the conversation that a line is part of."""
    holders = (value, _object(value.get("metadata")) or {})
    return next((found for one in holders for key in _CONVERSATIONS if (found := id_text(one.get(key)))), None)


def _object(value: object) -> Object | None:
    if type(value) is str and value[:1] == "{":
        value = decoded(value)
    return value if type(value) is dict else None
