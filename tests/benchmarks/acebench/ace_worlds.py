"""Worlds for the tests of ACEBench's environments, on tables of our own making."""

from __future__ import annotations

from typing import Any

from toolgauge.benchmarks.acebench.environments.demo import demo_tables
from toolgauge.benchmarks.acebench.environments.rules import Scoring
from toolgauge.benchmarks.acebench.environments.world import World

PHONE = ("BaseApi", "MessageApi", "ReminderApi", "FoodPlatform")
READY = {"BaseApi": {"wifi": True, "logged_in": True}}


def phone(scoring: Scoring = "released", language: str = "en", config: Any = READY) -> World:
    return World(PHONE, demo_tables(language), config, language, scoring)


def travel(scoring: Scoring = "released", language: str = "en") -> World:
    return World(["Travel"], demo_tables(language), {}, language, scoring)


def statuses(world: World, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    return [world.call(name, arguments).status for name, arguments in calls]
