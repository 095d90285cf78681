"""A session as a reviewer reads and edits it, whatever its file calls the fields."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.annotation.edges import EVIDENCE
from toolgauge.chat import Json
from toolgauge.data.session import Call, Reference, Task, TaskType
from toolgauge.review.desk import Desk
from toolgauge.review.events import Commented, Decided, Edited, Outcome, Place, SessionEvent, Settled
from toolgauge.review.state import Copy, Person, SessionState, SessionStatus
from toolgauge.review.warnings import Warned, warnings


class CallView(Struct, frozen=True):
    """A node of a task. sources: by path of an argument, where its value comes from; evidence: for its dependencies."""

    index: int
    name: str
    arguments: Json
    after: tuple[int, ...]
    result: object
    answer: str | None
    sources: dict[str, list[Json]]
    evidence: list[Json]


class TaskView(Struct, frozen=True):
    """A task. approved: does it stand as it was approved?"""

    index: int
    utterance: str
    type: TaskType
    reference: Reference
    calls: list[CallView]
    approved: bool


class CommentView(Struct, frozen=True):
    number: int
    who: str
    at: float
    place: Place
    text: str
    answers: int | None
    is_resolved: bool


class HistoryLine(Struct, frozen=True):
    """An event about the session. what: the edits, as they were asked for; outcome: of a decision."""

    number: int
    at: float
    who: str
    event: str
    what: tuple[str, ...] = ()
    origin: str = ""
    outcome: Outcome | None = None
    reason: str = ""


class SessionView(Struct, frozen=True):
    """A session, whole. version: to be sent with every command about it. candidates: of the first task's utterance."""

    id: str
    version: int
    status: SessionStatus
    outcome: Outcome | None
    language: str
    clock: str
    tools: list[Json]
    tasks: list[TaskView]
    candidates: list[str]
    warnings: list[Warned]
    comments: list[CommentView]
    history: list[HistoryLine]
    reviewers: tuple[str, ...]
    is_blind: bool


def session_view(desk: Desk, person: Person, name: str, language: str) -> SessionView:
    """A session as somebody sees it. language: of the interface. Raises Refused, Forbidden."""
    copy, state = desk.copy_of(person.name, name), desk.session(name)
    session = desk.read(name, copy)
    found = list(warnings(session, desk.record(name, copy), desk.tool_rules, language))
    origin = session.extra.get("origin")
    candidates = origin.get("candidates") if isinstance(origin, dict) else None
    return SessionView(
        name,
        copy.version,
        state.status,
        copy.outcome,
        session.language,
        session.clock,
        [tool["function"] for tool in session.original_tools],
        [_task(task, copy) for task in session.tasks],
        [one for one in candidates if isinstance(one, str)] if isinstance(candidates, list) else [],
        found,
        _comments(state, person.name),
        _history(state, copy),
        state.reviewers,
        state.is_blind,
    )


def _task(task: Task, copy: Copy) -> TaskView:
    calls = [_call(call) for call in task.calls]
    return TaskView(task.index, task.utterance, task.type, task.reference, calls, task.index < copy.approved)


def _call(call: Call) -> CallView:
    evidence = call.extra.get(EVIDENCE)
    return CallView(
        call.index,
        call.name,
        call.arguments,
        call.after,
        call.observation,
        call.user_input,
        call.sources,
        evidence if isinstance(evidence, list) else [],
    )


def _comments(state: SessionState, who: str) -> list[CommentView]:
    return [
        CommentView(
            one.event.number,
            one.event.who,
            one.event.at,
            one.event.place,
            one.event.text,
            one.event.answers,
            one.is_resolved,
        )
        for one in state.comments_for(who)
    ]


def _history(state: SessionState, copy: Copy) -> list[HistoryLine]:
    """What happened to a copy, and before it was one's own."""
    own = {edit.number for edit in copy.edits}
    events = [one for one in state.events if one.copy == copy.owner or one.number in own]
    return [_line(one) for one in events if not isinstance(one, Commented)]


def _line(event: SessionEvent) -> HistoryLine:
    kind = type(event).__name__.lower()
    match event:
        case Edited():
            return HistoryLine(event.number, event.at, event.who, kind, event.what, event.origin.value)
        case Decided() | Settled():
            return HistoryLine(event.number, event.at, event.who, kind, outcome=event.outcome, reason=event.reason)
        case _:
            return HistoryLine(event.number, event.at, event.who, kind)
