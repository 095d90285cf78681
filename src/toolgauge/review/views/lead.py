"""What a lead sees beside the queue: who takes part, how far the review is, what would leave."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.locale import translated
from toolgauge.review import rounds
from toolgauge.review.desk import Desk
from toolgauge.review.export import Export
from toolgauge.review.figures import ReviewProgress, progress
from toolgauge.review.handlers.team import is_open, require_lead
from toolgauge.review.state import Person, SessionStatus


class PersonLine(Struct, frozen=True):
    """Somebody. open: sessions to decide about; decided: of those assigned; to_inspect: in the round under way. last:
    when they did something, in seconds since the epoch."""

    name: str
    is_lead: bool
    is_active: bool
    open: int
    decided: int
    to_inspect: int
    last: float | None


class TeamView(Struct, frozen=True):
    """free: new sessions that nobody has; sessions: all."""

    you: str
    people: list[PersonLine]
    free: int
    sessions: int


class ProblemLine(Struct, frozen=True):
    """What the last check found, in words; session: where, None of what is no session's."""

    session: str | None
    message: str


class ExportView(Struct, frozen=True):
    """What would leave: so many sessions; left_out: how many do not. problems: while there are any, nothing does."""

    sessions: int
    left_out: int
    problems: list[ProblemLine]


def export_view(made: Export, language: str) -> ExportView:
    """language: of the interface."""
    lines = [ProblemLine(one.session, translated(one.message, language)) for one in made.problems]
    return ExportView(made.sessions, made.left_out, lines)


def team_view(desk: Desk, person: Person) -> TeamView:
    """Raises Forbidden for who does not lead."""
    require_lead(desk, person.name)
    state = desk.state
    sessions = state.sessions.values()
    assigned = Counter(name for one in sessions for name in one.reviewers)
    open_ones = Counter(name for one in sessions for name in one.reviewers if is_open(one, name))
    under_way = state.rounds[-1] if state.rounds else None
    looking = Counter(under_way.inspectors[name] for name in rounds.left(state, under_way)) if under_way else Counter()
    last = {event.who: event.at for event in state.events if event.who}
    lines = [
        PersonLine(
            one.name,
            one.is_lead,
            one.is_active,
            open_ones[one.name],
            assigned[one.name] - open_ones[one.name],
            looking[one.name],
            last.get(one.name),
        )
        for one in state.people.values()
    ]
    free = sum(not one.reviewers and one.status is SessionStatus.NEW for one in sessions)
    return TeamView(person.name, lines, free, len(state.sessions))


def figures_view(desk: Desk, person: Person) -> ReviewProgress:
    """How far the review is; who does not lead sees of people only themselves."""
    told = progress(desk.state)
    if person.is_lead:
        return told
    return replace(told, people={name: work for name, work in told.people.items() if name == person.name})
