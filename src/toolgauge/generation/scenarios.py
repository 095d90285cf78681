"""Scenarios: who the user is, what it is about and how people really said it, from the user's own logs.

A file of scenarios is JSON lines. Each line is an object; all keys but `id` may be left out:

| key | content |
|---|---|
| `id` | unique in the file |
| `persona`, `situation`, `style` | free texts: who speaks, what for, in which manner |
| `utterances` | texts that real users said |
| `tools` | ids or names of the tool lists that it goes with (none: any) |
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from toolgauge.data.record import DataLine, shown, step
from toolgauge.generation.agents.patterns import records_with_ids, text_of
from toolgauge.generation.setup import Scenario

_TEXTS, _LISTS = ("persona", "situation", "style"), ("utterances", "tools")
MOST_CHARACTERS = 20_000
"""Of all texts of a scenario together; more would drown the rest of the prompts."""


def read_scenarios(path: Path | str, tool_lists: Collection[str] | None) -> tuple[Scenario, ...]:
    """The scenarios of a file. tool_lists: ids and names of those there are, None where none is drawn.

    Raises DataError, with file, line and JSON path, at the first thing that cannot be used.
    """
    scenarios = []
    for record in records_with_ids(path, "scenario"):
        scenario = _scenario(record)
        for place, name in enumerate(scenario.tools):
            if tool_lists is not None and name not in tool_lists:
                raise record.error(f"unknown tool list {shown(name)}", f"tools[{place}]")
        scenarios.append(scenario)
    return tuple(scenarios)


def scenario_of(record: Mapping[str, object], scenarios: Mapping[str, Scenario]) -> Scenario | None:
    """The one in which a session was made, as its `origin` says; None where it is not among these."""
    origin = record.get("origin")
    return scenarios.get(str(origin.get("scenario"))) if isinstance(origin, dict) else None


def _scenario(record: DataLine) -> Scenario:
    value = record.value
    unknown = next((key for key in value if key not in ("id", *_TEXTS, *_LISTS)), None)
    if unknown is not None:
        raise record.error(
            f"unknown field; choose from {', '.join(['id', *_TEXTS, *_LISTS])}", step(unknown).lstrip(".")
        )
    persona, situation, style = (record.take(value, key, str).strip() if key in value else "" for key in _TEXTS)
    utterances, tools = (tuple(record.texts(key)) if key in value else () for key in _LISTS)
    if sum(map(len, (persona, situation, style, *utterances, *tools))) > MOST_CHARACTERS:
        raise record.error(f"must have at most {MOST_CHARACTERS:,} characters")
    return Scenario(text_of(record, "id"), persona, situation, style, utterances, tools)
