"""The kind of a finished task, from what was called and asked in it, whatever was dictated."""

from __future__ import annotations

from collections.abc import Iterable

from toolgauge.annotation.dialogue import Action, Entry, Speaker
from toolgauge.data.session import ASK
from toolgauge.generation.pseudo import NAMES


def kind_of(entries: Iterable[Entry], task: int) -> str:
    """single, multi, clarify or chat: by what was called and asked in a task, whatever was intended."""
    actions = list(actions_of(entries, task))
    calls = sum(action.name not in NAMES for action in actions)
    if any(action.name == ASK for action in actions):
        return "clarify"
    return ("chat", "single")[calls] if calls < 2 else "multi"


def actions_of(entries: Iterable[Entry], task: int) -> Iterable[Action]:
    """The accepted actions of a task, in order."""
    for entry in entries:
        if entry.task == task and entry.accepted and entry.speaker is Speaker.PLANNER and entry.decision:
            yield from entry.decision.actions
