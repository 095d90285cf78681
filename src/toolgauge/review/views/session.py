"""A session as a reviewer reads and edits it, whatever its file calls the fields."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import Json, Message
from toolgauge.data.session import Call, Reference, Task, TaskType
from toolgauge.generation.graph import EVIDENCE, PLAN, PURPOSE, THOUGHT, candidates_of
from toolgauge.review.desk import Desk
from toolgauge.review.differences import places
from toolgauge.review.events import Commented, CommentResolved, Decided, Edited, Outcome, Place, SessionEvent, Settled
from toolgauge.review.state import Copy, Person, SessionState, SessionStatus
from toolgauge.review.views.rounds import InspectionView, inspection_view
from toolgauge.review.warnings import Warned


class CallView(Struct, frozen=True):
    """A node of a task. sources: by path of an argument, where its value comes from; evidence: for its dependencies;
    thoughts: what the planner said when it decided on the call, by THOUGHT, PLAN, PURPOSE."""

    index: int
    name: str
    arguments: Json
    after: tuple[int, ...]
    result: object
    answer: str | None
    sources: dict[str, list[Json]]
    evidence: list[Json]
    thoughts: dict[str, str]


class TaskView(Struct, frozen=True):
    """A task. approved: does it stand as it was approved? earlier: what was said before it and belongs to no task,
    (who, what) each."""

    index: int
    utterance: str
    type: TaskType
    reference: Reference
    calls: list[CallView]
    approved: bool
    earlier: list[tuple[str, str]]


class CommentView(Struct, frozen=True):
    number: int
    who: str
    at: float
    place: Place
    text: str
    answers: int | None
    is_resolved: bool


class HistoryLine(Struct, frozen=True):
    """An event about the session. what: the edits, as they were asked for; places: the parts that
    they changed; outcome: of a decision. undoes: the
    number of the edit that was taken back; undone: by which event this one was."""

    number: int
    at: float
    who: str
    event: str
    what: tuple[str, ...] = ()
    places: list[Place] = []
    origin: str = ""
    outcome: Outcome | None = None
    reason: str = ""
    tasks: int = 0
    undoes: int | None = None
    undone: int | None = None


class DecisionView(Struct, frozen=True):
    """The last decision about the copy. holds: was nothing changed since that it is about? tasks: how many it approved,
    from the first."""

    who: str
    at: float
    outcome: Outcome
    tasks: int
    reason: str
    holds: bool


class SessionView(Struct, frozen=True):
    """A session, whole. version: to be sent with every command about it. schemas: of the tools' arguments, in JSON
    Schema's words, by name; candidates: of each task's utterance, as far as they are known.
    approved: so many of its tasks, from the first, stand as they were approved; last: the number of the last event
    about the session."""

    id: str
    you: str
    version: int
    status: SessionStatus
    outcome: Outcome | None
    decision: DecisionView | None
    approved: int
    last: int
    language: str
    clock: str
    tools: list[Json]
    schemas: dict[str, Json]
    tasks: list[TaskView]
    candidates: list[list[str]]
    warnings: list[Warned]
    comments: list[CommentView]
    history: list[HistoryLine]
    reviewers: tuple[str, ...]
    is_blind: bool
    inspection: InspectionView | None


def session_view(desk: Desk, person: Person, name: str, found: list[Warned]) -> SessionView:
    """A session as somebody sees it. found: its warnings. Raises Refused, Forbidden."""
    return copy_view(desk, person, name, desk.copy_of(person.name, name), found)


def copy_view(desk: Desk, person: Person, name: str, copy: Copy, found: list[Warned]) -> SessionView:
    """The same of a copy that they may see."""
    state, session = desk.session(name), desk.read(name, copy)
    return SessionView(
        name,
        person.name,
        copy.version,
        state.status,
        copy.outcome,
        _decision(copy),
        copy.approved,
        state.last,
        session.language,
        session.clock,
        [tool["function"] for tool in session.original_tools],
        {tool.name: tool.parameters for tool in session.tools},
        [task_view(task, copy.approved) for task in session.tasks],
        candidates_of(origin) if isinstance(origin := session.extra.get("origin"), dict) else [],
        found,
        _comments(state, person.name),
        _history(state, copy),
        state.reviewers,
        state.is_blind,
        inspection_view(desk, person, state),
    )


def task_view(task: Task, approved: int) -> TaskView:
    """A task. approved: so many of the session's stand as they were approved."""
    calls = [_call(call) for call in task.calls]
    earlier = [_earlier(one) for one in task.dialogue[: task.opening]]
    return TaskView(task.index, task.utterance, task.type, task.reference, calls, task.index < approved, earlier)


def _earlier(message: Message) -> tuple[str, str]:
    return message.role, message.content or ""


def _decision(copy: Copy) -> DecisionView | None:
    last = copy.decision
    if last is None:
        return None
    return DecisionView(last.who, last.at, last.outcome, last.tasks, last.reason, copy.is_as_decided)


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
        {key: said for key in (THOUGHT, PLAN, PURPOSE) if isinstance(said := call.extra.get(key), str) and said},
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
    undone = {one.undoes: one.number for one in copy.edits if one.undoes is not None}
    return [_line(one, undone.get(one.number)) for one in events if not isinstance(one, Commented | CommentResolved)]


def _line(event: SessionEvent, undone: int | None) -> HistoryLine:
    line = HistoryLine(event.number, event.at, event.who, type(event).__name__.lower(), undone=undone)
    match event:
        case Edited():
            return replace(
                line, what=event.what, places=places(event.changes), origin=event.origin.value, undoes=event.undoes
            )
        case Decided() | Settled():
            return replace(line, outcome=event.outcome, reason=event.reason, tasks=event.tasks)
        case _:
            return line
