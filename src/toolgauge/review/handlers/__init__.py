"""What each command does: it is checked, and becomes an event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from toolgauge.locale import _
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import AnyEvent, Decided
from toolgauge.review.handlers import editing, inspecting, opinions, team
from toolgauge.review.refusals import Forbidden

Handler = Callable[[Desk, str, Any], AnyEvent]
"""desk, who asks, the command -> what happens. Raises Refused, Forbidden, Stale."""

HANDLERS: dict[type[commands.Command], Handler] = {
    commands.Edit: editing.edit,
    commands.Undo: editing.undo,
    commands.Decide: opinions.decide,
    commands.Settle: opinions.settle,
    commands.Comment: opinions.comment,
    commands.Resolve: opinions.resolve,
    commands.AddPerson: team.add,
    commands.SetRole: team.set_role,
    commands.RemovePerson: team.remove,
    commands.Assign: team.assign,
    commands.Distribute: team.distribute,
    commands.HandOver: team.hand_over,
    commands.DrawRound: inspecting.draw,
    commands.ChangeInspector: inspecting.change,
    commands.Inspect: inspecting.inspect,
}


def do(desk: Desk, who: str, command: commands.AnyCommand) -> AnyEvent:
    """Do what somebody asks for; returns what happened. Raises Refused, Forbidden, Stale, StoreError, and nothing has
    happened then."""
    if command.key and (number := desk.state.keys.get(command.key)):
        event = desk.state.events[number - 1]
        if event.who != who:
            raise Forbidden(_("this key belongs to another person's command"))
        return event
    event = desk.happen(replace(HANDLERS[type(command)](desk, who, command), who=who, key=command.key))
    complete(desk)
    return event


def complete(desk: Desk) -> None:
    """Let happen what follows from the last event: also after a kill in between."""
    if desk.state.events:
        for more in follow_up(desk, desk.state.events[-1]):
            desk.happen(more)


def follow_up(desk: Desk, event: AnyEvent) -> Iterator[AnyEvent]:
    """What follows from an event by itself."""
    if isinstance(event, Decided):
        yield from opinions.agreement(desk, desk.session(event.session))
