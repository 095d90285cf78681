"""Addresses of the pages of a run's tasks, with what is chosen on them after the "#"."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.judge.mistakes import MMTB_CLASSES, PAPER_COLUMNS

_TYPES = {*KINDS, *(kind.value for kind in TaskType)}
_REFERENCES = {reference.value for reference in Reference}
_CLASSES = {"mistakes_paper": PAPER_COLUMNS, "mistakes_mmtb": MMTB_CLASSES}


def task_link(slug: str, task_id: str) -> str:
    """The page of one task, beside the other pages of the run."""
    return f"{slug}-task.html#{quote(task_id, safe='/')}"


def list_link(slug: str, **chosen: str) -> str:
    """The list of a run's tasks with filters: reading, result, type, position, reference, mistake, text."""
    return f"{slug}-tasks.html#{urlencode(chosen, quote_via=quote)}"


def row_link(slug: str, reading: str, table: str, row: str) -> str | None:
    """The list of the tasks that a row of metrics.json counts (of a mistake: that made it); None for other rows."""
    chosen = filters_of(table, row)
    return None if chosen is None else list_link(slug, reading=reading, **chosen)


def filters_of(table: str, row: str) -> dict[str, str] | None:
    """The filters that choose the tasks of a row, None where no filter does."""
    if table in ("layers", "layers_action"):
        kind, _, position = row.partition("@")
        chosen = {"type": kind, "position": position}
        return {name: value for name, value in chosen.items() if value != "all"}
    if table == "by_type" and row in _TYPES:
        return {"type": row}
    if table == "by_order":
        return {"position": row}
    if table == "references" and row in _REFERENCES:
        return {"position": "1"} if row == Reference.FIRST_TURN else {"reference": row}
    if table in ("mistakes", "error_types"):
        return {"result": "failed", "mistake": row}
    if table in _CLASSES:
        return _mistakes_of(table, row)
    return None


def _mistakes_of(table: str, row: str) -> dict[str, str]:
    """A paper's class by our classes that make it up; a class that is none of ours has its own name."""
    ours = [mistake.value for mistake, name in _CLASSES[table].items() if name == row]
    return {"result": "failed", "mistake": ",".join(ours or [row])}
