"""The next layer: which sessions get one more task, of which kinds, and over which tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.data.session import KINDS, TaskType
from toolgauge.data.sessions import TASK_END, language_prefix
from toolgauge.generation.paths import next_slots
from toolgauge.review.events import Outcome
from toolgauge.review.making.jobs import Command
from toolgauge.review.originals import types_named
from toolgauge.review.state import ReviewState, SessionState


class LayerReady(Struct):
    """A layer that can be made: for how many sessions whose tasks are all approved (`ready`), and for how many that
    have tasks behind the approved ones (`longer`)."""

    layer: int
    ready: int = 0
    longer: int = 0


def layers_ready(state: ReviewState, busy: frozenset[str] = frozenset()) -> list[LayerReady]:
    """The layers that can be made now, the lowest first. busy: sessions that a job is about."""
    found: dict[int, LayerReady] = {}
    for session in state.sessions.values():
        layer = next_layer(session)
        if layer is not None and session.id not in busy:
            one = found.setdefault(layer, LayerReady(layer))
            if session.common.tasks >= layer:
                one.longer += 1
            else:
                one.ready += 1
    return [found[layer] for layer in sorted(found)]


def next_layer(session: SessionState) -> int | None:
    """The number (from 1) of the task that comes behind the approved ones; None where nothing is approved, or several
    opinions are still open."""
    copy = session.common
    if session.is_blind or not copy.approved or copy.outcome is Outcome.REJECTED:
        return None
    return copy.approved + 1


def chosen_sessions(state: ReviewState, layer: int, longer: bool, busy: frozenset[str]) -> list[SessionState]:
    """Those that get the task of a layer."""
    return [
        one
        for one in state.sessions.values()
        if next_layer(one) == layer and one.id not in busy and (longer or one.common.tasks < layer)
    ]


class Dealer:
    """Deals kinds of next tasks out to sessions, so that the paths come out as even as can be: of sessions with the
    same tasks so far each kind gets the same share."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = [kind for kind in KINDS if kind in (kinds or KINDS)]
        self._of_path: Counter[tuple[str, ...]] = Counter()
        self._of_all: Counter[str] = Counter()

    def count(self, path: tuple[str, ...]) -> None:
        """A path that is there already."""
        self._of_path[path] += 1
        self._of_all[path[-1]] += 1

    def kind(self, begun: tuple[str, ...]) -> str:
        """Of the next task behind these."""
        kind = min(self._kinds, key=lambda one: (self._of_path[*begun, one], self._of_all[one]))
        self.count((*begun, kind))
        return kind


def kinds_of(record: Json, language: str) -> tuple[str, ...]:
    """The kinds of a session's tasks, "" where a name says nothing."""
    return tuple(one.kind if isinstance(one, TaskType) else one or "" for one in types_named(record, language))


def commands_of(layer: int, kinds: Iterable[tuple[SessionState, str]]) -> tuple[Command, ...]:
    """A `generate` for each kind of task."""
    by_kind: dict[str, dict[str, int]] = {}
    for session, kind in kinds:
        by_kind.setdefault(kind, {})[session.id] = session.common.version
    return tuple(Command(kind, sessions, paths=kind, layer=layer) for kind, sessions in by_kind.items())


def first_tasks(record: Json, language: str, tasks: int) -> Json:
    """A session's record with only so many of its tasks."""
    prefix, made = language_prefix(language), dict(record)
    types, names = (
        next(key for key in (f"{prefix}{field}", f"english_{field}") if key in record)
        for field in ("task_types", "turn_subtypes")
    )
    for name in (f"{prefix}tasks", f"{prefix}answer_list", types):
        made[name] = record[name][:tasks]
    is_of_all = len(record[names]) == len(record[f"{prefix}tasks"])
    made[names] = record[names][: tasks - (not is_of_all)]
    if isinstance(said := record.get(f"{prefix}messages"), list):
        ends = [index for index, one in enumerate(said) if one == TASK_END]
        made[f"{prefix}messages"] = said[: ends[tasks - 1]] if len(ends) >= tasks else said
    return made


def session_of_made(command: Command, language: str) -> dict[str, str]:
    """The session that each dialogue goes on from, by the id that the generation gives it."""
    names = list(command.sessions)
    slots = next_slots([(name, (), {}) for name in names], [command.paths], language)
    return {slot.key: name for slot, name in zip(slots, names, strict=True)}
