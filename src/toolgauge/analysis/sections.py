"""Which rows of metrics.json are shown, under which headings: one choice per kind of benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from toolgauge.analysis.titles import title
from toolgauge.chat import Json

EXACT = "exact"


class Section(NamedTuple):
    """One table of rates: its heading and (table, row, heading of the row) for each line."""

    heading: str
    rows: tuple[tuple[str, str, str], ...]


def sections(metrics: Json, reading: str, language: str) -> list[Section]:
    """The tables to show of a reading, in their order, without empty ones."""
    choose = SECTIONS[metrics.get("tables", "graph")]
    return [section for section in choose(metrics, reading, language) if section.rows]


def _section(tables: Json, language: str, heading: str, *tables_and_rows: tuple[str, Sequence[str]]) -> Section:
    """A table of those of the rows that are there."""
    rows = [(table, row, title(row, language)) for table, names in tables_and_rows for row in names]
    return Section(title(heading, language), tuple(row for row in rows if row[1] in tables.get(row[0], {})))


def _graph_sections(metrics: Json, reading: str, language: str) -> list[Section]:
    tables = metrics["readings"][reading]

    def section(heading: str, *tables_and_rows: tuple[str, Sequence[str]]) -> Section:
        return _section(tables, language, heading, *tables_and_rows)

    orders = [("by_order", row, title("position", language).format(row)) for row in tables.get("by_order", {})]
    fine = ("parallel_tools", "sequential_tools", "mixed_tools")
    kinds = ("single", "multi", *fine, "clarify", "chat")
    accuracy = section("accuracy", ("overall", tuple(tables.get("overall", {}))), ("by_type", kinds))
    changes = [("transitions", row, _changes(row, language)) for row in tables.get("transitions", {})]
    contexts = section("turn_type", ("turn_type", tuple(tables.get("turn_type", {}))))
    return [
        accuracy._replace(rows=(*accuracy.rows, *orders)),
        section("mistakes", *_mistakes(metrics, reading)),
        section("orchestration", ("orchestration", tuple(tables.get("orchestration", {})))),
        section("references", ("references", tuple(tables.get("references", {})))),
        Section(title("transitions", language), tuple(changes)),
        *([contexts] if metrics["benchmark"] == "mmtb" else []),
        Section(title("parameter_errors", language), tuple(_parameter_rows(tables, language))),
    ]


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


def _mistakes(metrics: Json, reading: str) -> list[tuple[str, Sequence[str]]]:
    """The columns of the benchmark's paper; our finer classes, those that occur, when the headline is our reading."""
    tables = metrics["readings"][reading]
    if reading != EXACT:
        table = "mistakes_mmtb" if metrics["benchmark"] == "mmtb" else "mistakes_paper"
        return [(table, tuple(tables.get(table, {})))]
    return [("mistakes", _frequent(tables.get("mistakes", {})))]


def _frequent(rows: Json) -> list[str]:
    """The rows that occur, most frequent first."""
    return sorted((row for row in rows if rows[row]["correct"]), key=lambda row: -rows[row]["correct"])


def _changes(row: str, language: str) -> str:
    return title(f"changes_{row}" if row in ("0", "1") else "changes", language).format(row)


def _ace_sections(metrics: Json, reading: str, language: str) -> list[Section]:
    tables = metrics["readings"][reading]
    summaries = (("overall", ("overall",)), ("groups", tuple(tables.get("groups", {}))))
    categories = tables.get("categories", {})
    return [
        _section(tables, language, "groups", *summaries),
        _section(tables, language, "normal_categories", ("categories", _of_group("normal", categories))),
        _section(tables, language, "special_categories", ("categories", _of_group("special", categories))),
        _section(tables, language, "agent_categories", ("categories", _of_group("agent", categories))),
        _section(tables, language, "error_types", ("error_types", _frequent(tables.get("error_types", {})))),
    ]


def _of_group(group: str, rows: Json) -> list[str]:
    """The rows of a group's categories that were to be done."""
    return [name for name, row in rows.items() if name.startswith(f"{group}_") and (row["requested"] or row["total"])]


SECTIONS: dict[str, Callable[[Json, str, str], list[Section]]] = {"graph": _graph_sections, "acebench": _ace_sections}
"""By the kind of tables that metrics.json names; without a name they are a graph benchmark's."""
