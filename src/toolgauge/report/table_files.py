"""The numbers of the site's tables as CSV and JSON, for other programs: the files that stand below the tables as links.

tables/<board>        the numbers of a leaderboard: of its runs, and of published models
tables/<run>          the numbers of a run: every rate of every scoring, and what the run took
tables/<run>-tasks    a row per task: the list of tasks
tables/<a>--<b>       the comparison of two runs

A CSV file has one number per row, under the names that metrics.json has. The JSON file of a run is metrics.json, that
of a comparison what `toolgauge compare --json` writes of the tables that the page shows, with the runs' names on the
site instead of their folders. No text of a model or of data is a formula there (analysis/cells.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import asdict, astuple, replace

from toolgauge.analysis.cells import cell
from toolgauge.analysis.compare.content import Comparison, Comparisons
from toolgauge.analysis.numbers import Metrics, encode_metrics
from toolgauge.report.leaderboard import View, views
from toolgauge.report.page import Site
from toolgauge.report.site_folder import SiteFolder
from toolgauge.report.task_views.index import TaskIndex
from toolgauge.runs.lines import encode

FOLDER = "tables"
TASK_COLUMNS = {
    "task": "id",
    "session": "session",
    "epoch": "epoch",
    "turn": "position",
    "type": "type",
    "reference": "reference",
    "steps": "steps",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "latency": "latency",
    "text": "text",
}
"""Of the list of tasks, by their names in the index. latency: seconds; text: what the user said, cut as in the list."""


class NumberRow(Struct, frozen=True):
    """A number of a run. value: a rate from 0 to 1, or the amount; low, high: its 95% interval; correct, total: the
    counts of a rate. scoring: "" of what does not depend on one."""

    scoring: str
    table: str
    row: str
    value: float | None
    low: float | None = None
    high: float | None = None
    correct: float | None = None
    total: int | None = None
    missing: int | None = None
    not_judgeable: int | None = None


class BoardRow(Struct, frozen=True):
    """A number of a leaderboard: of a run (its name on the site), or of a published model (source: its table).

    value: a rate from 0 to 1; low, high: its 95% interval, computed here where a paper prints none; rank: places that
    are possible; not_comparable: why it has none.
    """

    board: str
    scoring: str
    model: str
    run: str
    source: str
    rank: str
    not_comparable: str
    column: str
    value: float | None
    low: float | None
    high: float | None
    correct: float | None
    total: int | None


class DifferenceRow(Struct, frozen=True):
    """A row of a comparison, as `Difference` has it; rates and differences from 0 to 1."""

    scoring: str
    table: str
    row: str
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    fixed: int | None
    broken: int | None
    cohens_h: float | None
    few: bool


def write_runs(site: Site, folder: SiteFolder) -> None:
    """Write the numbers of all runs."""
    for entry in site.entries:
        metrics = entry.run.metrics
        folder.write(f"{FOLDER}/{entry.slug}.csv", as_csv(map(asdict, run_numbers(metrics))))
        folder.write(f"{FOLDER}/{entry.slug}.json", encode_metrics(metrics))


def write_boards(site: Site, folder: SiteFolder) -> None:
    """Write the numbers of all leaderboards."""
    for name in site.boards:
        slugs = {entry.label: entry.slug for entry in site.board(name)}
        found = board_numbers(views(site.board(name), site.pairs(name)), slugs)
        write_records(folder, name, [asdict(row) for row in found])


def board_numbers(found: Iterable[View], slugs: Mapping[str, str]) -> Iterator[BoardRow]:
    """Every number of the tables of a board. slugs: of its runs, by their labels."""
    for view in found:
        for row in view.rows:
            why = "; ".join(str(remark.text) for remark in row.incomparability)
            slug = slugs[row.name] if row.measured else ""
            source, rank = row.table.link if row.table else "", str(row.rank or "")
            for column, one in zip(view.board.columns, row.cells, strict=True):
                low, high = one.interval or (None, None)
                numbers = (one.value, low, high, one.correct, one.total)
                about = (view.board.name, view.scoring, row.name, slug, source, rank, why)
                yield BoardRow(*about, column.key, *numbers)


def write_comparison(folder: SiteFolder, one: str, other: str, content: Comparison) -> None:
    """Write the comparison of two runs, named by their slugs."""
    folder.write(f"{FOLDER}/{one}--{other}.csv", as_csv(map(asdict, differences(content))))
    named = replace(content, a=replace(content.a, run=one), b=replace(content.b, run=other))
    folder.write(f"{FOLDER}/{one}--{other}.json", encode(Comparisons([named])) + b"\n")


def write_records(folder: SiteFolder, name: str, records: Sequence[Mapping[str, object]]) -> None:
    """Write rows with the same fields as CSV, and as JSON with an object for each."""
    folder.write(f"{FOLDER}/{name}.csv", as_csv(records))
    folder.write(f"{FOLDER}/{name}.json", encode(records) + b"\n")


def as_csv(records: Iterable[Mapping[str, object]]) -> bytes:
    """Rows under the names of their fields; empty without rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, record in enumerate(records):
        if not number:
            writer.writerow(record)
        writer.writerow([cell(value) for value in record.values()])
    return text.getvalue().encode("utf-8", "replace")  # a lone surrogate of a model is no UTF-8


def run_numbers(metrics: Metrics) -> Iterator[NumberRow]:
    """Every number that a run's page shows in a table."""
    for scoring, tables in metrics.scorings.items():
        for table, rows in tables.items():
            for row, rate in rows.items():
                low, high = rate.ci95 or (None, None)
                not_judgeable = None if rate.not_judgeable is UNSET else rate.not_judgeable
                counts = (rate.correct, rate.total, rate.missing, not_judgeable)
                yield NumberRow(scoring, table, row, rate.value, low, high, *counts)
    for name, amount in metrics.effort.amounts.items():
        yield NumberRow("", "effort", f"{name}.total", amount.total)
        yield NumberRow("", "effort", f"{name}.per_task", amount.per_task)
        for scoring, value in amount.per_correct_task.items():
            yield NumberRow(scoring, "effort", f"{name}.per_correct_task", value)
    for role, used in (metrics.effort.roles or {}).items():
        for name in used.__struct_fields__:
            yield NumberRow("", "effort", f"{role}.{name}.total", getattr(used, name))
    for name, latency in metrics.effort.latency.by_name().items():
        for part, seconds in zip(latency.__struct_fields__, astuple(latency), strict=True):
            yield NumberRow("", "latency", f"{name}.{part}", seconds)


def differences(content: Comparison) -> Iterator[DifferenceRow]:
    for scoring, found in content.scorings.items():
        for table, rows in found.tables.items():
            for row, one in rows.items():
                low, high = one.ci95 or (None, None)
                changed = (one.fixed, one.broken, one.cohens_h, one.few)
                yield DifferenceRow(
                    scoring, table, row, one.a, one.b, one.difference, low, high, one.p, one.p_holm, *changed
                )


def task_records(index: TaskIndex) -> Iterator[dict[str, object]]:
    """The list of tasks: what it shows of each, and what each scoring makes of it."""
    columns = {heading: index.columns[name] for heading, name in TASK_COLUMNS.items()}
    for scoring, found in index.scorings.items():
        columns |= {f"{scoring}_result": list(found.result), f"{scoring}_mistake": list(found.mistake)}
    names = tuple(columns)
    return (dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True))
