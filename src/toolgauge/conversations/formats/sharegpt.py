"""ShareGPT's format: {"conversations": [{"from", "value"}], "system", "tools"}, as LLaMA-Factory and others read it.

Calls stand in a turn `function_call` (JSON, a list where several are made together), results in `observation`; or, as
in Hermes's data, between tags in the text of a turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from toolgauge.chat import Message, Tool, ToolCall
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.definitions import decoded, read_definitions
from toolgauge.conversations.formats.found import Finds
from toolgauge.conversations.formats.messages import linked, made_call, said
from toolgauge.conversations.formats.records import each, made_id
from toolgauge.conversations.formats.times import first_time
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be

_ROLES = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bot", "model", "bing", "bard"), "assistant"),
    "system": "system",
    **dict.fromkeys(("function_call", "tool_call", "function-call"), "calls"),
    **dict.fromkeys(("observation", "tool", "function_response", "function-response", "tool_response"), "tool"),
}
_LISTS = ("conversations", "conversation")
_CALL = ("<tool_call>", "</tool_call>")
_RESULT = ("<tool_response>", "</tool_response>")
_TOOLS = ("<tools>", "</tools>")
_TIMES = ("created_at", "timestamp", "created", "time")


def read_sharegpt(paths: Sequence[Path]) -> Finds:
    """The conversations of files in ShareGPT's format."""
    return each(paths, _conversations)


def _conversations(record: DataLine) -> Iterator[Conversation]:
    key = next((key for key in _LISTS if key in record.value), _LISTS[0])
    turns = record.take(record.value, key, list)
    if not turns:
        raise record.error("no messages", key)
    made: list[tuple[Message, object]] = []
    system = record.value.get("system")
    if type(system) is str and system:
        made.append((Message("system", system), None))
    for place, turn in enumerate(turns):
        where = f"{key}[{place}]"
        if type(turn) is not dict:
            raise record.error(must_be(dict, turn), where)
        waiting = made[-1][0].tool_calls if made else ()
        made += [(message, None) for message in _messages(record, turn, len(waiting), where)]
    messages = linked(made)
    tools = read_definitions(record.value.get("tools")) or _tools_in(messages)
    given = record.value.get("id")
    name = given if type(given) is str and given else made_id(record)
    yield Conversation(name, messages, tools, record.line, first_time(_TIMES, record.value))


def _messages(record: DataLine, turn: Mapping[str, object], waiting: int, path: str) -> Iterator[Message]:
    """What a turn says. waiting: how many calls the turn before made."""
    role = _ROLES.get(record.take(turn, "from", str, path).lower())
    if role is None:
        raise record.error(f"unknown role; must be one of {', '.join(_ROLES)}", f"{path}.from")
    text = said(turn.get("value"))[0] or ""
    if role == "calls":
        yield Message("assistant", None, _calls(record, text, f"{path}.value"))
    elif role == "tool":
        for result in _results(text, waiting):
            yield Message("tool", result)
    elif role == "assistant" and (found := _between(text, *_CALL)):
        calls = tuple(_made(one) for one in map(decoded, found) if type(one) is dict)
        yield Message("assistant", text.partition(_CALL[0])[0].strip() or None, calls)
    else:
        yield Message(role, text)


def _calls(record: DataLine, text: str, path: str) -> tuple[ToolCall, ...]:
    value = decoded(text)
    listed = value if type(value) is list else [value]
    if not listed or not all(type(one) is dict for one in listed):
        raise record.error("must be the JSON of a call or of a list of calls", path)
    return tuple(_made(one) for one in listed if type(one) is dict)


def _made(call: Mapping[str, object]) -> ToolCall:
    arguments = call.get("arguments", call.get("parameters"))
    return made_call(call.get("id"), call.get("name"), arguments)


def _results(text: str, waiting: int) -> Iterator[str]:
    """The results that a turn holds: one, or as many as calls wait where it is a list of as many."""
    tagged = _between(text, *_RESULT)
    value = tagged or (decoded(text) if waiting > 1 else None)
    if type(value) is list and (tagged or len(value) == waiting):
        for one in value:
            yield one if type(one) is str else as_json(one)
    else:
        yield text


def _tools_in(messages: Sequence[Message]) -> tuple[Tool, ...]:
    """The definitions in a system message, as Hermes's data have them."""
    text = messages[0].content or "" if messages and messages[0].role == "system" else ""
    found = _between(text, *_TOOLS)
    if not found:
        return ()
    return read_definitions(found[-1]) or read_definitions(f"[{','.join(filter(str.strip, found[-1].splitlines()))}]")


def _between(text: str, begin: str, end: str) -> list[str]:
    """What stands between tags."""
    pieces = text.split(begin)[1:]
    return [piece.partition(end)[0].strip() for piece in pieces if end in piece]
