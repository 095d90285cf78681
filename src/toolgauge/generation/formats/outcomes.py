"""What became of each attempt at a slot: a dialogue that goes into the files, or a line of rejected.jsonl."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from msgspec import UNSET, Struct
from msgspec.structs import replace

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.graph import Unfinished, annotate
from toolgauge.chat import Json
from toolgauge.data.session import Session
from toolgauge.data.sessions import session_from
from toolgauge.episode import Trajectory
from toolgauge.errors import StoreError
from toolgauge.generation.duplicates import Duplicate
from toolgauge.generation.filters import FILTERS, FilterVerdict
from toolgauge.generation.formats.raw import RawRecord, raw_record
from toolgauge.generation.formats.sessions import as_reviewed, session_record
from toolgauge.generation.kept_attempts import KeptAttempt, kept_attempts
from toolgauge.generation.setup import Slot
from toolgauge.runs.store import TRAJECTORIES

DUPLICATES = "duplicates"
"""The filter that looks across dialogues: of several that are much alike the first is kept."""


class Produced(Struct, frozen=True):
    """A dialogue for the files, with what its lines are made from."""

    slot: Slot
    trajectory: Trajectory
    attempt: KeptAttempt
    dialogue: Dialogue
    session: Session


class TokenCounts(Struct, frozen=True):
    """As the providers counted them; cached: how many of the input came from their caches."""

    input: int
    output: int
    cached: int


class Rejection(Struct, frozen=True):
    """A line of rejected.jsonl: an attempt, with the dialogue as far as it got.

    path: the kinds of the slot's tasks, by commas; attempt: its number, from 0; tasks: how many were begun; gates: the
    filters' verdicts, of a dialogue that broke off those on its whole tasks. session: the record of the whole tasks,
    None without any; raw: all that was said, where that is more.
    """

    slot: str
    path: str
    attempt: int
    tool_list: str | None
    tasks: int | None
    reason: str
    evidence: str
    requests: int
    tokens: TokenCounts
    gates: tuple[FilterVerdict, ...]
    session: dict[str, object] | None
    raw: RawRecord | None


Outcome = tuple[KeptAttempt, Produced | Rejection]


def outcomes(
    slot: Slot, trajectory: Trajectory, duplicate: Callable[[Dialogue], Duplicate | None]
) -> Iterator[Outcome]:
    """What each attempt came to. duplicate: finds the earlier dialogue that one is too much like. Raises StoreError
    where the trajectory does not say what was said."""
    try:
        yield from _outcomes(slot, trajectory, duplicate)
    except ValueError as error:
        raise StoreError(
            f"{TRAJECTORIES}: dialogue {slot.key} is incomplete ({error}); remove its line to make it again"
        ) from error


def _outcomes(
    slot: Slot, trajectory: Trajectory, duplicate: Callable[[Dialogue], Duplicate | None]
) -> Iterator[Outcome]:
    for kept in kept_attempts(trajectory):
        said = kept.dialogue
        if kept.attempt.failed is not UNSET:
            yield kept, _rejection(slot, kept, kept.attempt.failed, kept.attempt.evidence or "")
        elif said is not None and (alike := duplicate(said)) is not None:
            evidence = f"similarity {alike.similarity:.2f} to {alike.of}"
            yield kept, _rejection(slot, kept, f"gate:{DUPLICATES}", evidence)
        elif said is not None:
            yield kept, Produced(slot, trajectory, kept, said, annotate(said, given_session(slot, said.language)))


def record_of(one: Produced) -> Json:
    """The line of sessions.jsonl; the tasks of a reviewed session stand in it as the reviewer wrote them."""
    record, opening = session_record(one.session, one.dialogue), one.slot.opening
    return record if opening is None else as_reviewed(record, opening, one.dialogue)


def given_session(slot: Slot, language: str) -> Session | None:
    """The reviewed session that a slot continues."""
    return session_from(slot.opening, language, "--resume-from") if slot.opening is not None else None


def own_id(slot: str, attempt: int) -> str:
    """The id of an attempt that is not its slot's dialogue."""
    return f"{slot}:{attempt}"


def whole_part(dialogue: Dialogue, given: Session | None) -> tuple[Dialogue, Session] | None:
    """The whole tasks at the beginning of a dialogue, with their annotations; None if not even the first is."""
    for tasks in range(len(dialogue.tasks), 0, -1):
        part = dialogue.first(tasks)
        with suppress(Unfinished):
            return part, annotate(part, given)
    return None


def _rejection(slot: Slot, kept: KeptAttempt, reason: str, evidence: str) -> Rejection:
    said = replace(kept.dialogue, id=own_id(slot.key, kept.number)) if kept.dialogue is not None else None
    found = whole_part(said, given_session(slot, said.language)) if said is not None else None
    gates = kept.gates
    if found is not None and not gates:
        gates = tuple(one(found[1], found[0]) for one in FILTERS.values() if one.check is not None)
    is_whole = found is not None and said is not None and len(found[0].tasks) == len(said.tasks)
    usage = kept.usage
    return Rejection(
        slot=slot.key,
        path=",".join(slot.path),
        attempt=kept.number,
        tool_list=kept.attempt.tool_list,
        tasks=kept.attempt.tasks,
        reason=reason,
        evidence=evidence,
        requests=len(kept.steps),
        tokens=TokenCounts(usage.input_tokens, usage.output_tokens, usage.cached_tokens),
        gates=gates,
        session=session_record(found[1], found[0]) if found is not None else None,
        raw=raw_record(said) if said is not None and not is_whole else None,
    )
