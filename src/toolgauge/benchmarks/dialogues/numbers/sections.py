"""Which tables of WildToolBench and MMTB are shown, under which headings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from toolgauge.analysis.layout import Headed, TableSection, frequent, named, section
from toolgauge.analysis.numbers import Metrics, Tables
from toolgauge.analysis.passes import pass_rows
from toolgauge.benchmarks.dialogues.numbers.headings import (
    COUNTED,
    action_rows,
    crossed_rows,
    near_miss_rows,
    numbered_rows,
    paired_rows,
    source_rows,
)
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import _, translated

KINDS_AND_SHAPES = (
    "single", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat", "unservable",
)  # fmt: skip
CONTEXTS = ("turn_type", "subtypes")
BY_SHAPE = _(
    "By the shape of the annotated calls, not by the label of the task: tasks that begin with a question can be among "
    "them, so n differs from the table of accuracy."
)
NUMBERED = [table for table in COUNTED if table.startswith("by_")]


def dialogue_sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    """The tables of a scoring; brief: those of the terminal."""
    return (_brief if brief else _every)(metrics, scoring, language)


def _brief(metrics: Metrics, scoring: str, language: str) -> list[TableSection]:
    tables = metrics.scorings[scoring]
    contexts = _whole(tables, language, "turn_type")
    return [
        _accuracy(tables, language),
        named("passes", pass_rows(tables, language, brief=True), language),
        *_mistakes(metrics, scoring, language),
        _orchestration(tables, language),
        _whole(tables, language, "references"),
        named("transitions", numbered_rows(tables, "transitions", language), language),
        *([contexts] if metrics.benchmark == "mmtb" else []),
        named("parameter_errors", _parameter_rows(tables, language), language),
    ]


def _every(metrics: Metrics, scoring: str, language: str) -> list[TableSection]:
    """What the papers have comes first, then whole sessions, then what the tasks are like."""
    tables = metrics.scorings[scoring]
    contexts = [(table, tuple(tables.get(table, {}))) for table in CONTEXTS]
    blocked = frequent(tables.get("near_miss_mistakes", {}))
    return [
        _accuracy(tables, language),
        named("passes", pass_rows(tables, language), language),
        *_mistakes(metrics, scoring, language),
        named("parameter_errors", _parameter_rows(tables, language), language),
        _orchestration(tables, language),
        named("action", action_rows(tables, language), language),
        _whole(tables, language, "references"),
        named("reference_by_position", crossed_rows(tables, "reference_by_position", language), language),
        *([section(tables, language, "turn_type", *contexts)] if metrics.benchmark == "mmtb" else []),
        *(
            named(table, numbered_rows(tables, table, language), language)
            for table in ("transitions", "transitions_two_groups")
        ),
        named("transition_pairs", paired_rows(tables, "transition_pairs", language), language),
        named("sessions_by_correct", numbered_rows(tables, "sessions_by_correct", language), language),
        named("near_misses", near_miss_rows(tables, language), language),
        section(tables, language, "near_miss_mistakes", ("near_miss_mistakes", blocked)),
        *(named(table, numbered_rows(tables, table, language), language) for table in NUMBERED),
        _whole(tables, language, "by_parameter_types"),
        named("by_argument_source", source_rows(tables, language), language),
    ]


def _accuracy(tables: Tables, language: str) -> TableSection:
    orders = [
        ("by_order", row, translated(_("turn {number}", number=row), language)) for row in tables.get("by_order", {})
    ]
    overall, facts = tuple(tables.get("overall", {})), tuple(tables.get("facts", {}))
    accuracy = section(
        tables, language, "accuracy", ("overall", overall), ("facts", facts), ("by_type", KINDS_AND_SHAPES)
    )
    return accuracy._replace(rows=(*accuracy.rows, *orders))


def _whole(tables: Tables, language: str, table: str) -> TableSection:
    return section(tables, language, table, (table, tuple(tables.get(table, {}))))


def _orchestration(tables: Tables, language: str) -> TableSection:
    """With a note where the shapes of graphs count other tasks than the labels do."""
    found = _whole(tables, language, "orchestration")
    shapes, types = tables.get("orchestration", {}), tables.get("by_type", {})
    pairs = ((shapes.get(f"acc_{name}"), types.get(f"{name}_tools")) for name in ("parallel", "sequential", "mixed"))
    differs = any(shape and label and shape.total != label.total for shape, label in pairs)
    return found._replace(note=translated(BY_SHAPE, language)) if differs else found


def _parameter_rows(tables: Tables, language: str) -> Headed:
    """The ten most frequent types of wrong parameters; their rows are named by signatures in JSON."""
    for row in list(tables.get("parameter_errors", {}))[:10]:
        try:
            signature = json.loads(row)
        except ValueError:
            yield "parameter_errors", row, row
        else:
            yield "parameter_errors", row, _type_in_words(signature, language)


def _type_in_words(signature: Any, language: str) -> str:
    """`["array", ["string"]]` is an array of string; an object has the types of its fields."""
    if not signature:
        return translated(_("not a parameter of the tool"), language)
    name = str(signature[0])
    if name == "array" and len(signature) > 1 and signature[1]:
        return translated(_("array of {type}", type=_type_in_words(signature[1], language)), language)
    if name == "object" and len(signature) > 1 and signature[1]:
        return f"object ({', '.join(_type_in_words(field or ['any'], language) for field in signature[1])})"
    return name


def _mistakes(metrics: Metrics, scoring: str, language: str) -> Iterator[TableSection]:
    """The causes that occur; beside another scoring than ours also the classes of the benchmark's paper."""
    tables = metrics.scorings[scoring]
    yield section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {}))))
    if scoring != EXACT:
        table = "mistakes_mmtb" if metrics.benchmark == "mmtb" else "mistakes_paper"
        yield section(tables, language, "mistakes_counted", (table, tuple(tables.get(table, {}))))
