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

from msgspec import UNSET
from msgspec.structs import asdict, replace

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


Record = Mapping[str, object]
"""A row by the names of its columns."""


def write_runs(site: Site, folder: SiteFolder) -> None:
    """Write the numbers of all runs."""
    for entry in site.entries:
        metrics = entry.run.metrics
        folder.write(f"{FOLDER}/{entry.slug}.csv", as_csv(run_numbers(metrics)))
        folder.write(f"{FOLDER}/{entry.slug}.json", encode_metrics(metrics))


def write_boards(site: Site, folder: SiteFolder) -> None:
    """Write the numbers of all leaderboards."""
    for name in site.boards:
        write_records(folder, name, list(board_numbers(views(site.board(name), site.pairs(name)))))


def write_comparison(folder: SiteFolder, one: str, other: str, content: Comparison) -> None:
    """Write the comparison of two runs, named by their slugs."""
    folder.write(f"{FOLDER}/{one}--{other}.csv", as_csv(differences(content)))
    named = replace(content, a=replace(content.a, run=one), b=replace(content.b, run=other))
    folder.write(f"{FOLDER}/{one}--{other}.json", encode(Comparisons([named])) + b"\n")


def write_records(folder: SiteFolder, name: str, records: Sequence[Record]) -> None:
    """Write rows with the same columns as CSV, and as JSON with an object for each."""
    folder.write(f"{FOLDER}/{name}.csv", as_csv(records))
    folder.write(f"{FOLDER}/{name}.json", encode(records) + b"\n")


def as_csv(records: Iterable[Record]) -> bytes:
    """Rows under the names of their columns; empty without rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, record in enumerate(records):
        if not number:
            writer.writerow(record)
        writer.writerow([cell(value) for value in record.values()])
    return text.getvalue().encode("utf-8", "replace")  # a lone surrogate of a model is no UTF-8


def board_numbers(found: Iterable[View]) -> Iterator[Record]:
    """Every number of the tables of a board, of its runs (run: the name on the site) and of published models (source:
    their table). value: from 0 to 1; low, high: its 95% interval, computed here where a paper prints none; rank: places
    that are possible; not_comparable: why it has none."""
    for view in found:
        for row in view.rows:
            for column, one in zip(view.board.columns, row.cells, strict=True):
                low, high = one.interval or (None, None)
                yield {
                    "board": view.board.name,
                    "scoring": view.scoring,
                    "model": row.name,
                    "run": row.entry.slug if row.entry else "",
                    "source": row.table.link if row.table else "",
                    "rank": str(row.rank or ""),
                    "not_comparable": "; ".join(str(remark.text) for remark in row.incomparability),
                    "column": column.key,
                    "value": one.value,
                    "low": low,
                    "high": high,
                    "correct": one.correct,
                    "total": one.total,
                }


def run_numbers(metrics: Metrics) -> Iterator[Record]:
    """Every number that a run's page shows in a table. value: a rate from 0 to 1 with its 95% interval and counts, or
    an amount without them; scoring: "" of what does not depend on one."""
    nothing = dict.fromkeys(("low", "high", "correct", "total", "missing", "not_judgeable"))

    def amount(table: str, row: str, value: float | None, scoring: str = "") -> Record:
        return {"scoring": scoring, "table": table, "row": row, "value": value, **nothing}

    for scoring, tables in metrics.scorings.items():
        for table, rows in tables.items():
            for row, rate in rows.items():
                low, high = rate.ci95 or (None, None)
                yield {
                    **amount(table, row, rate.value, scoring),
                    "low": low,
                    "high": high,
                    "correct": rate.correct,
                    "total": rate.total,
                    "missing": rate.missing,
                    "not_judgeable": None if rate.not_judgeable is UNSET else rate.not_judgeable,
                }
    for name, found in metrics.effort.amounts.items():
        yield amount("effort", f"{name}.total", found.total)
        yield amount("effort", f"{name}.per_task", found.per_task)
        for scoring, value in found.per_correct_task.items():
            yield amount("effort", f"{name}.per_correct_task", value, scoring)
    for role, used in (metrics.effort.roles or {}).items():
        for name, value in asdict(used).items():
            yield amount("effort", f"{role}.{name}.total", value)
    for name, latency in metrics.effort.latency.by_name().items():
        for part, seconds in asdict(latency).items():
            yield amount("latency", f"{name}.{part}", seconds)


def differences(content: Comparison) -> Iterator[Record]:
    """Every row of a comparison, as `Difference` has it; rates and differences from 0 to 1."""
    for scoring, found in content.scorings.items():
        for table, rows in found.tables.items():
            for row, one in rows.items():
                low, high = one.ci95 or (None, None)
                yield {
                    "scoring": scoring,
                    "table": table,
                    "row": row,
                    "a": one.a,
                    "b": one.b,
                    "difference": one.difference,
                    "low": low,
                    "high": high,
                    "p": one.p,
                    "p_holm": one.p_holm,
                    "fixed": one.fixed,
                    "broken": one.broken,
                    "cohens_h": one.cohens_h,
                    "few": one.few,
                }


def task_records(index: TaskIndex) -> Iterator[Record]:
    """The list of tasks: what it shows of each, and what each scoring makes of it."""
    columns = {heading: index.columns[name] for heading, name in TASK_COLUMNS.items()}
    for scoring, found in index.scorings.items():
        columns |= {f"{scoring}_result": list(found.result), f"{scoring}_mistake": list(found.mistake)}
    return (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))
