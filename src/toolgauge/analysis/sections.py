"""Which rows of metrics.json are shown, under which headings: one choice per kind of benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from toolgauge.analysis.headings import (
    action_rows,
    crossed_rows,
    near_miss_rows,
    numbered_rows,
    paired_rows,
    pass_rows,
    source_rows,
)
from toolgauge.analysis.titles import note, title
from toolgauge.chat import Json

EXACT = "exact"
KINDS_AND_SHAPES = ("single", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat")
CONTEXTS = ("turn_type", "subtypes")
NUMBERED = {
    "by_calls": "calls",
    "by_tools_offered": "tools",
    "by_messages": "messages",
    "by_context_tokens": "tokens",
}
"""Tables whose rows are numbers, and the word behind them."""


class TableSection(NamedTuple):
    """One table of rates: its heading and (table, row, heading of the row) for each line.

    key: its name in either language; note: a sentence about what is counted, or nothing.
    """

    heading: str
    rows: tuple[tuple[str, str, str], ...]
    key: str = ""
    note: str = ""


def sections(metrics: Json, reading: str, language: str) -> list[TableSection]:
    """The tables to show of a reading in the terminal, in their order, without empty ones."""
    choose = SECTIONS[metrics.get("tables", "graph")]
    return [section for section in choose(metrics, reading, language) if section.rows]


def every_section(metrics: Json, reading: str, language: str) -> list[TableSection]:
    """All tables of rates worth a place on a run's page, in their order, without empty ones; those of `sections` too.

    Not among them: `layers` and the figures, which are drawn, and what is no rate (`listings`).
    """
    choose = EVERY_SECTION[metrics.get("tables", "graph")]
    return [section for section in choose(metrics, reading, language) if section.rows]


def _section(tables: Json, language: str, heading: str, *tables_and_rows: tuple[str, Sequence[str]]) -> TableSection:
    """A table of those of the rows that are there."""
    rows = [(table, row, title(row, language)) for table, names in tables_and_rows for row in names]
    return named(heading, [row for row in rows if row[1] in tables.get(row[0], {})], language)


def named(key: str, rows: Iterable[tuple[str, str, str]], language: str) -> TableSection:
    """A section with the heading and the note that its key has in the language."""
    return TableSection(title(key, language), tuple(rows), key, note(key, language))


def _graph_sections(metrics: Json, reading: str, language: str) -> list[TableSection]:
    tables = metrics["readings"][reading]
    contexts = _whole(tables, language, "turn_type")
    return [
        _accuracy(tables, language),
        named("passes", pass_rows(tables, language, brief=True), language),
        _mistakes(metrics, reading, language),
        _whole(tables, language, "orchestration"),
        _whole(tables, language, "references"),
        named("transitions", numbered_rows(tables, "transitions", "changes", language), language),
        *([contexts] if metrics["benchmark"] == "mmtb" else []),
        named("parameter_errors", _parameter_rows(tables, language), language),
    ]


def _every_graph_section(metrics: Json, reading: str, language: str) -> list[TableSection]:
    """What the papers have comes first, then whole sessions, then what the tasks are like."""
    tables = metrics["readings"][reading]
    finer = _frequent(tables.get("mistakes", {})) if reading != EXACT else []
    contexts = [(table, tuple(tables.get(table, {}))) for table in CONTEXTS]
    blocked = _frequent(tables.get("near_miss_mistakes", {}))
    return [
        _accuracy(tables, language),
        named("passes", pass_rows(tables, language), language),
        _mistakes(metrics, reading, language),
        _section(tables, language, "mistakes_finer", ("mistakes", finer)),
        named("parameter_errors", _parameter_rows(tables, language), language),
        _whole(tables, language, "orchestration"),
        named("action", action_rows(tables, language), language),
        _whole(tables, language, "references"),
        named("reference_by_position", crossed_rows(tables, "reference_by_position", language), language),
        *([_section(tables, language, "turn_type", *contexts)] if metrics["benchmark"] == "mmtb" else []),
        *(
            named(table, numbered_rows(tables, table, "changes", language), language)
            for table in ("transitions", "transitions_two_groups")
        ),
        named("transition_pairs", paired_rows(tables, "transition_pairs", language), language),
        named("sessions_by_correct", numbered_rows(tables, "sessions_by_correct", "right_tasks", language), language),
        named("near_misses", near_miss_rows(tables, language), language),
        _section(tables, language, "near_miss_mistakes", ("near_miss_mistakes", blocked)),
        *(named(table, numbered_rows(tables, table, word, language), language) for table, word in NUMBERED.items()),
        _whole(tables, language, "by_parameter_types"),
        named("by_argument_source", source_rows(tables, language), language),
    ]


def _accuracy(tables: Json, language: str) -> TableSection:
    orders = [("by_order", row, title("position", language).format(row)) for row in tables.get("by_order", {})]
    overall = tuple(tables.get("overall", {}))
    accuracy = _section(tables, language, "accuracy", ("overall", overall), ("by_type", KINDS_AND_SHAPES))
    return accuracy._replace(rows=(*accuracy.rows, *orders))


def _whole(tables: Json, language: str, table: str) -> TableSection:
    return _section(tables, language, table, (table, tuple(tables.get(table, {}))))


def _parameter_rows(tables: Json, language: str) -> Iterator[tuple[str, str, str]]:
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
        return title("undefined_parameter", language)
    name = str(signature[0])
    if name == "array" and len(signature) > 1 and signature[1]:
        return title("array_of", language).format(_type_in_words(signature[1], language))
    if name == "object" and len(signature) > 1 and signature[1]:
        return f"object ({', '.join(_type_in_words(field or ['any'], language) for field in signature[1])})"
    return name


def _mistakes(metrics: Json, reading: str, language: str) -> TableSection:
    """The columns of the benchmark's paper; our finer classes, those that occur, when the headline is our reading."""
    tables = metrics["readings"][reading]
    if reading != EXACT:
        table = "mistakes_mmtb" if metrics["benchmark"] == "mmtb" else "mistakes_paper"
        return _section(tables, language, "mistakes", (table, tuple(tables.get(table, {}))))
    return _section(tables, language, "mistakes", ("mistakes", _frequent(tables.get("mistakes", {}))))


def _frequent(rows: Json) -> list[str]:
    """The rows that occur, most frequent first."""
    return sorted((row for row in rows if rows[row]["correct"]), key=lambda row: -rows[row]["correct"])


def _ace_sections(metrics: Json, reading: str, language: str, brief: bool = True) -> list[TableSection]:
    tables = metrics["readings"][reading]
    summaries = (("overall", ("overall",)), ("groups", tuple(tables.get("groups", {}))))
    categories = tables.get("categories", {})
    return [
        _section(tables, language, "groups", *summaries),
        named("passes", pass_rows(tables, language, brief=brief), language),
        _section(tables, language, "normal_categories", ("categories", _of_group("normal", categories))),
        _section(tables, language, "special_categories", ("categories", _of_group("special", categories))),
        _section(tables, language, "agent_categories", ("categories", _of_group("agent", categories))),
        _section(tables, language, "error_types", ("error_types", _frequent(tables.get("error_types", {})))),
    ]


def _of_group(group: str, rows: Json) -> list[str]:
    """The rows of a group's categories that were to be done."""
    return [name for name, row in rows.items() if name.startswith(f"{group}_") and (row["requested"] or row["total"])]


def _every_ace_section(metrics: Json, reading: str, language: str) -> list[TableSection]:
    return _ace_sections(metrics, reading, language, brief=False)


Choice = Callable[[Json, str, str], list[TableSection]]

SECTIONS: dict[str, Choice] = {"graph": _graph_sections, "acebench": _ace_sections}
"""By the kind of tables that metrics.json names; without a name they are a graph benchmark's."""
EVERY_SECTION: dict[str, Choice] = {"graph": _every_graph_section, "acebench": _every_ace_section}
