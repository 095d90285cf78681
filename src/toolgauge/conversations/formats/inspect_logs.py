"""Logs of Inspect AI, .eval (a zip archive with a file per sample) and .json: a conversation per sample and epoch.

Read without inspect_ai. Source: its documentation of log files, and logs of version 0.3.285.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.chat import Message, Tool
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.formats.archives import packed_files
from toolgauge.conversations.formats.definitions import read_definitions
from toolgauge.conversations.formats.found import Finds, Found, Rejected, left_out, rejected
from toolgauge.conversations.formats.messages import linked, read_message
from toolgauge.conversations.formats.records import MAX_DOCUMENT_VALUES, elements_of
from toolgauge.conversations.formats.times import iso_time
from toolgauge.data.lines import within_depth
from toolgauge.data.record import DataLine, must_be
from toolgauge.errors import DataError
from toolgauge.limits import MAX_VALUES, holds_more_values
from toolgauge.tools.documents import read_bytes

_SAMPLE = re.compile(r"samples/[^/]+\.json")
_ATTACHED = "attachment://"


class _Event(Struct):
    event: str = ""
    timestamp: object = None
    tools: object = None


class _Sample(Struct):
    id: str | int
    messages: list[object]
    epoch: int = 1
    events: list[_Event] = []
    attachments: dict[str, str] = {}
    started_at: str | None = None


class _Log(Struct):
    samples: list[msgspec.Raw] | None = None


def read_inspect(paths: Sequence[Path]) -> Finds:
    """The conversations of logs."""
    for path in paths:
        try:
            yield from _packed(path) if _is_archive(path) else _whole(path)
        except DataError as error:
            yield rejected(error)


def _is_archive(path: Path) -> bool:
    return path.suffix.lower() in (".eval", ".zip")


def _packed(path: Path) -> Iterator[Found]:
    any_file = False
    for number, one in enumerate(packed_files(path, lambda name: _SAMPLE.fullmatch(name) is not None), 1):
        any_file = True
        if isinstance(one, Rejected):
            yield one
        else:
            yield _conversation(DataLine(path, 0, {}), one[1], f"samples[{number}]")
    if not any_file:
        yield left_out("no sample in this file", path)


def _whole(path: Path) -> Iterator[Found]:
    content = read_bytes(path)
    if holds_more_values(content, MAX_DOCUMENT_VALUES):
        raise DataError(f"more than {MAX_DOCUMENT_VALUES:,} values", path)
    try:
        samples = msgspec.json.decode(content, type=_Log).samples
    except (ValueError, RecursionError) as error:
        raise DataError(f"invalid Inspect log: {error}", path) from error
    if not samples:
        raise DataError("no sample in this file", path)
    for place, line in enumerate(elements_of(path, content, samples)):
        yield _conversation(DataLine(path, line.number, {}), line.text, f"samples[{place}]")


def _conversation(record: DataLine, content: bytes, path: str) -> Found:
    """The conversation of a sample."""
    line = record.line or None
    try:
        if holds_more_values(content, MAX_VALUES):
            return left_out(f"more than {MAX_VALUES:,} values", record.file, line, path)
        sample = msgspec.json.decode(content, type=_Sample)
    except (ValueError, RecursionError) as error:
        return left_out(f"invalid Inspect sample: {error}", record.file, line, path)
    if not sample.messages or not within_depth(sample.messages):
        return left_out("no messages, or one nested too deeply", record.file, line, path)
    try:
        messages = linked([(_message(record, sample, place, path), None) for place in range(len(sample.messages))])
    except DataError as error:
        return Rejected(error.file, error.message, line, error.path)
    time = iso_time(sample.started_at) or next(filter(None, (iso_time(one.timestamp) for one in sample.events)), None)
    name = str(sample.id) if sample.epoch == 1 else f"{sample.id}_epoch_{sample.epoch}"
    return Conversation(name, messages, _tools(sample.events), record.line, time)


def _message(record: DataLine, sample: _Sample, place: int, path: str) -> Message:
    where = f"{path}.messages[{place}]"
    message = sample.messages[place]
    if type(message) is not dict:
        raise record.error(must_be(dict, message), where)
    error = message.get("error")
    content = _resolved(message.get("content"), sample.attachments)
    if not content and type(error) is dict:
        content = error.get("message")
    if content == "" and message.get("tool_calls"):
        content = None
    return read_message(record, {**message, "content": content}, where)


def _resolved(content: object, attachments: Mapping[str, str]) -> object:
    """A content with the texts that Inspect keeps apart."""
    if type(content) is str and content.startswith(_ATTACHED):
        return attachments.get(content.removeprefix(_ATTACHED), content)
    if type(content) is list:
        return [_resolved(part, attachments) for part in content]
    if type(content) is dict:
        return {key: _resolved(part, attachments) for key, part in content.items()}
    return content


def _tools(events: Sequence[_Event]) -> tuple[Tool, ...]:
    """Every tool that a model was offered."""
    found: dict[str, Tool] = {}
    for event in events:
        if event.event == "model":
            for tool in read_definitions(event.tools):
                found.setdefault(tool.name, tool)
    return tuple(found.values())
