"""Making edited sessions again from the edit on: the sessions, the places that a user names, the slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.data.lines import read_lines
from toolgauge.data.load import sha256_of
from toolgauge.data.record import shown
from toolgauge.data.session import Session
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.edits import answers, replay_point
from toolgauge.generation.manifest import ReplayRecord
from toolgauge.generation.resume import SessionOpening, read_openings, session_of
from toolgauge.generation.scenarios import by_name, scenario_of
from toolgauge.generation.setup import Part, ReplayPoint, Scenario, Slot
from toolgauge.locale import _, named_field

SESSIONS = "sessions.jsonl"
"""The file of a generation's folder that holds its sessions."""
AGAIN, KEEP, DROP = "again", "keep", "drop"
LATER = (AGAIN, KEEP, DROP)
"""What becomes of the tasks behind the edited one."""
_POINT = re.compile(r"/(\d{1,6})(?:/(\d{1,6})(?:/([a-z]+))?)?")


def read_points(
    texts: Iterable[str], records: Mapping[str, dict[str, object]], language: str
) -> dict[str, ReplayPoint]:
    """Up to where sessions stand, as a user names it: ID/TASK (the utterance), ID/TASK/CALL (with what answers it) or
    ID/TASK/CALL/PART, numbers from 0. records: of the sessions, by their ids. Raises UsageError for a place that
    is missing.
    """
    points: dict[str, ReplayPoint] = {}
    for text in texts:
        name = max((one for one in records if text.startswith(f"{one}/")), key=len, default=None)
        point = _point(session_of(records[name], language), text.removeprefix(name)) if name is not None else None
        if name is None or point is None or name in points:
            raise UsageError(
                _(
                    "{replay_from} {text}: is no place of a session of {replay} that is named once; for example "
                    "{example}",
                    text=shown(text),
                    example=shown(f"{next(iter(records))}/0/0/{Part.CALL.value}"),
                    replay=named_field("replay"),
                    replay_from=named_field("replay_from"),
                )
            )
        points[name] = point
    return points


def _point(session: Session, text: str) -> ReplayPoint | None:
    """The place in a session behind its id; None where it has no such place."""
    found = _POINT.fullmatch(text)
    if found is None or int(found[1]) >= len(session.tasks):
        return None
    task = session.tasks[int(found[1])]
    if found[2] is None:
        return ReplayPoint(task.index)
    if int(found[2]) >= len(task.calls):
        return None
    call = task.calls[int(found[2])]
    parts = [Part.CALL, *(part for part, _said in answers(call))]
    part = found[3] or parts[-1].value
    return ReplayPoint(task.index, call.index, Part(part)) if part in parts else None


class EditedSessions(Struct, frozen=True):
    """Sessions that are to be made again from an edit on; reading them needs the language they are in.

    edited: a file in WildToolBench's layout; original: the same before it was edited, or the folder of its generation;
    places: see `read_points`, instead of comparing. later: what becomes of the tasks behind the edited one.
    """

    edited: str
    original: str | None = None
    places: tuple[str, ...] = ()
    later: str = AGAIN

    def __post_init__(self) -> None:
        """Raise UsageError for a word that is not known, and where nothing says what was edited."""
        if self.later not in LATER:
            raise UsageError(
                _("{later} {value!r}: choose from {known}", later=named_field("later"), value=self.later, known=LATER)
            )
        if self.original is None and not self.places:
            raise UsageError(
                _(
                    "{replay} needs {original}, to see what was edited, or {replay_from}",
                    replay=named_field("replay"),
                    original=named_field("original"),
                    replay_from=named_field("replay_from"),
                )
            )

    @property
    def before(self) -> Path | None:
        """The file of sessions as they were; of a generation's folder the one that it wrote."""
        if self.original is None:
            return None
        return Path(self.original) / SESSIONS if Path(self.original).is_dir() else Path(self.original)

    @property
    def files(self) -> list[str]:
        return [self.edited, *([str(self.before)] if self.before else [])]

    def record(self) -> ReplayRecord:
        """What run.json keeps."""
        digest = sha256_of(self.before) if self.before else None
        return ReplayRecord(sha256_of(self.edited), digest, self.places, self.later)

    def points(self, openings: Iterable[SessionOpening], language: str) -> dict[str, ReplayPoint]:
        """Up to where each session stands that was edited, by its id.

        Raises DataError for files that cannot be read and for a session that the original lacks; UsageError as
        `replay_point` and `read_points`.
        """
        points = read_points(self.places, {one.id: one.record for one in openings}, language)
        if self.before is None:
            return points
        lines = ((line, record) for line, record in read_lines(self.before) if isinstance(record, dict))
        known = {str(record.get("id")): (line, record) for line, record in lines}
        for one in openings:
            if one.id in points:
                continue
            if one.id not in known:
                raise DataError(_("has no session {session} to compare with", session=shown(one.id)), self.before)
            line, before = known[one.id]
            if before != one.record:
                edited = session_of(one.record, language, self.edited)
                found = replay_point(session_of(before, language, str(self.before), line), edited)
                points |= {one.id: found} if found else {}
        return points

    def slots(self, language: str, proposals: int = 1, scenarios: Iterable[Scenario] = ()) -> list[Slot]:
        """A slot for each session; for each that is made again as many as proposals are wanted, with the scenario that
        it had, if that is among them."""
        openings = read_openings(self.edited, language)
        points = self.points(openings, language)
        # the number of a proposal stands behind a mark that is in no id yet
        mark = "~" * (1 + max(len(found) for one in openings for found in re.findall("~*", one.id)))
        by_id = by_name(scenarios)
        slots: list[Slot] = []
        for one in openings:
            slot = _slot(one, points.get(one.id), self.later, by_id)
            several = [] if proposals == 1 or is_kept(slot) else [f"{one.id}{mark}{n}" for n in range(proposals)]
            numbered = [msgspec.structs.replace(slot, key=key, number=n) for n, key in enumerate(several)]
            slots += numbered or [slot]
        return slots


def _slot(opening: SessionOpening, point: ReplayPoint | None, later: str, scenarios: Mapping[str, Scenario]) -> Slot:
    """The slot of a session under its own id."""
    path, scenario = opening.kinds, scenario_of(opening.record, scenarios)
    if point is not None and later == DROP:
        path = path[: point.task + 1]
    if point is not None and later == KEEP:
        point = msgspec.structs.replace(point, keeps=True)
    return Slot(opening.id, path, 0, scenario, opening.record, point)


def is_kept(slot: Slot) -> bool:
    """Does the slot of an edited file keep its session, because nothing behind an edit is left to be made?"""
    point = slot.replay
    return point is None or (point.part is Part.REPLY and (point.keeps or point.task + 1 == len(slot.path)))
