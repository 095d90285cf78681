"""The leaderboard page of a benchmark in one language of its data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from toolgauge.analysis.titles import part_title
from toolgauge.files import slug
from toolgauge.locale import Text, _, pgettext, plain, translated
from toolgauge.report.display import Column, SubBoard
from toolgauge.report.leaderboard import View, paper_of, views
from toolgauge.report.marks import HeatCell, HeatRow, HeatTable
from toolgauge.report.page import DATA_LANGUAGES, Page, PageValues, RunEntry, Site, board_heading
from toolgauge.report.pages.effort import board_scatter, effort_columns
from toolgauge.report.papers import published

FIRST = "overall"
"""The table that has columns of what runs took."""
BOARDS = {
    "overall": _("Overall"),
    "references": _("Hidden information"),
    "orchestration": _("Multi-tool tasks"),
    "causes": pgettext("board", "Causes"),
    "mistakes": _("As the paper counts mistakes"),
    "mistakes_main_text": _("As the paper counts them (Table 4)"),
    "by_order": _("By turn"),
    "transitions": _("By type changes"),
    "layers": _("Task type × turn"),
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
        "scoring. More is not better or worse: it says where the losses are."
    ),
    "mistakes": _(
        "Of the tasks that failed, the share in each class of the paper, by its own procedure: to stand beside its "
        "models. Why tasks failed stands under “Causes”."
    ),
    "mistakes_main_text": _(
        "The same shares as Table 4 of the paper prints them for 16 models; it differs slightly from Table 8."
    ),
    "by_order": _("Accuracy by the task's place in its session. The published chart has no numbers."),
    "transitions": _(
        "Accuracy by how often the type of the task changed so far in the session: by the four types, and by whether a "
        "tool is needed. The published chart has no numbers."
    ),
    "layers": _("Accuracy by the type of the task and its place in the session. The published picture has no numbers."),
    "categories": _("Accuracy by category. The published table has groups only."),
}
"""What their numbers are, where the benchmark does not say it."""
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
    **{f"turn_{number}": _("turn {number}", number=number) for number in "1234"},
    "turn_all": _("all"),
    "transitions": _("four task types"),
    "transitions_two_groups": _("two groups: needs a tool or not"),
    "by_distance": _("tasks back"),
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
    "session_accuracy": _("Session accuracy"),
    "task_accuracy": _("Task accuracy"),
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


def pages(site: Site, language: str) -> Iterator[Page]:
    """A page per board and scoring; the headline's has the name of the board alone."""
    for name in site.boards:
        found = views(site.board(name), site.pairs(name))
        addresses = {
            view.scoring: f"{name}.html" if view.headline else f"{name}-in-{slug(view.scoring)}.html" for view in found
        }
        for scoring, path in addresses.items():
            shown = [view for view in found if view.scoring == scoring]
            values = _values(site, name, shown, language) | {"name": name, "scorings": addresses, "scoring": scoring}
            yield Page(path, "board.html", board_heading(name, language), values)


def board_pictures(entries: Sequence[RunEntry], scoring: str, language: str) -> Iterator[tuple[str, HeatTable]]:
    """The tables of a board in one scoring as pictures of coloured cells, a row per run and published model, by their
    names."""
    for view in views(entries):
        if view.scoring != scoring:
            continue
        columns = [
            f"{heading} · {translated(GROUPS[column.group], language)}" if column.group in GROUPS else heading
            for column in view.board.columns
            for heading in (_heading(column, language),)
        ]
        rows = [
            HeatRow(row.name, tuple(HeatCell(cell.text, cell.value or 0.0, about=cell.text) for cell in row.cells))
            for row in view.rows
        ]
        caption, corner = translated(board_title(view.board), language), translated(_("Model"), language)
        yield view.board.name, HeatTable(caption, corner, tuple(columns), tuple(rows))


def _values(site: Site, name: str, found: Sequence[View], language: str) -> dict[str, object]:
    """found: the tables of one scoring."""
    entries = site.board(name)
    benchmark, headline = entries[0].benchmark, str(entries[0].run.metrics.headline)
    models = list(published().models.get(benchmark, {}).values())
    # In how many tasks the labels of another scoring differ from the headline's, over all runs
    totals: Counter[str] = Counter()
    for entry in entries:
        totals.update(entry.run.metrics.differences.get(headline, {}))
    # The smallest and the largest size that a published name states
    known = [model.size for model in models if model.size is not None]
    return {
        "benchmark": benchmark,
        "paper": paper_of(benchmark),
        "headline": headline,
        "sub_boards": {view.board.name: board_title(view.board) for view in found},
        "views": [_shown(view, number, language) for number, view in enumerate(found, 1)],
        "family_names": FAMILIES,
        "families": list(dict.fromkeys(model.family for model in models if model.family)),
        "sizes": (min(known), max(known)) if known else None,
        "runs": len(entries),
        "models": len(models),
        "foreign": found[0].foreign,
        "own_file": found[0].own_file,
        "language_of_data": entries[0].language,
        "data_languages": {code: translated(text, language) for code, text in DATA_LANGUAGES.items()},
        "differences": totals,
        "compare": f"compare/{name}.html" if len(entries) > 1 else "",
        "scatter": board_scatter(found[0], _heading(found[0].board.columns[found[0].place or 0], language), language),
    }


def _shown(view: View, number: int, language: str) -> PageValues:
    """A view with its headings in words. The first table of a board has columns of what runs took, too."""
    effort = effort_columns(view.rows, language) if view.board.name == FIRST else []
    return {
        "id": f"v{number}",
        "view": view,
        "called": board_title(view.board),
        "about": view.board.about or ABOUT.get(view.board.name, plain("")),
        "groups": _groups(view.board.columns, [one.key for one in effort]),
        "columns": [
            {"column": column, "heading": _heading(column, language), "scale": scale, "notes": notes}
            for column, scale, notes in zip(view.board.columns, view.scales, view.column_notes, strict=True)
        ],
        "effort": effort,
        "hidden": [one.key for one in effort if not one.shown],
        "lead": _lead(view.board.columns),
        "notes": [note.text(language) for note in view.notes],
        "tables": [(table.place.get(language, table.place["en"]), table) for table in view.tables],
    }


def _lead(columns: Sequence[Column]) -> int:
    """How many columns at the beginning are drawn: what runs took stands behind them."""
    return next((at for at, column in enumerate(columns) if not column.drawn or column.group), len(columns))


def board_title(board: SubBoard) -> Text:
    """What a table of a board is called."""
    return BOARDS.get(board.name) or plain(board.name.replace("_", " "))


def _heading(column: Column, language: str) -> str:
    own = COLUMNS.get(column.heading or column.key)
    table = column.measured[0][0] if column.measured else ""
    return translated(own, language) if own else part_title(column.heading or column.key, language, table)


def _groups(columns: Sequence[Column], effort: Sequence[str]) -> list[tuple[Text, list[str]]]:
    """What stands over neighbouring columns, and their keys; nothing where no column has a group. effort: the columns
    that stand behind the first that are drawn."""
    lead = _lead(columns)
    heads = [(column.group, column.key) for column in columns]
    heads[lead:lead] = [("", key) for key in effort]
    groups = [(group, [key for _group, key in members]) for group, members in groupby(heads, key=lambda head: head[0])]
    if not any(group for group, _keys in groups):
        return []
    return [(GROUPS.get(group) or plain(""), keys) for group, keys in groups]
