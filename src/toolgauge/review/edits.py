"""Edits of a session, in the words of the API: the task, the call, and what is to stand there."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from toolgauge.chat import Json
from toolgauge.data.record import shown
from toolgauge.data.session import Reference, TaskType
from toolgauge.review.events import Part, Place

Count = Annotated[int, Meta(ge=0)]
Words = Annotated[str, Meta(min_length=1, max_length=100_000)]


class Edit(Struct, frozen=True, kw_only=True, tag_field="edit"):
    """One edit. task: its position in the session."""

    task: Count


class CallEdit(Edit, frozen=True, kw_only=True):
    """One of a call. call: its position in the task."""

    call: Count


class SetUtterance(Edit, frozen=True, kw_only=True, tag="utterance"):
    """What the user says to open the task."""

    text: Words


class SetType(Edit, frozen=True, kw_only=True, tag="type"):
    type: TaskType


class SetReference(Edit, frozen=True, kw_only=True, tag="reference"):
    """How a task after the first one leans on what was said before."""

    reference: Reference


class SetArguments(CallEdit, frozen=True, kw_only=True, tag="arguments"):
    """All arguments of a call."""

    arguments: Json


class SetTool(CallEdit, frozen=True, kw_only=True, tag="tool"):
    """Which tool is called."""

    name: Words


class SetResult(CallEdit, frozen=True, kw_only=True, tag="result"):
    """What the tool answers; of a question or the closing reply, its text."""

    result: Any


class SetAnswer(CallEdit, frozen=True, kw_only=True, tag="answer"):
    """What the user answers to a question."""

    text: Words


class ConfirmDependency(CallEdit, frozen=True, kw_only=True, tag="confirm"):
    """Say that a dependency on an earlier call is one, whatever speaks for it, or take that back."""

    before: Count
    confirmed: bool = True


class AddCall(CallEdit, frozen=True, kw_only=True, tag="add_call"):
    """Put a call of a tool, or a question with its answer, at a position; the closing reply then waits for it. after:
    the calls that it needs."""

    name: Words
    arguments: Json
    after: tuple[Count, ...] = ()
    result: Any = None
    answer: Words | None = None


class RemoveCall(CallEdit, frozen=True, kw_only=True, tag="remove_call"):
    """Take a call out; what needed it needs what it needed, where nothing else that it needs does."""


class SetDependencies(CallEdit, frozen=True, kw_only=True, tag="dependencies"):
    """The calls that a call needs directly."""

    after: tuple[Count, ...]


AnyEdit = (
    SetUtterance
    | SetType
    | SetReference
    | SetArguments
    | SetTool
    | SetResult
    | SetAnswer
    | SetDependencies
    | ConfirmDependency
    | AddCall
    | RemoveCall
)


def described(edit: AnyEdit) -> str:
    """An edit as the journal keeps it, for the history: its JSON, shortened."""
    return shown(msgspec.to_builtins(edit))


def place_of_edit(edit: Edit) -> Place:
    """The part of the session that an edit concerns."""
    return Place(_PARTS[type(edit)], edit.task, edit.call if isinstance(edit, CallEdit) else None)


_PARTS: dict[type[Edit], Part] = {
    SetUtterance: Part.UTTERANCE,
    SetType: Part.TYPE,
    SetReference: Part.REFERENCE,
    SetArguments: Part.ARGUMENTS,
    SetTool: Part.CALL,
    SetResult: Part.RESULT,
    SetAnswer: Part.ANSWER,
    SetDependencies: Part.DEPENDENCIES,
    ConfirmDependency: Part.DEPENDENCIES,
    AddCall: Part.CALL,
    RemoveCall: Part.CALL,
}
