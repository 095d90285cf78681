"""Training data of tool use: ShareGPT's turns and their variants (Hermes, APIGen-MT, ToolACE), glaive's texts, xlam's
rows.

Calls stand in a turn `function_call` (JSON, a list where several are made together), between <tool_call> tags in a
text, as JSON or as Python writes it, or as `[name(key="value")]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from toolgauge.chat import Tool, ToolCall
from toolgauge.data.lines import as_json
from toolgauge.data.record import DataLine, must_be
from toolgauge.logs.conversation import LogMessage, made_id, merged_tools
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.times import first_time
from toolgauge.logs.joining import Piece, piece_of
from toolgauge.logs.parts import Json, id_text, make_result, text_of
from toolgauge.logs.text_calls import between, call_of, json_objects, literal, parse_python_calls, parse_tagged

_ROLES = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "chatgpt", "bot", "model", "bing", "bard"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("function_call", "tool_call", "function-call"), "calls"),
    **dict.fromkeys(
        ("observation", "tool", "function_response", "function-response", "tool_response", "function"), "tool"
    ),
}
_LISTS = ("conversations", "conversation")
_LIST = re.compile(r"\[\s*\{")
MOST_LISTS = 20
"""Places of a system message where a list of tools may begin."""
_TIMES = ("created_at", "timestamp", "created", "time")
_GLAIVE = re.compile(r"^(USER|ASSISTANT|A|FUNCTION RESPONSE|SYSTEM):", re.MULTILINE)
_GLAIVE_CALL = re.compile(r"<functioncall>\s*(.*?)\s*(?:<\|endoftext\|>|\Z)", re.DOTALL)
_GLAIVE_ARGUMENTS = re.compile(r"([\"']arguments[\"']\s*:\s*)'(.*)'\s*}\s*\Z", re.DOTALL)


def is_sharegpt(value: Json) -> bool:
    """Is it a list of turns with `from` and `value`?"""
    listed = next((value[key] for key in _LISTS if type(value.get(key)) is list), None)
    first = listed[0] if type(listed) is list and listed else None
    return type(first) is dict and "from" in first


def is_toolace(value: Json) -> bool:
    """Are its calls written as `[name(key=value)]`?"""
    turns = next((value[key] for key in _LISTS if type(value.get(key)) is list), None)
    listed = turns if is_sharegpt(value) and type(turns) is list else []
    texts = (
        str(turn.get("value")).strip()
        for turn in listed
        if type(turn) is dict and turn.get("from") in ("assistant", "gpt")
    )
    return any(parse_python_calls(text) for text in texts if text.startswith("["))


def read_sharegpt(record: DataLine) -> Iterator[Piece]:
    """A conversation of turns. Raises DataError."""
    value: Json = record.value
    key = next((key for key in _LISTS if key in value), _LISTS[0])
    turns = record.take(value, key, list)
    if not turns:
        raise record.error("no messages", key)
    messages: list[LogMessage] = []
    system = value.get("system")
    if type(system) is str and system:
        messages.append(LogMessage("system", system))
    for place, turn in enumerate(turns):
        where = f"{key}[{place}]"
        if type(turn) is not dict:
            raise record.error(must_be(dict, turn), where)
        waiting = messages[-1].tool_calls if messages else ()
        messages += _turn(record, turn, waiting, where)
    tools = read_definitions(value.get("tools")) or _tools_in(messages)
    name = id_text(value.get("id"))
    yield piece_of(
        record,
        name or made_id(record.file, record.line),
        messages=tuple(messages),
        tools=tools,
        time=first_time(_TIMES, value),
    )


def _turn(record: DataLine, turn: Json, waiting: Sequence[ToolCall], path: str) -> Iterator[LogMessage]:
    """What a turn says. waiting: the calls that the turn before made."""
    role = _ROLES.get(record.take(turn, "from", str, path).lower())
    if role is None:
        raise record.error(f"unknown role; must be one of {', '.join(_ROLES)}", f"{path}.from")
    value = turn.get("value", turn.get("content"))
    text = text_of(value)
    if role == "calls":
        parsed = literal(text) if type(value) is str else value
        listed = parsed if type(parsed) is list else [parsed]
        calls = tuple(call for call in map(call_of, listed) if call is not None)
        if not listed or len(calls) < len(listed):
            raise record.error("must be the JSON of a call or of a list of calls", f"{path}.value")
        yield LogMessage("assistant", None, calls)
    elif role == "tool" or (role == "user" and "<tool_response>" in text and waiting):
        yield from _results(text, waiting)
    elif role == "assistant" and "<tool_call>" in text:
        content, tagged = parse_tagged(text)
        yield LogMessage("assistant", content, tagged)
    elif role == "assistant" and text.strip().startswith("[") and (called := parse_python_calls(text)):
        yield LogMessage("assistant", None, tuple(called))
    else:
        yield LogMessage(role, text)


def _results(text: str, waiting: Sequence[ToolCall]) -> Iterator[LogMessage]:
    """The results that a turn holds: between tags, or a JSON list of as many as calls wait, or one."""
    names = [call.name for call in waiting]
    tagged = between(text, "<tool_response>", "</tool_response>")
    listed: list[object] = [literal(one) or one for one in tagged]
    if not tagged and len(waiting) > 1:
        value = literal(text)
        if type(value) is list and len(value) == len(waiting):
            listed = value
    if not listed:
        value = literal(text)
        only = value[0] if type(value) is list and len(value) == 1 else value
        listed = [only if _is_envelope(only, names) else text]
    for one in listed:
        yield _one_result(one, names)


def _is_envelope(value: object, names: Sequence[str | None]) -> bool:
    """Is it an object with the name of a tool that was called, and its result?"""
    return type(value) is dict and value.get("name") in names and len(value) > 1


def _one_result(value: object, names: Sequence[str | None]) -> LogMessage:
    """A result; in an envelope with the tool's name, as Hermes' and ToolACE's data have it, what stands in it."""
    if type(value) is dict and _is_envelope(value, names):
        key = next((key for key in ("content", "results", "result", "response") if key in value), None)
        if key is not None and set(value) <= {"name", key, "tool_call_id", "id", "role"}:
            inner = value[key]
            text = inner if type(inner) is str else as_json(inner)
            return make_result(value.get("tool_call_id", value.get("id")), text, value["name"])
    return make_result(None, value if type(value) is str else as_json(value))


def _tools_in(messages: Sequence[LogMessage]) -> tuple[Tool, ...]:
    """The definitions in a system message: between <tools> tags (Hermes), or as JSON in the text."""
    text = messages[0].content or "" if messages and messages[0].role == "system" else ""
    for inner in between(text, "<tools>", "</tools>"):
        tools = read_definitions(inner) or read_definitions([line for line in inner.splitlines() if line.strip()])
        if tools:
            return tools
    end = text.rfind("}]")
    for begin in islice(_LIST.finditer(text, 0, max(end, 0)), MOST_LISTS):
        if tools := read_definitions(text[begin.start() : end + 2]):
            return tools
    listed = [tool for definition in json_objects(text) for tool in read_definitions([definition])]
    return merged_tools([listed])


def is_glaive(value: Json) -> bool:
    """Is it a text with USER: and ASSISTANT: in it?"""
    chat = value.get("chat")
    return type(chat) is str and _GLAIVE.search(chat) is not None


def read_glaive(record: DataLine) -> Iterator[Piece]:
    """glaive-function-calling: the whole conversation in one text, calls behind <functioncall>. Raises DataError."""
    chat = record.take(record.value, "chat", str)
    system = str(record.value.get("system") or "").removeprefix("SYSTEM:").strip()
    messages = [LogMessage("system", system)] if system else []
    marks = list(_GLAIVE.finditer(chat))
    ends = [mark.start() for mark in marks[1:]] + [len(chat)]
    for mark, end in zip(marks, ends, strict=False):
        text = chat[mark.end() : end].replace("<|endoftext|>", "").strip()
        if mark[1] == "FUNCTION RESPONSE":
            messages.append(make_result(None, text))
        elif mark[1] in ("ASSISTANT", "A"):
            messages.append(_glaive_reply(record, chat[mark.end() : end]))
        else:
            messages.append(LogMessage("system" if mark[1] == "SYSTEM" else "user", text))
    name = id_text(record.value.get("id")) or made_id(record.file, record.line)
    yield piece_of(record, name, messages=tuple(messages), tools=_tools_in(messages))


def _glaive_reply(record: DataLine, text: str) -> LogMessage:
    match = _GLAIVE_CALL.search(text)
    if match is None:
        return LogMessage("assistant", text.replace("<|endoftext|>", "").strip())
    source = match[1]
    if quoted := _GLAIVE_ARGUMENTS.search(source):  # JSON between single quotes
        source = f"{source[: quoted.start(2) - 1]}{quoted[2]}}}"
    call = call_of(literal(source))
    if call is None:
        raise record.error("a <functioncall> that cannot be read", "chat")
    return LogMessage("assistant", text[: match.start()].strip() or None, (call,))


def is_xlam(value: Json) -> bool:
    """Is it a row of xlam-function-calling: a query, its answers and the tools?"""
    return "query" in value and "answers" in value and "tools" in value


def read_xlam(record: DataLine) -> Iterator[Piece]:
    """One request and the calls that answer it; there are no results and no reply. Raises DataError."""
    query = record.take(record.value, "query", str)
    answers = record.value["answers"]
    listed = literal(answers) if type(answers) is str else answers
    calls = tuple(call for call in map(call_of, listed if type(listed) is list else []) if call is not None)
    if not calls or (type(listed) is list and len(calls) < len(listed)):
        raise record.error("must be a list of calls", "answers")
    name = id_text(record.value.get("id")) or made_id(record.file, record.line)
    messages = (LogMessage("user", query), LogMessage("assistant", None, calls))
    yield piece_of(record, name, messages=messages, tools=read_definitions(record.value["tools"]))
