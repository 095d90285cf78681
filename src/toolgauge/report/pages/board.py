"""The leaderboard page of a benchmark in one language of its data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from toolgauge.analysis.titles import part_title
from toolgauge.locale import Text, _, pgettext, plain, translated
from toolgauge.report.display import Column, SubBoard
from toolgauge.report.leaderboard import Cell, View, paper_of, views
from toolgauge.report.page import Page, PageValues, RunEntry, Site, board_heading
from toolgauge.report.papers import published

BOARDS = {
    "overall": _("Overall"),
    "references": _("Hidden information"),
    "orchestration": _("Multi-tool tasks"),
    "causes": pgettext("board", "Causes"),
    "mistakes": _("As the paper counts mistakes"),
    "mistakes_main_text": _("As the paper counts them (Table 4)"),
    "by_order": _("By turn"),
    "categories": pgettext("board", "Categories"),
}
"""What tables of a board are called."""
ABOUT = {
    "overall": _("Share of tasks, and of whole sessions, that were done entirely right."),
    "references": _("Accuracy of later tasks, by what the user leaves out and the dialogue before has to tell."),
    "orchestration": _(
        "Tasks that take several calls: were they right, were they done in the fewest steps (optimal path), and "
        "how far did the model get (progress)?"
    ),
    "causes": _(
        "Of the tasks that failed, the share that failed by each kind of mistake, as “exact” tells it in every "
        "reading. More is not better or worse: it says where the losses are."
    ),
    "mistakes": _(
        "Of the tasks that failed, the share in each class of the paper, by its own procedure: to stand beside its "
        "models. Why tasks failed stands under “Causes”."
    ),
    "mistakes_main_text": _(
        "The same shares as Table 4 of the paper prints them for 16 models; it differs slightly from Table 8."
    ),
    "by_order": _("Accuracy by the task's place in its session. The published chart has no numbers."),
    "categories": _("Accuracy by category. The published table has groups only."),
}
"""What their numbers are, where the benchmark does not say it."""
READINGS = {
    "exact": _(
        "“exact” judges what the benchmark means: every legal order and grouping of calls counts, and defects "
        "of the public code are repaired."
    ),
    "released": _("“released” judges like the public evaluator, label for label."),
    "tables": _("“tables” is the older analysis that the paper's tables were made with."),
}
"""How the readings of our benchmarks judge."""
FAMILIES = {
    "proprietary_general": _("proprietary"),
    "open_general": _("open"),
    "open_specialized": _("open, specialized"),
    "closed_general": _("closed"),
    "closed_source": _("closed source"),
    "open_source": _("open source"),
}
"""Kinds of published models."""
GROUPS = {
    "by_kind": _("By task type"),
    "by_order": _("By turn"),
    "acc": _("Accuracy"),
    "op": _("Optimal path"),
    "ap": _("Progress, as published"),
    "ap_ours": _("Progress, ours"),
    "group_normal": pgettext("column group", "Normal"),
    "group_special": pgettext("column group", "Special"),
    "group_agent": pgettext("column group", "Agent"),
    "several": pgettext("column group", "Multi-tool tasks"),
}
"""What stands over columns."""
COLUMNS = {
    "session_accuracy": _("Whole sessions"),
    "task_accuracy": _("All tasks"),
    "task_1": _("1st"),
    "task_2": _("2nd"),
    "task_3": _("3rd"),
    "task_4": _("4th"),
    "shape_overall": pgettext("shape", "overall"),
    "shape_parallel": _("parallel"),
    "shape_sequential": _("sequential"),
    "shape_mixed": _("mixed"),
}
"""Columns that are not called as their rows are in tables."""
_DRAWING = 100  # width of a drawing in its own units


def pages(site: Site, language: str) -> Iterator[Page]:
    for name in site.boards:
        yield Page(f"{name}.html", "board.html", board_heading(name, language), _values(site, name, language))


def _values(site: Site, name: str, language: str) -> PageValues:
    entries = site.board(name)
    benchmark, found = entries[0].benchmark, views(entries)
    models = list(published().models.get(benchmark, {}).values())
    # In how many tasks the labels of another reading differ from the headline's, over all runs
    headline = found[0].reading
    totals: dict[str, int] = {}
    for entry in entries:
        for reading, count in entry.run.metrics.differences.get(headline, {}).items():
            totals[reading] = totals.get(reading, 0) + count
    # The smallest and the largest size that a published name states
    known = [model.size for model in models if model.size is not None]
    return {
        "benchmark": benchmark,
        "paper": paper_of(benchmark),
        "headline": found[0].reading,
        "readings": list(dict.fromkeys(view.reading for view in found)),
        "sub_boards": {view.board.name: _called(view.board) for view in found},
        "views": [_shown(view, number, language) for number, view in enumerate(found, 1)],
        "family_names": FAMILIES,
        "families": list(dict.fromkeys(model.family for model in models)),
        "sizes": (min(known), max(known)) if known else None,
        "runs": len(entries),
        "models": sum(not row.measured for row in found[0].rows),
        "differences": totals,
        "pairs": pairs(site, entries),
        "draw": draw,
    }


def pairs(site: Site, entries: Sequence[RunEntry]) -> list[tuple[RunEntry, list[tuple[RunEntry, str]]]]:
    """For each run the runs after it that it is compared with, and the address of the comparison."""
    found = []
    for place, entry in enumerate(entries):
        others = [
            (other, f"compare/{entry.slug}--{other.slug}.html")
            for other in entries[place + 1 :]
            if (entry.slug, other.slug) in site.comparisons
        ]
        if others:
            found.append((entry, others))
    return found


def draw(cell: Cell, axis: float) -> dict[str, float | None]:
    """Where a number and its interval stand on a line of 100 units that ends at the rate `axis`."""

    def at(rate: float) -> float:
        return round(_DRAWING * min(rate, axis) / axis, 1)

    low, high = cell.interval or (None, None)
    return {
        "value": at(cell.value or 0.0),
        "low": None if low is None else at(low),
        "high": None if high is None else at(high),
    }


def _shown(view: View, number: int, language: str) -> PageValues:
    """A view with its headings in words."""
    return {
        "id": f"v{number}",
        "view": view,
        "called": _called(view.board),
        "about": view.board.about or ABOUT.get(view.board.name, plain("")),
        "judged": READINGS.get(view.reading, plain("")),
        "groups": _groups(view.board.columns),
        "columns": [
            {"column": column, "heading": _heading(column, language), "axis": axis, "notes": notes}
            for column, axis, notes in zip(view.board.columns, view.axes, view.column_notes, strict=True)
        ],
        "notes": [note.text(language) for note in view.notes],
        "tables": [(table.place.get(language, table.place["en"]), table) for table in view.tables],
    }


def _called(board: SubBoard) -> Text:
    return BOARDS.get(board.name) or plain(board.name.replace("_", " "))


def _heading(column: Column, language: str) -> str:
    own = COLUMNS.get(column.heading or column.key)
    table = column.measured[0][0] if column.measured else ""
    return translated(own, language) if own else part_title(column.key, language, table)


def _groups(columns: Iterable[Column]) -> list[tuple[Text, int]]:
    """What stands over neighbouring columns, and over how many; nothing where no column has a group."""
    groups = [(group, len(list(members))) for group, members in groupby(columns, key=lambda column: column.group)]
    if not any(group for group, _ in groups):
        return []
    return [(GROUPS.get(group) or plain(""), number) for group, number in groups]
