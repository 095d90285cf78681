"""Corrections of annotated data: a file of changes that is applied while the data are read, never written into them.

A line of the file is one change of one session's record (JSON Lines):

    {"session": "wild_7", "task": 2, "pointer": "/english_answer_list/2/0/action/arguments/city",
     "old": "Pari", "new": "Paris", "reason": "a letter is missing", "source": "issue 12 of the data's repository"}

`pointer` is a JSON Pointer (RFC 6901) into the record as the data file has it (docs/files.md says what that is
for each benchmark). Without `old` a new key of an object is set, without `new` one is taken away. Elements of lists are
replaced only; where a list gets longer or shorter, the list itself is the value. `old` has to be what stands there,
types included, so that corrections of another version of the data, or two that contradict each other, are found and
not applied. A line with `language` is one of the data in that language only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH, numbered_lines, parse_line, sha256_of, within_depth
from toolgauge.data.record import INDEX, DataLine, Steps, child, find, named, parse_pointer, session_of, shown
from toolgauge.errors import DataError, ToolgaugeError

T = TypeVar("T")
MAX_POINTER = 2000
"""Characters of a pointer."""
_BY_TASK = frozenset({"tasks", "task", "answer_list", "task_types", "type"})
"""Fields of a record, without the prefix of the language, that have an element per task."""


class Unfit(ToolgaugeError):
    """A correction that cannot be applied."""

    exit_code = 2


class Correction(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One change."""

    session: str
    """The id of the record."""
    pointer: str
    language: Literal["en", "zh"] | None = None
    """Of the data; None where a record has its languages side by side."""
    task: int | None = None
    """Its index in the session, for people."""
    old: Raw | UnsetType = UNSET
    new: Raw | UnsetType = UNSET
    reason: str = ""
    source: str = ""
    """Who found it, and where."""


Numbered = tuple[int, Correction]
"""A correction and its line in the file."""


class Record(Struct, frozen=True):
    """What the pointers of a session's corrections go into, and where it stands. language: see `Correction`."""

    session: str
    value: Json
    file: str
    line: int
    language: Literal["en", "zh"] | None = None


class Corrections(Struct, frozen=True, dict=True):
    """The content of a file of corrections: by session, in the order of the file. sha256: of the file's bytes."""

    file: str
    sha256: str
    by_session: Mapping[str, Sequence[Numbered]]

    @cached_property
    def count(self) -> int:
        return sum(map(len, self.by_session.values()))

    def __hash__(self) -> int:
        return hash(self.sha256)

    def __iter__(self) -> Iterator[Correction]:
        return (correction for group in self.by_session.values() for _, correction in group)

    def of(self, language: str) -> Corrections:
        """Those of the data in a language; raises DataError where there is none."""
        every = {session: self._group(session, language) for session in self.by_session}
        by_session = {session: group for session, group in every.items() if group}
        if not by_session:
            raise DataError(f"no correction for the {language} data", self.file)
        return Corrections(self.file, self.sha256, by_session)

    def applied(self, session: str, record: Json, language: str | None = None) -> Json:
        """The record with its session's corrections; itself if there are none, and never changed.

        language: of the record, where it has only one. Raises DataError, at the line of the correction, where one does
        not fit.
        """
        return self._applied(session, record, self._group(session, language))

    def corrected(self, session: str, record: Json, read: Callable[[Json], T]) -> T:
        """What a reader makes of the record with its corrections.

        Raises DataError as `applied` does; also, at the line of the correction with which that begins, where the reader
        cannot use the corrected record.
        """
        group = self.by_session.get(session, ())
        corrected = self._applied(session, record, group)
        try:
            return read(corrected)
        except DataError:
            read(record)  # unusable without corrections too: that is the error
            for count, (line, correction) in enumerate(group, 1):
                try:
                    read(self._applied(session, record, group[:count]))
                except DataError as error:
                    why = f"session {shown(session)}: invalid after this correction: {error.text}"
                    raise DataError(why, self.file, line, correction.pointer) from error
            raise

    def require_sessions(self, sessions: Iterable[str]) -> None:
        """Raise DataError where a session is not among those of the data."""
        absent = self.by_session.keys() - set(sessions)
        if absent:
            line, session = min((self.by_session[name][0][0], name) for name in absent)
            raise DataError(f"{shown(session)} not found in the data", self.file, line, "session")

    def _group(self, session: str, language: str | None) -> Sequence[Numbered]:
        group = self.by_session.get(session, ())
        return group if language is None else [entry for entry in group if entry[1].language in (None, language)]

    def _applied(self, session: str, record: Json, group: Sequence[Numbered]) -> Json:
        if not group:
            return record
        corrected = _copied(record)
        for line, correction in group:
            try:
                _change(corrected, correction)
            except Unfit as error:
                why = f"session {shown(session)}: {error.text}{_changed_before(line, correction, group)}"
                raise DataError(why, self.file, line, correction.pointer) from error
        return corrected


def read_corrections(path: Path | str) -> Corrections:
    """A file of corrections; raises DataError, with file and line, at the first invalid line."""
    decoder = msgspec.json.Decoder(Correction)
    by_session: dict[str, list[Numbered]] = {}
    for number, text in numbered_lines(path):
        try:
            correction = decoder.decode(text)
            _check(correction)
        except (Unfit, ValueError, RecursionError) as error:
            why = error.text if isinstance(error, Unfit) else str(error)
            raise DataError(f"invalid correction: {why}", path, number) from error
        by_session.setdefault(correction.session, []).append((number, correction))
    if not by_session:
        raise DataError("no correction in this file", path)
    return Corrections(str(path), sha256_of(path), by_session)


def apply_changes(record: Json, corrections: Iterable[Correction]) -> Json:
    """A copy of a record with the corrections, in their order. Raises Unfit if one does not fit."""
    changed = _copied(record)
    for correction in corrections:
        _change(changed, correction)
    return changed


def inverse(corrections: Iterable[Correction]) -> list[Correction]:
    """What takes corrections back: the last one first."""
    return [replace(correction, old=correction.new, new=correction.old) for correction in reversed(list(corrections))]


def encoded(corrections: Iterable[Correction]) -> bytes:
    """Lines of a file of corrections."""
    return b"".join(msgspec.json.encode(correction) + b"\n" for correction in corrections)


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
    sessions = set()
    for record in records:
        corrections.applied(record.session, record.value, record.language)
        sessions.add(record.session)
    corrections.require_sessions(sessions)


def corrected_lines(path: Path | str, corrections: Corrections) -> Iterator[bytes]:
    """The lines of a data file with the corrections; a session without any keeps its bytes.

    Raises DataError for a correction that does not fit, and at the end for sessions that the file does not have.
    """
    sessions = []
    for number, line in numbered_lines(path):
        record = DataLine(path, number, parse_line(line, path, number))
        session = session_of(record)
        sessions.append(session)
        if session in corrections.by_session:
            yield msgspec.json.encode(corrections.applied(session, record.value)) + b"\n"
        else:
            yield line.rstrip(b"\r\n") + b"\n"
    corrections.require_sessions(sessions)


def task_of(steps: Steps) -> int | None:
    """The task that a pointer into a record of dialogues goes to, if it goes to one."""
    field = steps[0].removeprefix("english_")
    return int(steps[1]) if field in _BY_TASK and len(steps) > 1 and INDEX.fullmatch(steps[1]) else None


def same(first: object, second: object) -> bool:
    """Are two JSON values equal, kinds of numbers included? Python's own equality takes 1, 1.0 and true for one."""
    return msgspec.json.encode(first, order="sorted") == msgspec.json.encode(second, order="sorted")


def _copied(record: Json) -> Json:
    copy: Json = msgspec.json.decode(msgspec.json.encode(record))
    return copy


def _change(record: Json, correction: Correction) -> None:
    """Carry out one correction in a record of one's own; it is as it was where this raises Unfit."""
    *path, last = parse_pointer(correction.pointer)
    old, new = _value(correction.old), _value(correction.new)
    try:
        holder = find(record, tuple(path))
    except LookupError as error:
        raise Unfit(f"{shown('/'.join(path))} not found") from error
    key: str | int = last
    if type(holder) is list:
        if not INDEX.fullmatch(last) or int(last) >= len(holder):
            raise Unfit(f"index {shown(last)} not found in a list of length {len(holder)}; replace the whole list")
        if UNSET in (old, new):
            raise Unfit("list elements cannot be added or removed one at a time; replace the whole list")
        key = int(last)
        current = holder[key]
    elif type(holder) is dict:
        current = holder.get(last, UNSET)
    else:
        raise Unfit(f"{shown(last)} not found: its parent is {named(holder)}")
    if old is UNSET and current is not UNSET:
        raise Unfit(f"already has the value {shown(current)}, but `old` is missing")
    if old is not UNSET and (current is UNSET or not same(current, old)):
        present = "nothing" if current is UNSET else shown(current)
        raise Unfit(f"`old` is {shown(old)}, but the data have {present}")
    if new is UNSET:
        del holder[key]
    else:
        holder[key] = new


def _changed_before(line: int, correction: Correction, group: Sequence[Numbered]) -> str:
    """Which line has changed the place of a correction before it."""
    place = f"{correction.pointer}/"
    for earlier, other in group:
        holder = f"{other.pointer}/"
        if earlier < line and (place.startswith(holder) or holder.startswith(place)):
            return f" (changed by line {earlier})"
    return ""


def _check(correction: Correction) -> None:
    """Raise Unfit where a correction cannot be one of any data."""
    pointer = correction.pointer
    if len(pointer) > MAX_POINTER or pointer.count("/") > MAX_DEPTH:
        raise Unfit(f"pointer longer than {MAX_POINTER:,} characters or {MAX_DEPTH} parts")
    try:
        steps = parse_pointer(pointer)
    except ValueError:
        steps = ()
    if not steps:
        raise Unfit(f"invalid JSON Pointer {shown(pointer)}; write /field/0/field, with ~1 for / and ~0 for ~")
    if steps[0] == "id":
        raise Unfit("the id of a session cannot be corrected")
    if correction.old is UNSET and correction.new is UNSET:
        raise Unfit("give `old`, `new` or both")
    old, new = _value(correction.old), _value(correction.new)
    if UNSET not in (old, new) and same(old, new):
        raise Unfit("`old` and `new` are equal")
    through = task_of(steps)
    if correction.task is not None and (correction.task < 0 or through not in (None, correction.task)):
        place = "no task" if through is None else f"task {through}"
        raise Unfit(f"`task` is {correction.task}, but the pointer leads to {place}")


def _value(raw: Raw | UnsetType) -> Any:
    """A value of a correction, UNSET if it has none; raises Unfit if it is nested too deep."""
    if raw is UNSET:
        return UNSET
    try:
        value = msgspec.json.decode(raw)
    except RecursionError as error:
        raise Unfit("a value is nested too deeply") from error
    if not within_depth(value):
        raise Unfit("a value is nested too deeply")
    return value


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
