"""Two versions of data, and the corrections that lead from one to the other; the records that corrections speak of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.corrections import Correction, Corrections, Unfit, same, task_of
from toolgauge.data.lines import MAX_DEPTH, numbered_lines, parse_line
from toolgauge.data.pointers import child, parse_pointer
from toolgauge.data.record import DataLine, session_of, shown
from toolgauge.errors import DataError


class Record(Struct, frozen=True):
    """What the pointers of a session's corrections go into, and where it stands. language: see `Correction`."""

    session: str
    value: Json
    file: str
    line: int
    language: Literal["en", "zh"] | None = None


def records_in(path: Path | str) -> Iterator[Record]:
    """The records of a file of JSON lines with an `id` each; raises DataError."""
    for number, text in numbered_lines(path):
        record = DataLine(path, number, parse_line(text, path, number))
        yield Record(session_of(record), record.value, str(path), number)


def between(session: str, old: Json, new: Json, reason: str = "", source: str = "") -> list[Correction]:
    """The corrections that make one version of a record of another, each at the smallest part that differs.

    Raises Unfit where the ids differ.
    """
    if old.get("id") != new.get("id"):
        raise Unfit("the session ids differ")
    return [
        Correction(session, pointer, None, task_of(parse_pointer(pointer)), before, after, reason, source)
        for pointer, before, after in _differences(old, new, "", MAX_DEPTH)
    ]


def between_versions(
    old: Iterable[Record], new: Iterable[Record], reason: str = "", source: str = ""
) -> Iterator[Correction]:
    """The corrections that make one version of data of another, in the order of the new one.

    Raises DataError where a session is in one of them only: what is added or left out is no correction.
    """
    earlier = {(record.language, record.session): record for record in old}
    place = next((record.file for record in earlier.values()), "")
    for record in new:
        before = earlier.pop((record.language, record.session), None)
        if before is None:
            why = f"session {shown(record.session)} not found in {place}"
            raise DataError(why, record.file, record.line, "id")
        for correction in between(record.session, before.value, record.value, reason, source):
            yield replace(correction, language=record.language)
    for record in earlier.values():
        why = f"session {shown(record.session)} missing in the new version"
        raise DataError(why, record.file, record.line, "id")


def check(records: Iterable[Record], corrections: Corrections) -> None:
    """Raise DataError where a correction does not fit the data, or is of a session that they do not have."""
    known = set()
    for record in records:
        corrections.applied(record.session, record.value, record.language)
        known.add(record.session)
    corrections.require_sessions(known)


def corrected_lines(path: Path | str, corrections: Corrections) -> Iterator[bytes]:
    """The lines of a data file with the corrections; a session without any keeps its bytes.

    Raises DataError for a correction that does not fit, and at the end for sessions that the file does not have.
    """
    known = []
    for number, line in numbered_lines(path):
        record = DataLine(path, number, parse_line(line, path, number))
        session = session_of(record)
        known.append(session)
        if session in corrections.by_session:
            yield msgspec.json.encode(corrections.applied(session, record.value)) + b"\n"
        else:
            yield line.rstrip(b"\r\n") + b"\n"
    corrections.require_sessions(known)


def inverse(corrections: Iterable[Correction]) -> list[Correction]:
    """What takes corrections back: the last one first."""
    return [correction.inverse for correction in reversed(list(corrections))]


def encoded(corrections: Iterable[Correction]) -> bytes:
    """Lines of a file of corrections."""
    return b"".join(msgspec.json.encode(correction) + b"\n" for correction in corrections)


def _differences(
    old: object, new: object, pointer: str, depth: int
) -> Iterator[tuple[str, Raw | UnsetType, Raw | UnsetType]]:
    """Where two values differ: pointer, old and new JSON. Objects are compared by key, lists of one length by place."""
    if depth and type(old) is dict and type(new) is dict:
        for key in [*old, *(key for key in new if key not in old)]:
            place = child(pointer, key)
            if key not in new:
                yield place, _raw(old[key]), UNSET
            elif key not in old:
                yield place, UNSET, _raw(new[key])
            else:
                yield from _differences(old[key], new[key], place, depth - 1)
    elif depth and type(old) is list and type(new) is list and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from _differences(before, after, child(pointer, index), depth - 1)
    elif not same(old, new):
        yield pointer, _raw(old), _raw(new)


def _raw(value: object) -> Raw:
    return Raw(msgspec.json.encode(value))
