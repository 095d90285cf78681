"""Worlds for the tests of ACEBench's environments, on tables of our own making."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolgauge.benchmarks.acebench.data.tables import TABLES
from toolgauge.benchmarks.acebench.environments.environment import Scoring
from toolgauge.benchmarks.acebench.environments.world import World
from toolgauge.chat import Json

PHONE = ("BaseApi", "MessageApi", "ReminderApi", "FoodPlatform")
READY = {"BaseApi": {"wifi": True, "logged_in": True}}
_TABLES = Path(__file__).parents[2] / "fixtures" / "acebench" / "environments"


def demo_tables(language: str) -> dict[str, Json]:
    """Tables by name, in "en" or "zh": people, messages, menus and flights are invented."""
    return {name: json.loads((_TABLES / language / f"{name}.json").read_text("utf-8")) for name in TABLES}


def phone(scoring: Scoring = "released", language: str = "en", config: Any = READY) -> World:
    return World(PHONE, demo_tables(language), config, language, scoring)


def travel(scoring: Scoring = "released", language: str = "en") -> World:
    return World(["Travel"], demo_tables(language), {}, language, scoring)


def statuses(world: World, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    return [world.call(name, arguments).status for name, arguments in calls]
