"""Corrections of annotated data: a file of changes that is applied while the data are read, never written into them.

A line of the file is one change of one session's record (JSON Lines):

    {"session": "wild_7", "task": 2, "pointer": "/english_answer_list/2/0/action/arguments/city",
     "old": "Pari", "new": "Paris", "reason": "a letter is missing", "source": "issue 12 of the data's repository"}

`pointer` is a JSON Pointer (RFC 6901) into the record as the data file has it (docs/corrections.md says what that is
for each benchmark). Without `old` a new key of an object is set, without `new` one is taken away. Elements of lists are
replaced only; where a list gets longer or shorter, the list itself is the value. `old` has to be what stands there,
types included, so that corrections of another version of the data, or two that contradict each other, are found and
not applied. A line with `language` is one of the data in that language only.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from toolgauge.chat import Json
from toolgauge.data.lines import MAX_DEPTH, numbered_lines, within_depth
from toolgauge.data.pointers import INDEX, Steps, find, parse_pointer
from toolgauge.data.record import named, shown
from toolgauge.errors import DataError, ToolgaugeError
from toolgauge.files import open_regular

T = TypeVar("T")
MAX_POINTER = 2000
"""Characters of a pointer."""
_BY_TASK = frozenset({"tasks", "task", "answer_list", "task_types", "type"})
"""Fields of a record, without the prefix of the language, that have an element per task."""


class Unfit(ToolgaugeError):
    """A correction that cannot be applied."""

    exit_code = 2


class Correction(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One change. session: the id of the record; task: its index there, for people; source: who found it, and where.

    old, new: JSON as it stands in the file. language: of the data, None where a record has its languages side by side.
    """

    session: str
    pointer: str
    language: Literal["en", "zh"] | None = None
    task: int | None = None
    old: Raw | UnsetType = UNSET
    new: Raw | UnsetType = UNSET
    reason: str = ""
    source: str = ""

    @property
    def inverse(self) -> Correction:
        return msgspec.structs.replace(self, old=self.new, new=self.old)


Numbered = tuple[int, Correction]
"""A correction and its line in the file."""


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
        kept = {
            session: own
            for session, group in self.by_session.items()
            if (own := [one for one in group if one[1].language in (None, language)])
        }
        if not kept:
            raise DataError(f"no correction for the {language} data", self.file)
        return Corrections(self.file, self.sha256, kept)

    def applied(self, session: str, record: Json, language: str | None = None) -> Json:
        """The record with its session's corrections; itself if there are none, and never changed.

        language: of the record, where it has only one. Raises DataError, at the line of the correction, where one does
        not fit.
        """
        group = self.by_session.get(session, ())
        if language is not None:
            group = [one for one in group if one[1].language in (None, language)]
        return self._applied(session, record, group) if group else record

    def corrected(self, session: str, record: Json, read: Callable[[Json], T]) -> T:
        """What a reader makes of the record with its corrections.

        Raises DataError as `applied` does; also, at the line of the correction with which that begins, where the reader
        cannot use the corrected record.
        """
        group = self.by_session.get(session, ())
        try:
            return read(self._applied(session, record, group) if group else record)
        except DataError as error:
            if not group or error.file == self.file:
                raise
            raise self._unsound(session, record, group, read) or error from error

    def _applied(self, session: str, record: Json, group: Sequence[Numbered]) -> Json:
        made: Json = msgspec.json.decode(msgspec.json.encode(record))
        for line, correction in group:
            try:
                _change(made, correction)
            except Unfit as error:
                why = f"session {shown(session)}: {error.text}"
                raise DataError(_again(why, line, correction, group), self.file, line, correction.pointer) from error
        return made

    def _unsound(
        self, session: str, record: Json, group: Sequence[Numbered], read: Callable[[Json], object]
    ) -> DataError | None:
        """The error at the correction that makes a record unusable; None if it was before."""
        sound, broken, problem = 0, len(group), self._problem(session, record, group, read)
        if self._problem(session, record, (), read) is not None:
            return None
        while broken - sound > 1:
            middle = (sound + broken) // 2
            found = self._problem(session, record, group[:middle], read)
            sound, broken, problem = (middle, broken, problem) if found is None else (sound, middle, found)
        line, correction = group[broken - 1]
        why = f"session {shown(session)}: invalid after this correction: {problem}"
        return DataError(why, self.file, line, correction.pointer)

    def _problem(
        self, session: str, record: Json, group: Sequence[Numbered], read: Callable[[Json], object]
    ) -> str | None:
        try:
            read(self._applied(session, record, group))
        except DataError as error:
            return error.text
        return None

    def require_sessions(self, known: Iterable[str]) -> None:
        """Raise DataError where a session is not among those of the data."""
        absent = self.by_session.keys() - set(known)
        if absent:
            line, session = min((self.by_session[one][0][0], one) for one in absent)
            raise DataError(f"{shown(session)} not found in the data", self.file, line, "session")


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
    with open_regular(path) as file:
        return Corrections(str(path), hashlib.file_digest(file, "sha256").hexdigest(), by_session)


def changed(record: Json, correction: Correction) -> Json:
    """A copy of a record with one correction. Raises Unfit if it does not fit."""
    return apply_changes(record, [correction])


def apply_changes(record: Json, corrections: Iterable[Correction]) -> Json:
    """A copy of a record with the corrections, in their order. Raises Unfit if one does not fit."""
    made: Json = msgspec.json.decode(msgspec.json.encode(record))
    for correction in corrections:
        _change(made, correction)
    return made


def _change(record: Json, correction: Correction) -> None:
    """Carry out one correction in a record of one's own; it is as it was where this raises Unfit."""
    *path, last = parse_pointer(correction.pointer)
    holder, old, new = _holder(record, tuple(path)), _value(correction.old), _value(correction.new)
    key: str | int = last
    if type(holder) is list:
        if not INDEX.fullmatch(last) or int(last) >= len(holder):
            raise Unfit(f"index {shown(last)} not found in a list of length {len(holder)}; replace the whole list")
        if UNSET in (old, new):
            raise Unfit("list elements cannot be added or removed one at a time; replace the whole list")
        key = int(last)
        found = holder[key]
    elif type(holder) is dict:
        found = holder.get(last, UNSET)
    else:
        raise Unfit(f"{shown(last)} not found: its parent is {named(holder)}")
    if old is UNSET and found is not UNSET:
        raise Unfit(f"already has the value {shown(found)}, but `old` is missing")
    if old is not UNSET and (found is UNSET or not same(found, old)):
        present = "nothing" if found is UNSET else shown(found)
        raise Unfit(f"`old` is {shown(old)}, but the data have {present}")
    if new is UNSET:
        del holder[key]
    else:
        holder[key] = new


def _again(why: str, line: int, correction: Correction, group: Sequence[Numbered]) -> str:
    """Why a correction does not fit, and which line before it has changed that place."""
    place = f"{correction.pointer}/"
    for earlier, other in group:
        if earlier >= line:
            return why
        if place.startswith(f"{other.pointer}/") or f"{other.pointer}/".startswith(place):
            return f"{why} (changed by line {earlier})"
    return why


def _holder(record: Json, path: Steps) -> Any:
    try:
        return find(record, path)
    except LookupError as error:
        raise Unfit(f"{shown('/'.join(path))} not found") from error


def _check(correction: Correction) -> None:
    """Unfit where a correction cannot be one of any data."""
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


def task_of(steps: Steps) -> int | None:
    """The task that a pointer into a record of dialogues goes to, if it goes to one."""
    field = steps[0].removeprefix("english_")
    return int(steps[1]) if field in _BY_TASK and len(steps) > 1 and INDEX.fullmatch(steps[1]) else None


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


def same(one: object, other: object) -> bool:
    """Are two JSON values equal, kinds of numbers included? Python's own equality takes 1, 1.0 and true for one."""
    return msgspec.json.encode(one, order="sorted") == msgspec.json.encode(other, order="sorted")
