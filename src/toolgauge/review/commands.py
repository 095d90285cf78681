"""What people ask of a review: the commands of the API, and what a browser keeps until they were heard.

A command about a copy names the version that its author saw (`base`), so that nobody overwrites what they did not see.
`key` is made up by the author: a command that was sent twice is done once. An edit says the task, the call, and what is
to stand there.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import Meta, Struct

from toolgauge.chat import Json
from toolgauge.data.session import Reference, TaskType
from toolgauge.review.events import Count, Fault, Key, Name, Outcome, Part, Place, Share, Words

LongText = Annotated[str, Meta(min_length=1, max_length=100_000)]


class EditOf(Struct, frozen=True, kw_only=True, tag_field="edit"):
    """One edit of a session. task: its position; place: the part of the session that it concerns."""

    task: Count
    part: ClassVar[Part] = Part.CALL

    @property
    def place(self) -> Place:
        return Place(self.part, self.task)


class CallEdit(EditOf, frozen=True, kw_only=True):
    """One of a call. call: its position in the task."""

    call: Count

    @property
    def place(self) -> Place:
        return Place(self.part, self.task, self.call)


class SetUtterance(EditOf, frozen=True, kw_only=True, tag="utterance"):
    """What the user says to open the task."""

    text: LongText
    part = Part.UTTERANCE


class SetType(EditOf, frozen=True, kw_only=True, tag="type"):
    type: TaskType
    part = Part.TYPE


class SetReference(EditOf, frozen=True, kw_only=True, tag="reference"):
    """How a task after the first one leans on what was said before."""

    reference: Reference
    part = Part.REFERENCE


class SetArguments(CallEdit, frozen=True, kw_only=True, tag="arguments"):
    """All arguments of a call."""

    arguments: Json
    part = Part.ARGUMENTS


class SetTool(CallEdit, frozen=True, kw_only=True, tag="tool"):
    """Which tool is called."""

    name: LongText


class SetResult(CallEdit, frozen=True, kw_only=True, tag="result"):
    """What the tool answers; of a question or the closing reply, its text."""

    result: Any
    part = Part.RESULT


class SetAnswer(CallEdit, frozen=True, kw_only=True, tag="answer"):
    """What the user answers to a question."""

    text: LongText
    part = Part.ANSWER


class AddCall(CallEdit, frozen=True, kw_only=True, tag="add_call"):
    """Put a call of a tool, or a question with its answer, at a position; the closing reply then waits for it. after:
    the calls that it needs."""

    name: LongText
    arguments: Json
    after: tuple[Count, ...] = ()
    result: Any = None
    answer: LongText | None = None


class RemoveCall(CallEdit, frozen=True, kw_only=True, tag="remove_call"):
    """Take a call out; what needed it needs what it needed, where nothing else that it needs does."""


class SetDependencies(CallEdit, frozen=True, kw_only=True, tag="dependencies"):
    """The calls that a call needs directly."""

    after: tuple[Count, ...]
    part = Part.DEPENDENCIES


AnyEdit = (
    SetUtterance
    | SetType
    | SetReference
    | SetArguments
    | SetTool
    | SetResult
    | SetAnswer
    | SetDependencies
    | AddCall
    | RemoveCall
)


class Command(Struct, frozen=True, kw_only=True, tag_field="do", tag=str.lower):
    """Base of all commands."""

    key: Key = ""


class CopyCommand(Command, frozen=True, kw_only=True):
    """One about a session as it stood after event `base`."""

    session: str
    base: Count


class Edit(CopyCommand, frozen=True, kw_only=True):
    """Change a session."""

    edits: tuple[AnyEdit, ...]


class Undo(CopyCommand, frozen=True, kw_only=True):
    """Take back the last edit that was not taken back yet."""


class Decide(CopyCommand, frozen=True, kw_only=True):
    """Approve a session, reject it, or take that back. tasks: approve only so many, from the first."""

    outcome: Outcome
    tasks: Count | None = None
    reason: str = ""


class Comment(Command, frozen=True, kw_only=True):
    """Say something about a part of a session. answers: the number of the comment that is answered."""

    session: str
    text: Words
    place: Place = Place()
    answers: Count | None = None


class Resolve(Command, frozen=True, kw_only=True):
    """Close a comment, or open it again."""

    session: str
    comment: Count
    is_resolved: bool = True


class Settle(CopyCommand, frozen=True, kw_only=True):
    """Of opinions that differ take one. base: the version of the chosen copy. is_final: False to take what it made of
    the session and edit on, with no decision yet."""

    chosen: Name
    is_final: bool = True
    reason: str = ""


class Assign(Command, frozen=True, kw_only=True):
    """Give sessions to reviewers. Two names: a second opinion."""

    sessions: dict[str, tuple[Name, ...]]


class Distribute(Command, frozen=True, kw_only=True):
    """Give the new sessions that nobody has evenly to reviewers. twice: the share of them that several review, blind;
    opinions: how many."""

    reviewers: tuple[Name, ...]
    twice: Share = 0.0
    opinions: Annotated[int, Meta(ge=2, le=9)] = 2
    seed: int = 0


class HandOver(Command, frozen=True, kw_only=True):
    """What somebody has not decided yet goes evenly to others, who have not had a part in it."""

    name: Name
    to: tuple[Name, ...]


class AddPerson(Command, frozen=True, kw_only=True):
    """Let somebody take part, or give them a new link. token: what stands in it, made up by the lead's browser; only
    its sha256 is kept."""

    name: Name
    is_lead: bool = False
    token: Annotated[str, Meta(min_length=16, max_length=200)]


class SetRole(Command, frozen=True, kw_only=True):
    """Make somebody a lead, or a reviewer; the link stays as it is."""

    name: Name
    is_lead: bool


class RemovePerson(Command, frozen=True, kw_only=True):
    """Somebody takes no part any more."""

    name: Name


class DrawRound(Command, frozen=True, kw_only=True):
    """Begin an inspection round: a share of the approved sessions, never one's own, those first that nobody saw."""

    share: Share = 0.2
    seed: int = 0
    inspectors: tuple[Name, ...] = ()


class ChangeInspector(Command, frozen=True, kw_only=True):
    """What somebody has left to look at in the round goes to the others."""

    name: Name


class Inspect(Command, frozen=True, kw_only=True):
    """Say what is wrong with a session of the round; nothing: it is clean. base: the version that was looked at."""

    session: str
    base: Count
    faults: tuple[Fault, ...] = ()


AnyCommand = (
    Edit
    | Undo
    | Decide
    | Comment
    | Resolve
    | Settle
    | Assign
    | Distribute
    | AddPerson
    | HandOver
    | SetRole
    | RemovePerson
    | DrawRound
    | ChangeInspector
    | Inspect
)
