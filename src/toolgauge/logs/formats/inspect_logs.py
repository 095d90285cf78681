"""Logs of Inspect AI, .eval (a zip archive with a file per sample) and .json: a conversation per sample and epoch.

Read without inspect_ai. Source: its documentation of log files, and logs of version 0.3.285.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.data.lines import within_depth
from toolgauge.data.record import DataLine, must_be
from toolgauge.errors import DataError
from toolgauge.limits import MAX_VALUES, holds_more_values
from toolgauge.logs.archives import packed_files
from toolgauge.logs.conversation import LeftOut, LogMessage, left_out, merged_tools
from toolgauge.logs.definitions import read_definitions
from toolgauge.logs.formats.times import iso_time
from toolgauge.logs.joining import Piece, piece_of
from toolgauge.logs.messages import parse_message
from toolgauge.logs.records import MAX_DOCUMENT_VALUES
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


def is_inspect(value: Mapping[str, object]) -> bool:
    """Is it a log as one JSON document?"""
    return type(value.get("samples")) is list and ("eval" in value or "plan" in value or "version" in value)


def is_inspect_archive(path: Path) -> bool:
    """Is it a packed log, by its name?"""
    return path.suffix.lower() in (".eval", ".zip")


def read_inspect(paths: Sequence[Path]) -> Iterator[Piece | LeftOut]:
    """The conversations of logs."""
    for path in paths:
        try:
            yield from _packed(path) if is_inspect_archive(path) else _whole(path)
        except DataError as error:
            yield left_out(error)


def _packed(path: Path) -> Iterator[Piece | LeftOut]:
    count = 0
    for count, packed in enumerate(packed_files(path, lambda name: _SAMPLE.fullmatch(name) is not None), 1):
        yield packed if isinstance(packed, LeftOut) else _piece(path, packed[1], f"samples[{count}]")
    if not count:
        yield LeftOut(str(path), "no sample in this file")


def _whole(path: Path) -> Iterator[Piece | LeftOut]:
    content = read_bytes(path)
    if holds_more_values(content, MAX_DOCUMENT_VALUES):
        raise DataError(f"more than {MAX_DOCUMENT_VALUES:,} values", path)
    try:
        samples = msgspec.json.decode(content, type=_Log).samples
    except (ValueError, RecursionError) as error:
        raise DataError("invalid Inspect log", path) from error
    if not samples:
        raise DataError("no sample in this file", path)
    for place, sample in enumerate(samples):
        yield _piece(path, bytes(sample), f"samples[{place}]")


def _piece(path: Path, content: bytes, place: str) -> Piece | LeftOut:
    """The conversation of a sample."""
    record = DataLine(path, 0, {})
    try:
        if holds_more_values(content, MAX_VALUES):
            raise record.error(f"more than {MAX_VALUES:,} values", place)
        sample = msgspec.json.decode(content, type=_Sample)
        if not sample.messages or not within_depth(sample.messages):
            raise record.error("no messages, or one nested too deeply", place)
        messages = [one for n in range(len(sample.messages)) for one in _message(record, sample, n, place)]
    except DataError as error:
        return LeftOut(str(path), error.message, None, error.path)
    except (ValueError, RecursionError):
        return LeftOut(str(path), "invalid Inspect sample", None, place)
    time = iso_time(sample.started_at) or next(filter(None, (iso_time(one.timestamp) for one in sample.events)), None)
    name = str(sample.id) if sample.epoch == 1 else f"{sample.id}_epoch_{sample.epoch}"
    tools = merged_tools(read_definitions(event.tools) for event in sample.events if event.event == "model")
    return piece_of(record, name, messages=tuple(messages), tools=tools, time=time)


def _message(record: DataLine, sample: _Sample, number: int, path: str) -> list[LogMessage]:
    where = f"{path}.messages[{number}]"
    message = sample.messages[number]
    if type(message) is not dict:
        raise record.error(must_be(dict, message), where)
    content = _resolved(message.get("content"), sample.attachments)
    if content == "" and message.get("tool_calls"):
        content = None
    return parse_message(record, {**message, "content": content}, where)


def _resolved(content: object, attachments: Mapping[str, str]) -> object:
    """A content with the texts that Inspect keeps apart."""
    if type(content) is str and content.startswith(_ATTACHED):
        return attachments.get(content.removeprefix(_ATTACHED), content)
    if type(content) is list:
        return [_resolved(part, attachments) for part in content]
    if type(content) is dict:
        return {key: _resolved(part, attachments) for key, part in content.items()}
    return content
