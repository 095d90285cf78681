"""Corrections of annotated data: a file of changes that is applied while the data are read, never written into them.

A line of the file is one change of one session's record (JSON Lines):

    {"session": "wild_7", "task": 2, "pointer": "/english_answer_list/2/0/action/arguments/city",
     "old": "Pari", "new": "Paris", "reason": "a letter is missing", "source": "issue 12 of the data's repository"}

`pointer` is a JSON Pointer (RFC 6901) into the record as the data file has it. Without `old` a new key of an object is
set, without `new` one is taken away. Elements of lists are replaced only; where a list gets longer or shorter, the list
itself is the value. `old` has to be what stands there, types included, so that corrections of another version of the
data, or two that contradict each other, are found and not applied.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH, numbered_lines, parse_line, within_depth
from toolgauge.data.pointers import INDEX, Steps, child, find, parse_pointer, put
from toolgauge.data.record import DataLine, named, shown
from toolgauge.errors import DataError, ToolgaugeError
from toolgauge.files import open_regular
from toolgauge.locale import Text, _
from toolgauge.locale.foreign import cause

MAX_POINTER = 2000
"""Characters of a pointer."""
_BY_TASK = frozenset({"tasks", "task", "answer_list", "task_types", "type"})
"""Fields of a record, without the prefix of the language, that have an element per task."""


class Unfit(ToolgaugeError):
    """A correction that cannot be applied."""

    exit_code = 2


class Correction(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One change. session: the id of the record; task: its index there, for people; source: who found it, and where.

    old, new: JSON as it stands in the file. line: of the file of corrections, 0 for one made here.
    """

    session: str
    pointer: str
    task: int | None = None
    old: Raw | UnsetType = UNSET
    new: Raw | UnsetType = UNSET
    reason: str = ""
    source: str = ""

    @property
    def inverse(self) -> Correction:
        return msgspec.structs.replace(self, old=self.new, new=self.old)


class Corrections(Struct, frozen=True):
    """The content of a file of corrections: by session, in the order of the file. sha256: of the file's bytes."""

    file: str
    sha256: str
    by_session: Mapping[str, list[tuple[int, Correction]]]

    @property
    def count(self) -> int:
        return sum(map(len, self.by_session.values()))

    def __iter__(self) -> Iterator[Correction]:
        return (correction for group in self.by_session.values() for _, correction in group)

    def applied(self, session: str, record: Json) -> Json:
        """The record with its session's corrections; itself if there are none, and never changed.

        Raises DataError, at the line of the correction, where one does not fit.
        """
        for line, correction in self.by_session.get(session, ()):
            try:
                record = changed(record, correction)
            except Unfit as error:
                why = _("session {session}: {why}", session=shown(session), why=error.text)
                raise DataError(why, self.file, line, correction.pointer) from error
        return record

    def require_sessions(self, known: Iterable[str]) -> None:
        """Raise DataError where a session is not among those of the data."""
        absent = self.by_session.keys() - set(known)
        if absent:
            line, session = min((self.by_session[one][0][0], one) for one in absent)
            raise DataError(_("the data have no session {session}", session=shown(session)), self.file, line, "session")


def read_corrections(path: Path | str) -> Corrections:
    """A file of corrections; raises DataError, with file and line, at the first invalid line."""
    decoder = msgspec.json.Decoder(Correction)
    by_session: dict[str, list[tuple[int, Correction]]] = {}
    for number, text in numbered_lines(path):
        try:
            correction = decoder.decode(text)
            _check(correction)
        except (Unfit, ValueError, RecursionError) as error:
            why = error.text if isinstance(error, Unfit) else cause(error)
            raise DataError(_("is no correction: {why}", why=why), path, number) from error
        by_session.setdefault(correction.session, []).append((number, correction))
    if not by_session:
        raise DataError(_("holds no correction"), path)
    with open_regular(path) as file:
        return Corrections(str(path), hashlib.file_digest(file, "sha256").hexdigest(), by_session)


def changed(record: Json, correction: Correction) -> Json:
    """A record with one correction; what it does not touch is shared with the one given. Raises Unfit if it does not
    fit."""
    *path, last = parse_pointer(correction.pointer)
    holder, old, new = _holder(record, tuple(path)), _value(correction.old), _value(correction.new)
    if type(holder) is list:
        if not INDEX.fullmatch(last) or int(last) >= len(holder):
            raise Unfit(
                _(
                    "a list of {count} elements has none at {step}; replace the whole list",
                    count=len(holder),
                    step=shown(last),
                )
            )
        if UNSET in (old, new):
            raise Unfit(_("elements of a list are neither added nor removed alone; replace the whole list"))
        found = holder[int(last)]
    elif type(holder) is dict:
        found = holder.get(last, UNSET)
    else:
        raise Unfit(_("{what} has no part {step}", what=named(holder), step=shown(last)))
    if old is UNSET and found is not UNSET:
        raise Unfit(_("has a value already: {value}", value=shown(found)))
    if old is not UNSET and (found is UNSET or not _same(found, old)):
        there: Text | str = _("nothing") if found is UNSET else shown(found)
        raise Unfit(_("the data have {there} here, not {old}", there=there, old=shown(old)))
    if new is UNSET:
        without = {key: value for key, value in holder.items() if key != last}
        made: Json = put(record, tuple(path), without)
    else:
        made = put(record, (*path, last), new)
    return made


def _holder(record: Json, path: Steps) -> Any:
    try:
        return find(record, path)
    except LookupError as error:
        raise Unfit(_("nothing stands at {step}", step=shown("/".join(path)))) from error


def between(session: str, old: Json, new: Json, reason: str = "", source: str = "") -> list[Correction]:
    """The corrections that make one version of a record of another, each at the smallest part that differs.

    Raises Unfit where the ids differ.
    """
    if old.get("id") != new.get("id"):
        raise Unfit(_("the ids differ"))
    return [
        Correction(session, pointer, _task_of(parse_pointer(pointer)), before, after, reason, source)
        for pointer, before, after in _differences(old, new, "", MAX_DEPTH)
    ]


def between_files(old: Path | str, new: Path | str, reason: str = "", source: str = "") -> Iterator[Correction]:
    """The corrections that make one version of a data file of another, in the order of the new one.

    Raises DataError where a session is in one of them only: what is added or left out is no correction.
    """
    earlier = {_session_of(line, old, number): line for number, line in numbered_lines(old)}
    for number, line in numbered_lines(new):
        session = _session_of(line, new, number)
        before = earlier.pop(session, None)
        if before is None:
            why = _("session {session} is not in {file}", session=shown(session), file=old)
            raise DataError(why, new, number, "id")
        if before != line:
            one, other = (
                DataLine(old, 0, parse_line(before, old, 0)),
                DataLine(new, number, parse_line(line, new, number)),
            )
            yield from between(session, one.value, other.value, reason, source)
    if earlier:
        raise DataError(_("session {session} is not in {file}", session=shown(next(iter(earlier))), file=new), old)


def corrected_lines(path: Path | str, corrections: Corrections) -> Iterator[bytes]:
    """The lines of a data file with the corrections; a session without any keeps its bytes.

    Raises DataError for a correction that does not fit, and at the end for sessions that the file does not have.
    """
    known = []
    for number, line in numbered_lines(path):
        session = _session_of(line, path, number)
        known.append(session)
        if session in corrections.by_session:
            record = DataLine(path, number, parse_line(line, path, number)).value
            yield msgspec.json.encode(corrections.applied(session, record)) + b"\n"
        else:
            yield line.rstrip(b"\r\n") + b"\n"
    corrections.require_sessions(known)


def _session_of(line: bytes, path: Path | str, number: int) -> str:
    """The id of a record. MMTB's may be a list of texts, which are joined."""
    record = DataLine(path, number, parse_line(line, path, number))
    value = record.value.get("id")
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "".join(value)
    return record.take(record.value, "id", str)


def inverse(corrections: Iterable[Correction]) -> list[Correction]:
    """What takes corrections back: the last one first."""
    return [correction.inverse for correction in reversed(list(corrections))]


def encoded(corrections: Iterable[Correction]) -> bytes:
    """Lines of a file of corrections."""
    return b"".join(msgspec.json.encode(correction) + b"\n" for correction in corrections)


def _check(correction: Correction) -> None:
    """Unfit where a correction cannot be one of any data."""
    pointer = correction.pointer
    if len(pointer) > MAX_POINTER or pointer.count("/") > MAX_DEPTH:
        raise Unfit(
            _("its pointer has more than {most:,} characters or {parts} parts", most=MAX_POINTER, parts=MAX_DEPTH)
        )
    try:
        steps = parse_pointer(pointer)
    except ValueError:
        steps = ()
    if not steps:
        raise Unfit(
            _("{pointer} is no JSON Pointer; write /field/0/field, with ~1 for / and ~0 for ~", pointer=shown(pointer))
        )
    if steps == ("id",):
        raise Unfit(_("the id of a session stays as it is"))
    if correction.old is UNSET and correction.new is UNSET:
        raise Unfit(_("has neither an old nor a new value"))
    old, new = _value(correction.old), _value(correction.new)
    if UNSET not in (old, new) and _same(old, new):
        raise Unfit(_("its old and its new value are the same"))
    through = _task_of(steps)
    if correction.task is not None and (correction.task < 0 or through not in (None, correction.task)):
        raise Unfit(
            _("says task {task}, but its pointer goes to task {through}", task=correction.task, through=str(through))
        )


def _task_of(steps: Steps) -> int | None:
    field = steps[0].removeprefix("english_")
    return int(steps[1]) if field in _BY_TASK and len(steps) > 1 and INDEX.fullmatch(steps[1]) else None


def _value(raw: Raw | UnsetType) -> Any:
    """A value of a correction, UNSET if it has none; raises Unfit if it is nested too deep."""
    if raw is UNSET:
        return UNSET
    try:
        value = msgspec.json.decode(raw)
    except RecursionError as error:
        raise Unfit(_("a value is nested too deep")) from error
    if not within_depth(value):
        raise Unfit(_("a value is nested too deep"))
    return value


def _differences(
    old: Any, new: Any, pointer: str, depth: int
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
    elif not _same(old, new):
        yield pointer, _raw(old), _raw(new)


def _same(one: Any, other: Any) -> bool:
    """Are two JSON values equal, kinds of numbers included? Python's own equality takes 1, 1.0 and true for one."""
    return msgspec.json.encode(one, order="sorted") == msgspec.json.encode(other, order="sorted")


def _raw(value: Any) -> Raw:
    return Raw(msgspec.json.encode(value))
