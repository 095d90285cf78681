"""From a row of metrics.json to the list of its tasks."""

from __future__ import annotations

from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.report.display import display_of
from toolgauge.report.page import RunEntry
from toolgauge.report.pages.tasks import tasks_link

_TYPES = {*KINDS, *(kind.value for kind in TaskType)}
_REFERENCES = {reference.value for reference in Reference}


def row_link(entry: RunEntry, scoring: str, table: str, row: str) -> str | None:
    """The list of the tasks that a row counts (of a mistake: that made it); None where no filter chooses them."""
    chosen = filters_of(table, row)
    if chosen is None and (own := getattr(display_of(entry.run.benchmark), "filters", None)) is not None:
        chosen = own(table, row)
    return None if chosen is None else tasks_link(entry, scoring=scoring, **chosen)


def filters_of(table: str, row: str) -> dict[str, str] | None:
    """The filters of the list that choose the tasks of a row, in tables that several benchmarks have."""
    if table in ("layers", "layers_action"):
        kind, _, position = row.partition("@")
        chosen = {"type": kind, "position": position}
        return {name: value for name, value in chosen.items() if value != "all"}
    if table == "mistakes":
        return {"result": "failed", "mistake": row}
    if table.startswith("mistakes_") or table == "error_types":  # a paper's classes
        return {"result": "failed", "mistake": f"paper:{row}"}
    if table == "by_order":
        return {"position": row}
    if table == "by_type" and row in _TYPES:
        return {"type": row}
    if table in ("references", "subtypes") and row in _REFERENCES:
        return {"position": "1"} if row == Reference.FIRST_TURN else {"reference": row}
    return None
