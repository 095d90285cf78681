"""summary.xlsx: the original's summary in one sheet, and a sheet per category with what was asked, said and found.

The flags stand beside the entries they belong to, and characters that the format cannot hold are replaced; the
original's sheets fail at both (Q18 of docs/acebench.md#scorings). All texts are written as texts, so none is a formula.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolgauge.analysis.spreadsheets import MADE, OPTIONS, UNREADABLE, clipped
from toolgauge.chat import Json
from toolgauge.files import write_whole

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

COLUMNS = {"id": "id", "prompt": "question", "expected answer": "expected", "model answer": "answer"}
"""Headings of a category's sheet -> columns of details.csv; behind them a flag and a reason for each scoring."""
WIDTHS = {"id": 32, "prompt": 60, "expected answer": 40, "model answer": 40}
"""Of columns, in characters."""


def write_workbook(
    path: Path, summary: Mapping[str, object], by_category: Mapping[str, Sequence[Json]], scorings: Sequence[str]
) -> None:
    """Write summary.xlsx: `summary` is one row, `by_category` rows of details.csv. Raises StoreError."""
    import xlsxwriter

    content = io.BytesIO()
    with xlsxwriter.Workbook(content, OPTIONS) as book:
        book.set_properties({"created": MADE})
        heading = book.add_format({"bold": True})
        _write_sheet(book.add_worksheet("summary"), list(summary), [list(summary.values())], heading)
        for category, rows in by_category.items():
            if rows:
                names, lines = _category_sheet(rows, scorings)
                _write_sheet(book.add_worksheet(sheet_name(category)), names, lines, heading)
    write_whole(path, content.getvalue())


def sheet_name(category: str) -> str:
    """The category without its group where that is `normal`: names of sheets have at most 31 characters."""
    return category.removeprefix("normal_")


def _category_sheet(rows: Sequence[Json], scorings: Sequence[str]) -> tuple[list[str], list[list[object]]]:
    """Headings and lines. The scoring with the published rules comes first."""
    ordered = sorted(scorings, key=lambda scoring: scoring != "released")
    names = [*COLUMNS, *(heading for scoring in ordered for heading in (scoring, f"{scoring}: reason"))]
    lines = []
    for row in rows:
        flags = [value for scoring in ordered for value in _flag(row, scoring)]
        lines.append([*(row[column] for column in COLUMNS.values()), *flags])
    return names, lines


def _flag(row: Json, scoring: str) -> tuple[str | None, str | None]:
    """Right or wrong, and why; nothing where there is no verdict."""
    correct = row.get(f"{scoring}_correct")
    if correct is None:
        return None, None
    reasons = [row[f"{scoring}_{column}"] for column in ("error_type", "detail")]
    return "right" if correct else "wrong", ": ".join(reason for reason in reasons if reason) or None


def _write_sheet(sheet: Worksheet, names: Sequence[str], lines: Sequence[Sequence[object]], heading: Format) -> None:
    sheet.freeze_panes(1, 1)
    for column, name in enumerate(names):
        sheet.write_string(0, column, name, heading)
        sheet.set_column(column, column, WIDTHS.get(name, max(10, len(name) + 2)))
    for number, line in enumerate(lines, 1):
        for column, value in enumerate(line):
            if isinstance(value, float | int):
                sheet.write_number(number, column, value)
            elif value:
                sheet.write_string(number, column, clipped(UNREADABLE.sub("\ufffd", str(value))))
