"""The figures of an ACEBench data set, category by category, as tables for printing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from toolgauge.benchmarks.acebench.data.categories import CATEGORIES, GROUPS
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry
from toolgauge.data.files import (
    PARAMETER_KINDS,
    StatisticsTable,
    parameter_kind,
)
from toolgauge.data.valid_schemas import normalised


def ace_sections(dataset: AceDataset) -> list[StatisticsTable]:
    """The tables of `toolgauge data stats` for these data."""
    entries = dataset.entries
    normal = [entry for entry in entries if entry.kind.group == "normal"]
    agents = [entry for entry in entries if entry.kind.group == "agent"]
    turns = Counter(entry.session_id for entry in entries if entry.session is not None)
    sections = [
        StatisticsTable("Size", ("", ""), tuple(_size(dataset))),
        StatisticsTable("Categories", ("category", "entries", "published", "sessions"), tuple(_categories(dataset))),
        _counts("Available functions", "functions", (len(entry.functions) for entry in entries)),
        _counts("Calls expected (first alternative)", "calls", (len(entry.answers[0]) for entry in normal)),
        _shares("Parameter types of distinct functions", _parameters(entries)),
        _counts("Turns per session", "turns", turns.values(), "sessions"),
        _shares("Environments involved", (name for entry in agents for name in entry.involved_classes)),
        _counts("Milestones (first alternative)", "calls", (len(entry.milestones[0]) for entry in agents)),
    ]
    return [section for section in sections if section.rows]


def _size(dataset: AceDataset) -> Iterator[tuple[str, str]]:
    entries = dataset.entries
    groups = {"normal": "normal entries", "special": "special entries", "agent": "agent entries"}
    for group, title in groups.items():
        count = sum(entry.kind.group == group for entry in entries)
        published = sum(CATEGORIES[name].counts[dataset.language] for name in GROUPS[group])
        yield title, f"{count} (published: {published})"
    yield "entries", str(len(entries))
    names = [function.name for entry in entries for function in entry.functions]
    yield (
        "distinct function names",
        f"{len(set(names))} ({len(names)} description{'' if len(names) == 1 else 's'})",
    )
    yield "several accepted answers", str(sum(len(entry.answers) > 1 for entry in entries))
    yield "several accepted courses (agents)", str(sum(len(entry.milestones) > 1 for entry in entries))
    dated = [entry for entry in entries if entry.kind.group != "agent" and entry.category != "normal_preference"]
    yield ("without a date", f"{sum(not entry.time for entry in dated)} of {len(dated)}")
    yield "sha256", dataset.sha256


def _categories(dataset: AceDataset) -> Iterator[tuple[str, ...]]:
    counts = Counter(entry.category for entry in dataset.entries)
    for name in dataset.categories:
        sessions = len({entry.session_id for entry in dataset.entries if entry.category == name})
        shown = str(sessions) if CATEGORIES[name].multi_turn else ""
        yield name, str(counts[name]), str(CATEGORIES[name].counts[dataset.language]), shown


def _parameters(entries: Iterable[AceEntry]) -> Iterator[str]:
    distinct = {function.name: function.parameters for entry in entries for function in entry.functions}
    for parameters in distinct.values():
        yield from _below(normalised(parameters), nested=False)


def _below(schema: Any, nested: bool) -> Iterator[str]:
    for part in schema.get("properties", {}).values():
        yield parameter_kind(part, nested)
        yield from _below(part, nested=True)


def _counts(title: str, what: str, values: Iterable[int], unit: str | None = None) -> StatisticsTable:
    histogram = sorted(Counter(values).items())
    return StatisticsTable(
        title, (what, unit or "entries"), tuple((str(value), str(count)) for value, count in histogram)
    )


def _shares(title: str, values: Iterable[str]) -> StatisticsTable:
    counts = Counter(values)
    order = [kind for kind in PARAMETER_KINDS if kind in counts] + [
        name for name in counts if name not in PARAMETER_KINDS
    ]
    rows = tuple((name, str(counts[name]), f"{100 * counts[name] / counts.total():.1f}%") for name in order)
    return StatisticsTable(title, ("", "count", "share"), rows)
