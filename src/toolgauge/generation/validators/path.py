"""The kind of a finished task, from what was called and asked in it, whatever was dictated."""

from __future__ import annotations

from collections.abc import Iterable

from toolgauge.annotation.dialogue import Action, Entry, Speaker
from toolgauge.data.session import ASK, FINAL
from toolgauge.generation.pseudo import NAMES


def kind_of(entries: Iterable[Entry], task: int) -> str:
    """single, multi, clarify or chat: by what was called and asked in a task, whatever was intended."""
    actions = list(actions_of(entries, task))
    calls = sum(action.name not in NAMES for action in actions)
    if any(action.name == ASK for action in actions):
        return "clarify"
    return ("chat", "single")[calls] if calls < 2 else "multi"


def is_astray(entries: Iterable[Entry], task: int, wanted: str) -> bool:
    """Has a task become of another kind than the wanted one, or will it whatever follows?"""
    entries = tuple(entries)
    found, is_closed = kind_of(entries, task), any(action.name == FINAL for action in actions_of(entries, task))
    return found != wanted if is_closed else found not in _ON_THE_WAY[wanted]


_ON_THE_WAY = {
    "chat": ("chat",),
    "single": ("chat", "single"),
    "multi": ("chat", "single", "multi"),
    "clarify": ("chat", "single", "multi", "clarify"),
}
"""Wanted kind -> what a task of it may be before it is closed."""


def actions_of(entries: Iterable[Entry], task: int) -> Iterable[Action]:
    """The accepted actions of a task, in order."""
    for entry in entries:
        if entry.task == task and entry.accepted and entry.speaker is Speaker.PLANNER and entry.decision:
            yield from entry.decision.actions
