"""Making edited sessions again from the edit on: where the edit is, and the slots.

A session is a row of parts: of each task the utterance, each call, what answers it. Parts that the original does not
have were edited. The session stands up to the last of the edited parts that follow one another; everything behind them
is made again. An edit there is refused, for it would be lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.annotation.edges import EVIDENCE
from toolgauge.data.annotation_fields import written_annotations
from toolgauge.data.record import shown
from toolgauge.data.session import ASK, FINAL, Call, Session
from toolgauge.errors import DataError, UsageError
from toolgauge.generation.resume import SessionOpening, decisions_of, read_openings, session_of
from toolgauge.generation.setup import Part, ReplayPoint, Slot
from toolgauge.locale import _, named_field

SESSIONS = "sessions.jsonl"
"""The file of a generation's folder that holds its sessions."""
AGAIN, DROP = "again", "drop"
LATER = (AGAIN, DROP)
"""What becomes of the tasks behind the edited one."""
_POINT = re.compile(r"/(\d{1,6})(?:/(\d{1,6})(?:/([a-z]+))?)?")


class _Row(Struct, frozen=True):
    """A part of a session. point: of everything that is said at once; call: its position in the task; content: the same
    for what says the same; is_empty: a result that is not there."""

    point: ReplayPoint
    call: int | None
    content: bytes
    is_empty: bool = False


def replay_point(original: Session, edited: Session) -> ReplayPoint | None:
    """Up to where an edited session stands; None where nothing was edited but annotations.

    Raises UsageError where the tools or the clock were edited, or nothing but `messages`, and where an edit would be
    lost, being behind the place from which everything is made again.
    """
    _require_same_setting(original, edited)
    rows = list(_rows(edited))
    changed = _changed(list(_rows(original)), rows)
    edits = _with_decisions(row.point for row in changed)
    if not edits:
        _require_same_messages(original, edited)
        return None
    points = list(dict.fromkeys(row.point for row in rows))
    places = [number for number, point in enumerate(points) if point in edits]
    together = [place for number, place in enumerate(places) if place == places[0] + number]
    last = points[together[-1]]
    if len(together) < len(places):
        raise UsageError(
            _(
                "{session} was edited up to {first} and again at {second}; everything behind the first would be made "
                "again, and the second lost. Say with {replay_from} up to where the session stands",
                session=shown(edited.id),
                first=str(last),
                second=str(points[places[-1]]),
                replay_from=named_field("replay_from"),
            )
        )
    own = edited.tasks[last.task].calls
    calls = {row.call for row in changed if row.point.task == last.task and row.point.part is Part.CALL}
    anew = [call.index for call in own if call.index in calls and _is_stale(call, original, last.task)]
    return msgspec.structs.replace(last, anew=tuple(anew))


def _require_same_setting(original: Session, edited: Session) -> None:
    """Raise UsageError where the tools or the clock were edited."""
    for field, before, after in (
        ("tools", original.original_tools, edited.original_tools),
        ("env_info", original.clock, edited.clock),
    ):
        if before != after:
            raise UsageError(
                _(
                    "{session}: {field} is another one than in {original}, and everything said may depend on it; say "
                    "with {replay_from} up to where the session stands",
                    session=shown(edited.id),
                    field=field,
                    original=named_field("original"),
                    replay_from=named_field("replay_from"),
                )
            )


def _rows(session: Session) -> Iterator[_Row]:
    """The parts of a session, in the order in which they are said."""
    for task in session.tasks:
        yield _Row(ReplayPoint(task.index), None, _content(Part.UTTERANCE, task.utterance))
        for decision in decisions_of(task):
            for call in decision:
                content = _content(Part.CALL, call.name, call.arguments)
                yield _Row(ReplayPoint(task.index, decision[0].index, Part.CALL), call.index, content)
                for part, said in _answers(call):
                    point = ReplayPoint(task.index, decision[0].index, part)
                    yield _Row(point, call.index, _content(part, said), said is None)


def _answers(call: Call) -> list[tuple[Part, object]]:
    """What follows a call."""
    if call.name == ASK:
        return [(Part.QUESTION, call.observation), (Part.ANSWER, call.user_input)]
    return [(Part.REPLY if call.name == FINAL else Part.RESULT, call.observation)]


def _content(*parts: object) -> bytes:
    return msgspec.json.encode(parts, order="sorted")


def _changed(before: list[_Row], after: list[_Row]) -> list[_Row]:
    """The rows of a session that an earlier version does not have, and those before which something was taken away."""
    old, new = [row.content for row in before], [row.content for row in after]
    begin = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    matcher = SequenceMatcher(None, old[begin : len(old) - end], new[begin : len(new) - end], autojunk=False)
    places: list[int] = []
    for tag, _i, _j, first, stop in matcher.get_opcodes():
        if tag != "equal":
            places += range(begin + first, begin + (stop if stop > first else first + 1))
    return [after[place] for place in places if place < len(after) and not after[place].is_empty]


def _with_decisions(points: Iterable[ReplayPoint]) -> set[ReplayPoint]:
    """Edited parts, and the decisions that they answer: who edits an answer has read what it answers."""
    edits: set[ReplayPoint] = set()
    for point in points:
        edits.add(point)
        if point.call is not None:
            edits.add(msgspec.structs.replace(point, part=Part.CALL))
        if point.part is Part.ANSWER:
            edits.add(msgspec.structs.replace(point, part=Part.QUESTION))
    return edits


def _is_stale(call: Call, original: Session, task: int) -> bool:
    """Was a call edited without its annotation?"""
    said = _annotation(call)
    calls = original.tasks[task].calls if task < len(original.tasks) else ()
    return not (call.sources or call.acceptance) or any(said == _annotation(one) for one in calls[call.index :][:1])


def _annotation(call: Call) -> list[object]:
    return [call.after, call.sources, written_annotations(call), call.extra.get(EVIDENCE)]


def _require_same_messages(original: Session, edited: Session) -> None:
    """Raise UsageError where the plain messages were edited and nothing that they were made from."""
    for before, after in zip(original.tasks, edited.tasks, strict=False):
        if before.dialogue != after.dialogue:
            raise UsageError(
                _(
                    "{session}: only `messages` were edited, which are made from `tasks` and `answer_list`; edit these",
                    session=shown(edited.id),
                )
            )


def read_points(texts: Iterable[str], sessions: Mapping[str, Session]) -> dict[str, ReplayPoint]:
    """Up to where sessions stand, as a user names it: ID/TASK (the utterance), ID/TASK/CALL (with what answers it) or
    ID/TASK/CALL/PART, numbers from 0. Raises UsageError for a place that is missing."""
    points: dict[str, ReplayPoint] = {}
    for text in texts:
        name = max((one for one in sessions if text.startswith(f"{one}/")), key=len, default=None)
        point = _point(sessions[name], text.removeprefix(name)) if name is not None else None
        if name is None or point is None or name in points:
            raise UsageError(
                _(
                    "{replay_from} {text}: is no place of a session of {replay} that is named once; for example "
                    "{example}",
                    text=shown(text),
                    example=f"{shown(next(iter(sessions)))}/0/0/{Part.CALL.value}",
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
    parts = [Part.CALL, *(part for part, _said in _answers(call))]
    part = found[3] or parts[-1].value
    return ReplayPoint(task.index, call.index, Part(part)) if part in parts else None


def replay_slots(
    edited: Path | str,
    original: Path | str | None,
    named: Iterable[str],
    language: str,
    proposals: int = 1,
    later: str = AGAIN,
) -> list[Slot]:
    """A slot for each session of a file; for each that is made again as many as proposals are wanted.

    edited: a file in WildToolBench's layout; original: the same before it was edited; named: see `read_points`, instead
    of comparing. later: what becomes of the tasks behind the edited one. Raises DataError for files that cannot be read
    and for a session that the original lacks; UsageError as `replay_point` and `read_points`.
    """
    openings = read_openings(edited, language)
    sessions = {one.id: session_of(one.record, language, str(edited)) for one in openings}
    points: dict[str, ReplayPoint | None] = {**read_points(named, sessions)}
    before = {one.id: one for one in read_openings(original, language)} if original is not None else {}
    for one in openings:
        if original is None or one.id in points:
            continue
        if one.id not in before:
            raise DataError(_("has no session {session} to compare with", session=shown(one.id)), original)
        if before[one.id].record != one.record:
            points[one.id] = replay_point(session_of(before[one.id].record, language, str(original)), sessions[one.id])
    return [slot for one in openings for slot in _slots(one, points.get(one.id), proposals, later)]


def original_file(original: Path | str) -> Path:
    """The file of sessions before they were edited: of a generation's folder the one that it wrote."""
    return Path(original) / SESSIONS if Path(original).is_dir() else Path(original)


def _slots(opening: SessionOpening, point: ReplayPoint | None, proposals: int, later: str) -> Iterator[Slot]:
    """The slots of a session: where nothing is left to be made, the one that keeps it."""
    path = opening.kinds
    if point is not None and later == DROP:
        path = path[: point.task + 1]
    is_whole = point is None or (point.part is Part.REPLY and point.task + 1 == len(path))
    if is_whole or proposals == 1:
        yield Slot(opening.id, path, 0, None, opening.record, point)
        return
    for number in range(proposals):
        yield Slot(f"{opening.id}~{number}", path, number, None, opening.record, point)
