"""details.csv of ACEBench, a row per entry, and beside it what the original offers: summary.csv and summary.xlsx.

Keys such as Q19: docs/acebench.md#scorings.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolgauge.analysis.cells import MADE, OPTIONS, UNREADABLE, clipped, write_rows
from toolgauge.analysis.sheet import Sheet
from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, AceDataset, AceEntry
from toolgauge.benchmarks.acebench.judge.pairing import wrong_in_entry
from toolgauge.benchmarks.acebench.numbers.tables import SUMMARY_COLUMNS, ace_table, published
from toolgauge.chat import Json, Reply
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.files import write_whole
from toolgauge.judge.verdict import RELEASED, Score, Verdict, scoring_names
from toolgauge.judge.wrong_arguments import as_rows

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

SUMMARY_CSV, SUMMARY_XLSX = "summary.csv", "summary.xlsx"
ENTRY_COLUMNS = ("id", "epoch", "category", "session", "turn", "question", "expected", "answer")
SCORING_COLUMNS = ("correct", "error_type", "detail", "path", "process")
"""Per scoring, as `<scoring>_<column>`."""
RUN_COLUMNS = ("style", "ended_by", "steps", "input_tokens", "output_tokens", "latency", "planted", "wrong_arguments")
INCOMPLETE = "incomplete"
"""Stands for a summary that lacks a category, where the original counts 0 (Q33)."""

Row = dict[str, object]


def write_ace_details(
    path: Path, dataset: AceDataset, scores: Sequence[Score], trajectories: Iterable[Trajectory], model: str = ""
) -> None:
    """Write details.csv, summary.csv and summary.xlsx into the folder of `path`, each whole or not at all.

    model: its name in the summary; without one, the folder's. Entries stand epoch by epoch in the order of the data.
    CSV files are UTF-8 with a byte order mark, what spreadsheets need to read Chinese. The same scores and trajectories
    give the same bytes. Raises StoreError if a file cannot be written, ToolgaugeError for an entry that the data set
    does not have.
    """

    path = Path(path)
    scorings = scoring_names(scores)
    columns = (*ENTRY_COLUMNS, *(f"{name}_{one}" for name in scorings for one in SCORING_COLUMNS), *RUN_COLUMNS)
    rows = _rows(dataset, scores, trajectories)
    write_rows(path, columns, rows)
    summary = summary_row(dataset, scores, model or path.parent.resolve().name)
    write_rows(path.with_name(SUMMARY_CSV), tuple(summary), [summary])
    by_category = {name: [row for row in rows if row["category"] == name] for name in CATEGORIES}
    write_workbook(path.with_name(SUMMARY_XLSX), summary, by_category, scorings)


def summary_row(dataset: AceDataset, scores: Sequence[Score], model: str) -> Row:
    """The row of the original's summary sheet: numbers as it prints them, short and deep objects as they
    are (Q19), `incomplete` where a summary lacks a category (Q33), an empty cell for a category without scores."""
    values = published(Sheet(ace_table(dataset, scores, None), RELEASED))
    row: Row = {"model": model}
    for column, name in SUMMARY_COLUMNS.items():
        value = values[name]
        lacking = None if name.startswith(("normal_", "special_", "agent_")) else INCOMPLETE
        row[column] = lacking if value is None else value
    return row


def _rows(dataset: AceDataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]) -> list[Row]:
    """What was scored or answered; trajectories stream by, and only what a row shows of them is kept. The sheets show a
    part of a row."""
    said = {
        trajectory.task_id: _said(entry, trajectory)
        for trajectory in trajectories
        if (entry := dataset.by_id.get(without_epoch(trajectory.task_id, trajectory.epoch))) is not None
    }
    table = ace_table(dataset, scores, said)
    places = {entry.id: place for place, entry in enumerate(dataset.entries)}
    rows: list[Row] = []
    for place in sorted(range(len(table)), key=lambda row: (table.epoch[row], places[table.subjects[row].id])):
        entry, score = table.subjects[place], table.scores[place]
        row: Row = {
            "id": entry.id,
            "epoch": int(table.epoch[place]),
            "category": entry.category,
            "session": entry.session,
            "turn": entry.turn,
            "question": clipped(entry.question),
            "expected": clipped(_expected(entry)),
            "answer": None,
        }
        for name, verdict in (score.scorings if score else {}).items():
            row |= _verdict(name, verdict)
        rows.append(row | said.get(table.ids[place], {}))
    return rows


def _said(entry: AceEntry, trajectory: Trajectory) -> Row:
    """What the details show of one conversation: steps, tokens and latency (seconds) are the measured model's."""
    replies = [step.reply for step in trajectory.steps if step.role == ASSISTANT]
    told = {name: trajectory.extra.get(name) for name in ("style", "ended_by")}
    return {
        "answer": clipped(_answer(entry, trajectory, replies)),
        **{name: value if isinstance(value, str) else None for name, value in told.items()},
        "steps": len(replies),
        "input_tokens": sum(reply.usage.input_tokens for reply in replies),
        "output_tokens": sum(reply.usage.output_tokens for reply in replies),
        "latency": round(sum(reply.seconds for reply in replies), 3),
        "planted": next((reply.planted for reply in replies if reply.planted), None),
        "wrong_arguments": as_rows(wrong_in_entry(entry, trajectory)) or None,
    }


def _expected(entry: AceEntry) -> str:
    """The accepted answer, a list of them where there are several; of agents the state and the milestones."""
    agent = entry.kind.group == "agent"
    alternatives: tuple[object, ...] = entry.milestones if agent else entry.answers
    accepted = alternatives[0] if len(alternatives) == 1 else alternatives
    return as_json({"state": entry.final_state, "milestones": accepted} if agent else accepted)


def _verdict(scoring: str, verdict: Verdict) -> Row:
    paths = verdict.wrong_arguments if isinstance(verdict.wrong_arguments, tuple) else ()
    values = {
        "correct": verdict.correct,
        "error_type": None if verdict.correct else verdict.mistake,
        "detail": None if verdict.correct else verdict.detail,
        "path": None if verdict.correct else ", ".join(path for _, path in paths),
        "process": verdict.process if isinstance(verdict.process, float | int) else None,
    }
    return {f"{scoring}_{column}": value for column, value in values.items()}


def _answer(entry: AceEntry, trajectory: Trajectory, replies: list[Reply]) -> str:
    """The reply's text, its native calls as JSON, or (agents) the executed messages and the state at the end."""
    if entry.kind.group == "agent":
        return as_json({key: trajectory.extra.get(key) for key in ("process", "result")})
    if not replies:
        return ""
    calls = [call.wire()["function"] for call in replies[-1].tool_calls]
    return as_json(calls) if calls else replies[-1].content or ""


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
    """Headings and lines: per scoring right or wrong, and why. The scoring with the published rules comes first."""
    ordered = sorted(scorings, key=lambda scoring: scoring != RELEASED)
    names = [*COLUMNS, *(heading for scoring in ordered for heading in (scoring, f"{scoring}: reason"))]
    lines: list[list[object]] = []
    for row in rows:
        line = [row[column] for column in COLUMNS.values()]
        for scoring in ordered:
            correct = row.get(f"{scoring}_correct")
            why = [row.get(f"{scoring}_{column}") for column in ("error_type", "detail")]
            flag = None if correct is None else "right" if correct else "wrong"
            line += [flag, ": ".join(one for one in why if one) or None]
        lines.append(line)
    return names, lines


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
