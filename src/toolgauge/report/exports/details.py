"""details.csv for other programs: CSV of several runs, XLSX with numbers as numbers, Parquet with types.

Made anew from the trajectories; where the data set is missing, the saved one is read, a row at a time.
Cells that are JSON (lists, messages) stay JSON text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from toolgauge.analysis.cells import DEFUSED, MADE, OPTIONS, UNREADABLE, cell, checked, clipped, csv_file
from toolgauge.analysis.reports import report_of
from toolgauge.errors import MissingExtra, StoreError, UsageError
from toolgauge.files import digest, open_regular, replacing
from toolgauge.limits import MAX_LINE_BYTES
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.runs.scored import DETAILS, ScoredRun

if TYPE_CHECKING:
    import polars as pl

RUN_COLUMNS = ("model", "run")
"""In front of the others where there are several runs: the model's name, and the run's folder."""
INTEGERS = frozenset(
    {"idx", "epoch", "steps", "input_tokens", "output_tokens", "messages_length", "complete_rate", "session", "turn"}
)
FLOATS = re.compile(r"latency|\w+_process")
BOOLEANS = re.compile(r"turn_type|\w+_(?:optimal|correct)")
ORIGINAL_TEXT = "predict_is_optimal"
"""True or False in Python's spelling, as the original has it: text."""
AS_PUBLISHED = "data_with_details.csv"
"""As MMTB's analysis calls it."""
LARGEST = 2**53
"""Numbers of a sheet are floats: whole ones are exact up to here."""
MOST_ROWS = 1_048_576
"""Of a sheet."""
ROWS_AT_ONCE = 512
"""Of Parquet: what is in memory until it is written; a row holds a whole dialogue."""


def write_csv(wanted: ExportRequest, path: Path) -> None:
    """The rows of all runs under the union of their columns; texts are defused as in details.csv."""
    with csv_file(path) as file:
        csv.writer(file).writerows(rows(wanted))


def write_as_published(wanted: ExportRequest, path: Path) -> None:
    """The table of details as the benchmark's authors write it. Raises UsageError where there is none."""
    if len(wanted.entries) != 1:
        raise UsageError("--as-published takes one run: the original's table does not name the model")
    run = wanted.entries[0].run
    write = getattr(report_of(run.benchmark), "write_as_published", None)
    if write is None:
        raise UsageError(f"--as-published: {run.benchmark.name} has no such table (every run has its other sheets)")
    write(path, run.required_dataset(), run.scores, run.trajectories())


@contextmanager
def tables(wanted: ExportRequest) -> Iterator[list[Path]]:
    """The details.csv of each run, in files that are there as long as the block lasts.

    Raises UsageError where there is none, or a saved one was changed and the data to make it anew are missing.
    """
    with TemporaryDirectory(prefix="toolgauge-") as scratch:
        yield [_table(entry.run, Path(scratch) / f"{number}.csv") for number, entry in enumerate(wanted.entries)]


def _table(run: ScoredRun, scratch: Path) -> Path:
    if run.verified:
        model = run.manifest.measured.name
        report = report_of(run.benchmark)
        report.write_details(scratch, run.dataset, run.scores, run.trajectories(), model)
        return scratch
    file = run.folder / DETAILS
    if not file.exists():
        raise UsageError(f"{file}: missing; create it with `toolgauge score {run.folder}`")
    if digest(file) != (run.metrics.sources or {}).get(DETAILS):
        raise UsageError(f"{file}: changed since it was written; give the data file with --data")
    return file


def rows(wanted: ExportRequest) -> Iterator[list[str]]:
    """The heading and the rows, as texts."""
    with tables(wanted) as files:
        yield from _rows(wanted, files)


def _rows(wanted: ExportRequest, files: Sequence[Path]) -> Iterator[list[str]]:
    names = _columns(wanted, files)
    yield [checked(name) for name in names]
    for entry, file in zip(wanted.entries, files, strict=True):
        table = _read(file)
        heading = next(table, [])
        own = [cell(entry.run.model), cell(str(entry.run.folder))] if len(wanted.entries) > 1 else []
        places = {name: number for number, name in enumerate(heading)}
        picked = [places.get(name, -1) for name in names[len(own) :]]
        for row in table:
            yield own + [checked(row[place]) if 0 <= place < len(row) else "" for place in picked]


def write_xlsx(wanted: ExportRequest, path: Path) -> int:
    """One sheet; returns how many cells were too long and cut. Raises UsageError for more rows than a sheet has."""
    import xlsxwriter

    cut = 0
    streaming = {**OPTIONS, "in_memory": False, "constant_memory": True}
    with replacing(path) as file, xlsxwriter.Workbook(file, streaming) as book:
        book.set_properties({"created": MADE})
        bold, sheet = book.add_format({"bold": True}), book.add_worksheet("details")
        sheet.freeze_panes(1, 0)
        lines = rows(wanted)
        names = next(lines)
        for column, name in enumerate(names):
            sheet.write_string(0, column, name, bold)
        for number, line in enumerate(lines, 1):
            if number >= MOST_ROWS:
                raise UsageError(f"--to xlsx: a sheet has at most {MOST_ROWS:,} rows; use --to parquet")
            cut += sum(_write_cell(sheet, number, *place) for place in enumerate(zip(names, line, strict=True)))
    return cut


def _write_cell(sheet: Any, row: int, column: int, named: tuple[str, str]) -> bool:
    """Write a cell as what it is; True if it was cut."""
    name, text = named
    value = typed(name, text)
    if value is None:
        return False
    if isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif isinstance(value, int | float):
        sheet.write_number(row, column, value)
    else:
        readable = UNREADABLE.sub("\ufffd", value)
        short = clipped(readable)
        sheet.write_string(row, column, short)
        return short != readable
    return False


def typed(name: str, text: str) -> str | int | float | bool | None:
    """A cell as a value of its column's type; text where it is no such value, None for an empty cell."""
    if text == "":
        return None
    try:
        if name in INTEGERS:
            return _in_a_sheet(int(text), text)
        if FLOATS.fullmatch(name):
            return _in_a_sheet(float(text), text)
    except ValueError:
        return text
    if is_boolean(name) and text in ("true", "false"):
        return text == "true"
    return text


def _in_a_sheet(number: float, text: str) -> float | str:
    """The number, or its text where a sheet has no such number."""
    return number if abs(number) <= LARGEST else text  # nan is in no order


def is_boolean(name: str) -> bool:
    return name != ORIGINAL_TEXT and BOOLEANS.fullmatch(name) is not None


def write_parquet(wanted: ExportRequest, path: Path) -> None:
    """Typed columns; texts as they were said, for nothing reads formulas in Parquet. Empty cells are null."""
    if find_spec("polars") is None:
        raise MissingExtra("--to parquet", "polars", "parquet")
    with tables(wanted) as files:
        _write_parquet(wanted, files, path)


def _write_parquet(wanted: ExportRequest, files: Sequence[Path], path: Path) -> None:
    import polars as pl

    frames = []
    for entry, table in zip(wanted.entries, files, strict=True):
        frame = pl.scan_csv(table, infer_schema=False)
        frame = frame.select(_as_type(name) for name in frame.collect_schema().names())
        if len(wanted.entries) > 1:
            own = dict(zip(RUN_COLUMNS, (entry.run.model, str(entry.run.folder)), strict=True))
            frame = frame.select(*(pl.lit(_encodable(text)).alias(name) for name, text in own.items()), pl.all())
        frames.append(frame)
    with replacing(path) as file:
        try:
            pl.concat(frames, how="diagonal").sink_parquet(file, compression="zstd", row_group_size=ROWS_AT_ONCE)
        except pl.exceptions.PolarsError as error:
            folders = ", ".join(str(entry.run.folder) for entry in wanted.entries)
            reason = str(error).splitlines()[0][:200]
            raise StoreError(f"{folders}: cannot read {DETAILS} ({reason}); score the run again") from error


def _as_type(name: str) -> pl.Expr:
    import polars as pl

    column = pl.col(name)
    if name in INTEGERS:
        return column.cast(pl.Int64, strict=False)
    if FLOATS.fullmatch(name):
        return column.cast(pl.Float64, strict=False)
    if is_boolean(name):
        return pl.when(column == "true").then(True).when(column == "false").then(False).otherwise(None).alias(name)
    return column.str.replace(DEFUSED, "$1")


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _columns(wanted: ExportRequest, files: Sequence[Path]) -> list[str]:
    found: dict[str, None] = dict.fromkeys(RUN_COLUMNS if len(wanted.entries) > 1 else ())
    for file in files:
        found.update(dict.fromkeys(next(_read(file), [])))
    return list(found)


def _read(path: Path) -> Iterator[Sequence[str]]:
    """Rows of a CSV file; cells may be megabytes long, which the csv module has to be told."""
    csv.field_size_limit(MAX_LINE_BYTES)
    try:
        with open_regular(path, follow=False) as file:
            yield from csv.reader(io.TextIOWrapper(file, encoding="utf-8-sig", newline=""))
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise StoreError(f"Cannot read {path}: {error}. Recreate it with `toolgauge score {path.parent}`.") from error
