"""From a row of metrics.json to the list of its tasks."""

from __future__ import annotations

from toolgauge.benchmarks.acebench.data import CATEGORIES
from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.report.page import RunEntry
from toolgauge.report.pages.tasks import tasks_link

_TYPES = {*KINDS, *(kind.value for kind in TaskType)}
_REFERENCES = {reference.value for reference in Reference}
_MISTAKES = ("mistakes", "error_types")
_PAPERS = ("mistakes_paper", "mistakes_mmtb")


def row_link(entry: RunEntry, reading: str, table: str, row: str) -> str | None:
    """The list of the tasks that a row counts (of a mistake: that made it); None where no filter chooses them."""
    chosen = filters_of(table, row)
    return None if chosen is None else tasks_link(entry, reading=reading, **chosen)


def filters_of(table: str, row: str) -> dict[str, str] | None:
    """The filters of the list that choose the tasks of a row."""
    if table in ("layers", "layers_action"):
        kind, _, position = row.partition("@")
        chosen = {"type": kind, "position": position}
        return {name: value for name, value in chosen.items() if value != "all"}
    if table in _MISTAKES:
        return {"result": "failed", "mistake": row}
    if table in _PAPERS:
        return {"result": "failed", "mistake": f"paper:{row}"}
    if table == "by_order":
        return {"position": row}
    if (table == "by_type" and row in _TYPES) or (table == "categories" and row in CATEGORIES):
        return {"type": row}
    if table in ("references", "subtypes") and row in _REFERENCES:
        return {"position": "1"} if row == Reference.FIRST_TURN else {"reference": row}
    return None
