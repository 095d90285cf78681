"""What happens in a review, as the journal keeps it: who did what to which session, and when.

The journal is the truth: the state of a review is what its events, in their order, make of the original sessions
(`state.py`). An event is a fact: it names what changed, old and new, so that later versions of the code replay it to
the same state.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Raw, Struct, UnsetType

from toolgauge.chat import Json
from toolgauge.data.corrections import Correction, apply_changes, between
from toolgauge.errors import ToolgaugeError
from toolgauge.locale import Text

VERSION = 1
"""Of the journal's format."""
Count = Annotated[int, Meta(ge=0)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
Key = Annotated[str, Meta(max_length=80)]
Words = Annotated[str, Meta(min_length=1, max_length=10_000)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Outcome(StrEnum):
    """What a reviewer decides about a session. OPEN takes an earlier decision back."""

    APPROVED = "approved"
    REJECTED = "rejected"
    OPEN = "open"


class Part(StrEnum):
    """The part of a session that a comment, a warning or an error of an inspection concerns."""

    SESSION = "session"
    UTTERANCE = "utterance"
    TYPE = "type"
    REFERENCE = "reference"
    CALL = "call"
    ARGUMENTS = "arguments"
    DEPENDENCIES = "dependencies"
    RESULT = "result"
    QUESTION = "question"
    ANSWER = "answer"
    REPLY = "reply"


class Place(Struct, frozen=True, omit_defaults=True):
    """Where in a session: the task and the call, by their positions; path: of an argument (docs/files.md)."""

    part: Part = Part.SESSION
    task: Count | None = None
    call: Count | None = None
    path: str = ""


class Change(Struct, frozen=True, omit_defaults=True):
    """Of a session's record: a correction of data (data/corrections.py) without its session. It is applied only where
    the old value stands, so a journal is not replayed over other data than those it was written for.

    pointer: a JSON Pointer into the record. old, new: JSON; without `old` a field is new, without `new` gone."""

    pointer: str
    old: Raw | UnsetType = UNSET
    new: Raw | UnsetType = UNSET

    @property
    def inverse(self) -> Change:
        return Change(self.pointer, self.new, self.old)

    def correction(self, session: str, reason: str = "", source: str = "") -> Correction:
        """The same as a line of a file of corrections."""
        return Correction(session, self.pointer, None, None, self.old, self.new, reason, source)


class Event(Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="event", tag=str.lower):
    """number: its position in the journal, from 1. at: when, in seconds since the epoch. who: the reviewer's name, ""
    of the program. key: made up by whoever sends it; an event whose key is known has happened already."""

    number: Count = 0
    at: float = 0.0
    who: str = ""
    key: Key = ""


class SessionEvent(Event, frozen=True, kw_only=True):
    """One about a session. copy: whose copy of it ("": the common one, or the reviewer's who works on it blind)."""

    session: str
    copy: str = ""


class Opened(Event, frozen=True, kw_only=True):
    """The first event: which file is reviewed, told by its sha256, in which language."""

    file: str
    sha256: str
    language: str
    version: int = VERSION


class PersonAdded(Event, frozen=True, kw_only=True):
    """A reviewer, or a lead, who also assigns, inspects and exports. token_sha256: of the token in the personal link; a
    second event of a name gives that person another one."""

    name: Name
    is_lead: bool = False
    token_sha256: str = ""


class PersonRemoved(Event, frozen=True, kw_only=True):
    """Somebody takes no part any more; what was done stays."""

    name: Name


class Assigned(Event, frozen=True, kw_only=True):
    """Who reviews which sessions; nobody takes an assignment back. Two names: a second opinion, each on a copy of their
    own that the other does not see."""

    sessions: dict[str, tuple[Name, ...]]


class Edited(SessionEvent, frozen=True, kw_only=True):
    """A copy was changed. base: the number of the event that changed it last. tasks: how many it has now; touched: the
    positions of those that differ; asked: of those that the edits name (later tasks may be touched because their
    annotations follow); undoes: the number of the event that is taken back."""

    base: Count
    changes: tuple[Change, ...]
    tasks: Count
    touched: tuple[Count, ...] = ()
    asked: tuple[Count, ...] = ()
    undoes: Count | None = None


class Decided(SessionEvent, frozen=True, kw_only=True):
    """A decision about a copy as it stood after event `base`. tasks: how many are approved, from the first."""

    base: Count
    outcome: Outcome
    tasks: Count = 0
    reason: str = ""


class Settled(SessionEvent, frozen=True, kw_only=True):
    """Of several opinions one was taken, by a third person or because they say the same: the session becomes what that
    copy is. outcome: OPEN where it is edited on before somebody decides."""

    base: Count
    chosen: Name
    outcome: Outcome
    tasks: Count = 0
    reason: str = ""


class Commented(SessionEvent, frozen=True, kw_only=True):
    """A comment; answers: the number of the comment that it answers."""

    place: Place
    text: Words
    answers: Count | None = None


class CommentResolved(SessionEvent, frozen=True, kw_only=True):
    """A comment and its answers are done with, or opened again."""

    comment: Count
    is_resolved: bool = True


class RoundDrawn(Event, frozen=True, kw_only=True):
    """An inspection round: who looks at which sessions. round: from 1."""

    round: Annotated[int, Meta(ge=1)]
    seed: int
    share: float
    inspectors: dict[str, Name]


class InspectorsChanged(Event, frozen=True, kw_only=True):
    """Sessions of a round that nobody looked at yet are inspected by somebody else."""

    round: Annotated[int, Meta(ge=1)]
    inspectors: dict[str, Name]


class Fault(Struct, frozen=True, omit_defaults=True):
    """An error that an inspector found. kind: its class, of a list that the lead may extend."""

    kind: Name
    place: Place = Place()
    note: str = ""


class Inspected(Event, frozen=True, kw_only=True):
    """An inspector is done with a session of the round. base: the event after which it stood so; no faults: clean. From
    the first task with a fault on, the session is no longer approved."""

    round: Annotated[int, Meta(ge=1)]
    session: str
    base: Count
    faults: tuple[Fault, ...] = ()


AnyEvent = (
    Opened
    | PersonAdded
    | PersonRemoved
    | Assigned
    | Edited
    | Decided
    | Settled
    | Commented
    | CommentResolved
    | RoundDrawn
    | InspectorsChanged
    | Inspected
)


def changes_between(old: Json, new: Json) -> tuple[Change, ...]:
    """What makes one version of a record of another. Raises Unfit where the ids differ."""
    return tuple(Change(change.pointer, change.old, change.new) for change in between("", old, new))


def changed(record: Json, changes: Iterable[Change]) -> Json:
    """A copy of a record with the changes, in their order. Raises Unfit where one does not fit."""
    return apply_changes(record, (change.correction("") for change in changes))


class Refusal(ToolgaugeError):
    """Something that is not done. message: why, for a page in the language of whoever asked for it."""

    def __init__(self, message: Text) -> None:
        super().__init__(str(message))
        self.message = message


class Refused(Refusal):
    """What was asked for does not fit the session. place: the part of it that this concerns, where that is known."""

    def __init__(self, message: Text, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place


class Forbidden(Refusal):
    """Somebody may not do this: a lead's work, or another one's copy."""


class Malformed(Refusal):
    """Something that cannot be read as a command."""


class Stale(Refusal):
    """The session was changed meanwhile. version: of the copy as it stands now."""

    def __init__(self, message: Text, version: int) -> None:
        super().__init__(message)
        self.version = version
