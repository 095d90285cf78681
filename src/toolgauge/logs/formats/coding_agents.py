"""Sessions of coding agents: Claude Code's transcripts and Codex's rollouts, a line for each block or item.

Both write what the program itself says to the model as the user's messages; those are marked as injected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from toolgauge.data.record import DataLine
from toolgauge.errors import DataError
from toolgauge.logs.conversation import LogMessage, made_id
from toolgauge.logs.formats.exchanges import object_of
from toolgauge.logs.formats.times import first_time
from toolgauge.logs.joining import Piece, piece_of
from toolgauge.logs.messages import parse_messages
from toolgauge.logs.parts import Json, id_text

_INJECTED = re.compile(
    r"\s*(?:<(?:system-reminder|command-name|command-message|local-command-\w+|bash-(?:input|stdout|stderr)|task-notification"
    r"|environment_context|user_instructions|permissions|turn_aborted|INSTRUCTIONS|skill|collaboration_mode)\b"
    r"|\[Request interrupted by user|Caveat: The messages below|# AGENTS\.md instructions)"
)
_CODEX_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")


def _marked(messages: Sequence[LogMessage], injected: bool = False) -> list[LogMessage]:
    return [
        replace(message, injected=True)
        if message.role == "user" and (injected or _INJECTED.match(message.content or ""))
        else message
        for message in messages
    ]


def is_claude_code(value: Json) -> bool:
    """Is it a line of a transcript?"""
    kind = value.get("type")
    if kind in ("user", "assistant"):
        return "sessionId" in value and "uuid" in value and type(value.get("message")) is dict
    return (kind == "summary" and "leafUuid" in value) or (kind == "file-history-snapshot" and "snapshot" in value)


def read_claude_code(lines: Sequence[DataLine]) -> Iterator[Piece]:
    """The conversations of a transcript: the main one, and one for each agent that it started.

    Messages that were taken back, when the user went back to an earlier one, are left out.
    """
    lines = [
        line
        for line in lines
        if line.value.get("type") in ("user", "assistant") and type(line.value.get("message")) is dict
    ]
    branch = _without_abandoned(lines)
    roots = _roots(branch)
    groups: dict[tuple[str, str], list[DataLine]] = {}
    for line in branch:
        value = line.value
        session = id_text(value.get("sessionId")) or made_id(line.file, 1)
        agent = str(value.get("agentId") or roots[str(value.get("uuid"))]) if value.get("isSidechain") else ""
        groups.setdefault((session, agent), []).append(line)
    for (session, agent), group in groups.items():
        first = group[0]
        name = f"{session}-{agent[:12]}" if agent else session
        about = {"key": f"{session}/{agent}" if agent else session, "time": first_time(("timestamp",), first.value)}
        try:
            messages = tuple(_claude_messages(group))
        except DataError as error:
            yield piece_of(first, name, fault=error.message, **about)
        else:
            yield piece_of(first, name, messages=messages, **about)


def _without_abandoned(lines: Sequence[DataLine]) -> list[DataLine]:
    """The lines without those behind a user's message that a later one of the same parent replaces."""
    parents = {str(line.value.get("uuid")): line.value.get("parentUuid") for line in lines}
    typed = {
        str(line.value.get("uuid")): str(line.value["parentUuid"])
        for line in lines
        if line.value.get("parentUuid") is not None and _is_typed(line.value)
    }
    last = {parent: uuid for uuid, parent in typed.items()}
    gone = {uuid for uuid, parent in typed.items() if last[parent] != uuid}
    if not gone:
        return list(lines)
    for uuid, parent in parents.items():  # a parent stands before its children
        if str(parent) in gone:
            gone.add(uuid)
    return [line for line in lines if str(line.value.get("uuid")) not in gone]


def _is_typed(value: Json) -> bool:
    """Is it a text that a person wrote?"""
    message = object_of(value.get("message"))
    content = message.get("content")
    if type(content) is list:
        content = next(
            (part.get("text") for part in content if type(part) is dict and part.get("type") == "text"), None
        )
    is_person = value.get("type") == "user" and not value.get("isMeta") and not value.get("isSidechain")
    return is_person and type(content) is str and not _INJECTED.match(content) and "toolUseResult" not in value


def _roots(lines: Sequence[DataLine]) -> dict[str, str]:
    """For the lines of agents that the session started: the first line of the chain that each belongs to."""
    roots: dict[str, str] = {}
    for line in lines:  # a parent stands before its children
        if line.value.get("isSidechain"):
            uuid = str(line.value.get("uuid"))
            roots[uuid] = roots.get(str(line.value.get("parentUuid")), uuid)
    return roots


def _claude_messages(lines: Sequence[DataLine]) -> Iterator[LogMessage]:
    """The messages; blocks of one reply, which stand in lines of their own, are put together."""
    reply: LogMessage | None = None
    reply_id: object = None
    for line in lines:
        value = line.value
        message = object_of(value.get("message"))
        if value.get("isApiErrorMessage"):
            continue
        parsed = parse_messages(line, [message], "message")
        if value.get("type") == "user":
            parsed = _marked(parsed, injected=bool(value.get("isMeta") or value.get("isCompactSummary")))
        is_same = reply is not None and message.get("id") is not None and message.get("id") == reply_id
        if is_same and reply is not None and len(parsed) == 1 and parsed[0].role == "assistant":
            reply = _together(reply, parsed[0])
            continue
        if reply is not None:
            yield reply
            reply = None
        if parsed and parsed[-1].role == "assistant":
            yield from parsed[:-1]
            reply, reply_id = parsed[-1], message.get("id")
        else:
            yield from parsed
    if reply is not None:
        yield reply


def _together(first: LogMessage, second: LogMessage) -> LogMessage:
    content = "\n\n".join(part for part in (first.content, second.content) if part) or None
    reasoning = "\n".join(part for part in (first.reasoning, second.reasoning) if part) or None
    return LogMessage("assistant", content, (*first.tool_calls, *second.tool_calls), None, reasoning)


def is_codex(value: Json) -> bool:
    """Is it a line of a rollout? Those before version 0.32 hold the items themselves."""
    return (
        (value.get("type") in _CODEX_TYPES and type(value.get("payload")) is dict)
        or value.get("record_type") == "state"
        or (
            "instructions" in value
            and "timestamp" in value
            and "id" in value
            and "messages" not in value
            and "input" not in value
        )
    )


def read_codex(lines: Sequence[DataLine]) -> Iterator[Piece]:
    """The one conversation of a file. What was summed up to save room is kept as it was said."""
    first = lines[0]
    items: list[object] = []
    name = time = None
    for line in lines:
        value = line.value
        payload = object_of(value.get("payload"))
        if value.get("type") == "session_meta" and payload is not None:
            name = name or id_text(payload.get("id"))
            time = time or first_time(("timestamp",), payload, value)
        elif value.get("type") == "response_item" and payload is not None:
            items.append(payload)
        elif payload is None and "record_type" not in value:
            if "instructions" in value and "role" not in value:
                name, time = name or id_text(value.get("id")), time or first_time(("timestamp",), value)
            elif value.get("type") in ("message", "reasoning") or str(value.get("type")).endswith(("_call", "_output")):
                items.append(value)
    session_name = name or Path(first.file).stem
    try:
        messages = _marked(parse_messages(first, items, "payload")) if items else []
    except DataError as error:
        yield piece_of(first, session_name, fault=error.message)
    else:
        yield piece_of(first, session_name, messages=tuple(messages), time=time)
