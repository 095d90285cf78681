"""Taking rejected dialogues back: which ones there are, what can be taken of each, and the decision (rescued.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.data.session import Session
from toolgauge.errors import UsageError
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.filters.filter import TOLERATED
from toolgauge.generation.formats.coverage import CoverageReport
from toolgauge.generation.formats.files import Across
from toolgauge.generation.formats.outcomes import (
    DUPLICATES,
    Outcome,
    Produced,
    Rejection,
    given_session,
    outcomes,
    own_id,
    record_of,
    whole_part,
)
from toolgauge.generation.formats.trajectory_index import TrajectoryIndex
from toolgauge.generation.reopened import Generation, reopen
from toolgauge.generation.rescued import RescueLine, add_rescued, read_rescued, spoken_digest
from toolgauge.generation.setup import Slot
from toolgauge.locale import Text, _, clauses, named_field, ngettext

UNFIT = ("path", "hallucinated_function", "hallucinated_parameter", "types", "schema")
"""Filters of whose failures a session is of no use as it is: a task is of another kind than the slot's path says, or no
model could be judged by its calls. Such dialogues are taken back only with `force`."""
SHOWN = 200
"""Characters of the first request that are kept."""


class RejectedDialogue(Struct, frozen=True):
    """An attempt that was rejected. id: its slot and number. path: the kinds of the slot's tasks; whole: how many of
    them it has, from the first; given: how many of these were not made here.

    reason, evidence: why it was rejected. request: the user's first words. unfit: filters of `UNFIT` that object to it,
    with the number of the first task concerned. taken: the decision to take it back, if there is one.
    """

    id: str
    slot: str
    attempt: int
    path: tuple[str, ...]
    reason: str
    evidence: str
    whole: int = 0
    given: int = 0
    request: str = ""
    sha256: str = ""
    unfit: Mapping[str, int] = {}
    taken: RescueLine | None = None

    def obstacle(self, tasks: int | None = None, force: bool = False) -> Text | None:
        """Why its first `tasks` tasks (all of its path, if not said) cannot be taken back; None if they can."""
        wanted = tasks or len(self.path)
        if not self.sha256:
            return _("what was said was not kept, an older version made it")
        if self.whole <= self.given:
            return _("no task of it is whole")
        if wanted > self.whole:
            return _(
                "it broke off in task {number}; say {tasks_field} {whole}", number=self.whole + 1, whole=self.whole
            )
        if wanted <= self.given:
            return ngettext(
                "its first task was not made here; {tasks_field} is more",
                "its first {count} tasks were not made here; {tasks_field} is more",
                count=self.given,
            )
        unfit = [name for name, task in self.unfit.items() if task < wanted]
        if unfit and not force:
            return _("its calls or tasks are not right ({filters}); say {force_field}", filters=clauses(unfit))
        return None


class RescueResult(Struct, frozen=True):
    """changed: ids of the dialogues that were taken back, or given up again; left: of those of a reason that cannot be.

    rejected: all rejected dialogues, before the change; coverage: what coverage.json holds, None where nothing was to
    be changed.
    """

    folder: Path
    rejected: tuple[RejectedDialogue, ...]
    changed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    coverage: CoverageReport | None = None


class RescueOptions(Struct, frozen=True, kw_only=True):
    """all_of: all dialogues that were rejected for this reason. tasks: only so many of their tasks, from the beginning.

    force: also dialogues that `UNFIT` filters object to. undo: no longer take them. resume_from: where the sessions are
    that the dialogues go on from, if not where they were.
    """

    all_of: str | None = None
    tasks: int | None = None
    force: bool = False
    undo: bool = False
    resume_from: Path | str | None = None

    def __post_init__(self) -> None:
        if self.tasks is not None and self.tasks < 1:
            raise UsageError(_("{name} is a whole number from 1 on", name=named_field("tasks")))


def rescue(folder: Path, names: Sequence[str] = (), options: RescueOptions | None = None) -> RescueResult:
    """Take rejected dialogues back, or give them up again, and write the files anew.

    names: ids ("en-ST-0:1"), or slots of which one attempt was rejected; without names and `all_of` nothing is changed.
    Raises UsageError, before anything is changed, for a name that means nothing and what cannot be taken.
    """
    options = options or RescueOptions()
    generation = reopen(folder, options.resume_from)
    if not names and options.all_of is None:
        return RescueResult(folder, tuple(rejected_dialogues(generation)))
    with generation.alone():
        listed = tuple(rejected_dialogues(generation))
        chosen, left = _chosen(listed, names, options, folder)
        lines = [_line(one, options) for one in chosen]
        new = [line for one, line in zip(chosen, lines, strict=True) if line != one.taken]
        if new:
            add_rescued(folder, new)
        coverage = generation.write_files()
    return RescueResult(folder, listed, tuple(own_id(one.slot, one.attempt) for one in new), left, coverage)


def rejected_dialogues(generation: Generation) -> Iterator[RejectedDialogue]:
    """All attempts that were rejected, those taken back among them, in the slots' order."""
    rescues = read_rescued(generation.folder)
    across = Across(DUPLICATES in generation.manifest.setup.gates)
    with TrajectoryIndex(generation.folder) as trajectories:
        for slot in generation.slots:
            if (trajectory := trajectories.read(slot.key)) is not None:
                for outcome in outcomes(slot, trajectory, rescues, across.duplicate):
                    yield from _rejected(slot, outcome)


def rescued_record(generation: Generation, one: RejectedDialogue, options: RescueOptions) -> dict[str, object]:
    """The line of sessions.jsonl that a rejected dialogue would get if it were taken back; nothing is changed.

    Raises UsageError for what cannot be taken.
    """
    if (why := one.obstacle(options.tasks, options.force)) is not None:
        raise UsageError(_("{id}: {why} (rejected for {reason})", id=one.id, why=why, reason=one.reason))
    rescues = {(one.slot, one.attempt): _line(one, options)}
    slot = next(slot for slot in generation.slots if slot.key == one.slot)
    with TrajectoryIndex(generation.folder) as trajectories:
        trajectory = trajectories.read(slot.key)
    found = outcomes(slot, trajectory, rescues, lambda _said: None) if trajectory is not None else iter(())
    for kept, result in found:
        if kept.number == one.attempt and isinstance(result, Produced):
            return record_of(result)
    raise UsageError(_("{id}: is another one than was looked at", id=one.id))


def _rejected(slot: Slot, outcome: Outcome) -> Iterator[RejectedDialogue]:
    kept, result = outcome
    taken = None if isinstance(result, Rejection) else result.rescue
    why = result if isinstance(result, Rejection) else taken
    if why is None:
        return
    found, sha256 = None, ""
    if kept.dialogue is not None:
        sha256 = spoken_digest(kept.dialogue)
        found = whole_part(kept.dialogue, given_session(slot, kept.dialogue.language))
    yield RejectedDialogue(
        id=own_id(slot.key, kept.number),
        slot=slot.key,
        attempt=kept.number,
        path=slot.path,
        reason=why.reason,
        evidence=why.evidence,
        whole=len(found[0].tasks) if found else 0,
        given=slot.first_made,
        request=_first_words(found[1]) if found else "",
        sha256=sha256,
        unfit=_unfit(*found) if found else {},
        taken=taken,
    )


def _first_words(session: Session) -> str:
    return session.tasks[0].utterance[:SHOWN]


def _unfit(dialogue: Dialogue, session: Session) -> dict[str, int]:
    """Filters of `UNFIT` that object, with the first task of which they do."""
    found: dict[str, int] = {}
    for name in UNFIT:
        tasks = [one["task"] for one in FILTERS[name](session, dialogue).evidence if not one.get(TOLERATED)]
        if tasks:
            found[name] = min(task for task in tasks if isinstance(task, int))
    return found


def _chosen(
    listed: Sequence[RejectedDialogue], names: Sequence[str], options: RescueOptions, folder: Path
) -> tuple[list[RejectedDialogue], tuple[str, ...]]:
    """The dialogues that are meant, and those of the reason that cannot be taken. Raises UsageError."""
    chosen = {one.id: one for name in names for one in [_named(listed, name, options.undo, folder)]}
    for one in chosen.values():
        if options.undo and one.taken is None:
            raise UsageError(_("{id}: was not taken back", id=one.id))
        if not options.undo and (why := one.obstacle(options.tasks, options.force)) is not None:
            raise UsageError(_("{id}: {why} (rejected for {reason})", id=one.id, why=why, reason=one.reason))
    left = []
    if options.all_of is not None:
        for one in _of_reason(listed, options.all_of):
            if options.undo and one.taken is None:
                continue
            if options.undo or one.obstacle(options.tasks, options.force) is None:
                chosen[one.id] = one
            else:
                left.append(one.id)
    return list(chosen.values()), tuple(left)


def _named(listed: Sequence[RejectedDialogue], name: str, undo: bool, folder: Path) -> RejectedDialogue:
    """The dialogue of an id, or the only one of a slot (to be given up again: the only one that was taken back)."""
    found = [one for one in listed if one.id == name]
    found = found or [one for one in listed if one.slot == name and (one.taken is not None or not undo)]
    if not found:
        raise UsageError(
            _(
                "{folder}: no rejected dialogue {name!r}; `toolgauge generate rescue {folder}` lists them",
                folder=folder,
                name=name,
            )
        )
    if len(found) > 1:
        ids = clauses([one.id for one in found])
        raise UsageError(_("{name}: several of its attempts were rejected; name one of {ids}", name=name, ids=ids))
    return found[0]


def _of_reason(listed: Sequence[RejectedDialogue], reason: str) -> list[RejectedDialogue]:
    """Those of a reason, which may be named without "gate:"."""
    found = [one for one in listed if reason in (one.reason, one.reason.removeprefix("gate:"))]
    if not found:
        known = sorted({one.reason for one in listed})
        raise UsageError(
            _(
                "{all_of} {reason}: nothing was rejected for that, but for {known}",
                reason=reason,
                known=known,
                all_of=named_field("all_of"),
            )
        )
    return found


def _line(one: RejectedDialogue, options: RescueOptions) -> RescueLine:
    tasks = options.tasks or len(one.path)
    if options.undo and one.taken is not None:
        return replace(one.taken, undone=True)
    forced = any(task < tasks for task in one.unfit.values())
    return RescueLine(
        slot=one.slot,
        attempt=one.attempt,
        tasks=tasks,
        sha256=one.sha256,
        reason=one.reason,
        evidence=one.evidence,
        forced=forced,
    )
