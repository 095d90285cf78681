"""What became of each attempt at a slot: a dialogue that goes into the files, or a line of rejected.jsonl."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from toolgauge.chat import Json, Usage
from toolgauge.data import sessions
from toolgauge.data.session import Session
from toolgauge.data.sessions import session_from
from toolgauge.episode import Trajectory
from toolgauge.errors import StoreError
from toolgauge.generation.checks import DUPLICATES
from toolgauge.generation.dialogue import Dialogue
from toolgauge.generation.duplicates import Duplicates
from toolgauge.generation.episode import Attempt, attempts_of
from toolgauge.generation.formats.records import RawRecord, raw_record
from toolgauge.generation.graph import Unfinished, annotate
from toolgauge.generation.setup import Slot
from toolgauge.runs.store import TRAJECTORIES


class Produced(Struct, frozen=True):
    """A dialogue for the files, with what its lines are made from."""

    slot: Slot
    trajectory: Trajectory
    attempt: Attempt
    session: Session

    @property
    def dialogue(self) -> Dialogue:
        return self.attempt.dialogue

    @property
    def record(self) -> Json:
        """The line of sessions.jsonl; the tasks of a reviewed session stand in it as the reviewer wrote them."""
        record, opening = sessions.session_record(self.session), self.slot.opening
        return record if opening is None else as_reviewed(record, opening, self.dialogue.earlier)


class TokenCounts(Struct, frozen=True):
    """As the providers counted them; cached: how many of the input came from their caches."""

    input: int
    output: int
    cached: int


class Rejection(Struct, frozen=True):
    """A line of rejected.jsonl: an attempt, with the dialogue as far as it got.

    path: the kinds of the slot's tasks, by commas; attempt: its number, from 0; tasks: how many were begun; verdicts:
    the judge's, of each task, null where there is none. session: the record of the whole tasks, None without any; raw:
    all that was said, where that is more.
    """

    slot: str
    path: str
    attempt: int
    tool_list: str
    tasks: int
    reason: str
    evidence: str
    requests: int
    tokens: TokenCounts
    verdicts: list[Json | None]
    session: Json | None
    raw: RawRecord | None


Outcome = tuple[Attempt, Produced | Rejection]


def outcomes(slot: Slot, trajectory: Trajectory, seen: Duplicates | None) -> Iterator[Outcome]:
    """What each attempt came to. seen: the earlier dialogues, that none is to be too much like. Raises StoreError where
    the trajectory does not say what was said."""
    try:
        for number, attempt in enumerate(attempts_of(trajectory)):
            if attempt.failed is not None:
                yield attempt, _rejection(slot, trajectory, number, attempt, attempt.failed, attempt.evidence)
            elif seen is not None and (alike := seen.add(attempt.dialogue)) is not None:
                evidence = f"similarity {alike.similarity:.2f} to {alike.of}"
                yield attempt, _rejection(slot, trajectory, number, attempt, DUPLICATES, evidence)
            else:
                session = annotate(attempt.dialogue, given_session(slot, attempt.dialogue.language))
                yield attempt, Produced(slot, trajectory, attempt, session)
    except ValueError as error:
        raise StoreError(
            f"{TRAJECTORIES}: dialogue {slot.key} is incomplete ({error}); remove its line to make it again"
        ) from error


def given_session(slot: Slot, language: str) -> Session | None:
    """The reviewed session that a slot continues."""
    return session_from(slot.opening, language, "--resume-from") if slot.opening is not None else None


def _rejection(
    slot: Slot, trajectory: Trajectory, number: int, attempt: Attempt, reason: str, evidence: str
) -> Rejection:
    said = replace(attempt.dialogue, id=f"{slot.key}:{number}")
    given, session, whole = given_session(slot, said.language), None, 0
    for tasks in range(len(said.tasks), 0, -1):
        with suppress(Unfinished):
            session, whole = annotate(said.first(tasks), given), tasks
            break
    usage = sum((step.reply.usage for step in trajectory.steps[attempt.first : attempt.end]), Usage())
    return Rejection(
        slot=slot.key,
        path=",".join(slot.path),
        attempt=number,
        tool_list=attempt.tool_list,
        tasks=attempt.tasks,
        reason=reason,
        evidence=evidence,
        requests=attempt.end - attempt.first,
        tokens=TokenCounts(usage.input_tokens, usage.output_tokens, usage.cached_tokens),
        verdicts=[to_builtins(task.verdict) for task in said.tasks],
        session=sessions.session_record(session) if session is not None else None,
        raw=raw_record(said) if whole < len(said.tasks) or not whole else None,
    )


def as_reviewed(record: Json, reviewed: Json, earlier: int) -> Json:
    """The record of a session that was made from a reviewed one: what stands is written as the reviewer wrote it, byte
    for byte. earlier: how many of its tasks were given."""
    written: Json = {key: _as_written(record[key], reviewed[key]) for key in reviewed if key in record}
    written |= {key: part for key, part in record.items() if key not in written}
    prefix = "" if "tasks" in record else "english_"
    count = len(reviewed[f"{prefix}tasks"])
    for name in ("tasks", "answer_list", "task_types", "turn_subtypes"):
        before, now = reviewed.get(f"{prefix}{name}"), written[f"{prefix}{name}"]
        if isinstance(before, list) and isinstance(now, list):
            first = max(earlier - 1, 0) if name == "turn_subtypes" else earlier
            standing = before[:earlier] if len(before) == count else before[:first]
            written[f"{prefix}{name}"] = [*standing, *now[first:]]
    return written


def _as_written(value: object, before: object) -> object:
    """A value in the writing of an earlier one, as far as both say the same: fields keep their order."""
    if isinstance(value, dict) and isinstance(before, dict):
        known = {key: _as_written(value[key], part) for key, part in before.items() if key in value}
        return known | {key: part for key, part in value.items() if key not in known}
    if isinstance(value, list) and isinstance(before, list):
        same = [_as_written(*pair) for pair in zip(value, before, strict=False)]
        return [*same, *value[len(same) :]]
    return value
