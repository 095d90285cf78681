"""A stand-in for what toolgauge_bfcl/original.py takes from bfcl-eval: two entries about one lamp, and its checker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

MORE_TOOLS = "There are more functions now."
MAXIMUM_STEP_LIMIT = 3
SWITCH = {"name": "switch", "description": "Switch the lamp.", "parameters": {"type": "object", "properties": {}}}
DIM = {"name": "dim", "description": "Dim the lamp.", "parameters": {"type": "object", "properties": {}}}


def entries(data: Path, category: str) -> list[tuple[dict[str, Any], list[list[str]]]]:
    """One entry in each category; in "miss_func" the second function comes with a turn of its own."""
    users: list[list[dict[str, str]]] = [[{"role": "user", "content": text}] for text in ("On, please.", "Dim it.")]
    entry: dict[str, Any] = {"id": f"multi_turn_{category}_0", "question": users, "function": [SWITCH, DIM]}
    gold = [["switch"], ["dim"]]
    if category == "miss_func":
        entry |= {"question": [*users, []], "function": [SWITCH], "missed_function": {"2": [DIM]}}
        gold = [["switch"], [], ["dim"]]
    return [(entry, gold)]


def function_definitions(functions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(functions)


def expressions(entry: dict[str, Any], calls: Sequence[tuple[str, Any]]) -> list[str]:
    for _, arguments in calls:
        json.loads(arguments)
    return [name for name, _ in calls]


class World:
    """Remembers what was called."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.state: list[str] = []

    def __call__(self, calls: Sequence[str]) -> list[str]:
        self.state += calls
        return [f"{call}: done" for call in calls]


def check(entry: dict[str, Any], gold: Sequence[Sequence[str]], turns: Sequence[Sequence[Sequence[str]]]) -> Any:
    if len(turns) != len(gold):
        return SimpleNamespace(mistake="force_terminated", turn=len(turns) - 1, states=None, error="")
    for turn, due in enumerate(gold):
        made = [call for reply in turns[turn] for call in reply]
        if due and made != list(due):
            mistake = "instance_state_mismatch" if made else "empty_turn_model_response"
            return SimpleNamespace(mistake=mistake, turn=turn, states=(list(due), made), error="")
    return SimpleNamespace(mistake=None, turn=len(gold) - 1, states=None, error="")


def gold_calls(entry: dict[str, Any], gold: Sequence[Sequence[str]]) -> list[list[dict[str, Any]]]:
    return [[{"name": name, "arguments": {}} for name in turn] for turn in gold]
