"""The first page: what was measured, all benchmarks side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgauge.analysis.titles import title
from toolgauge.locale import _, translated
from toolgauge.report.display import Column, display_of
from toolgauge.report.leaderboard import Cell, View, cell_of, paper_of, views
from toolgauge.report.page import Page, PageValues, RunEntry, Site, board_heading
from toolgauge.report.papers import PaperTable, alike, published
from toolgauge.runs.scoring import BUILTIN

MAIN_COLUMNS = ("task_accuracy", "overall")
"""What stands for a whole benchmark: accuracy over all tasks, or the published mean."""
SECOND_COLUMN = "session_accuracy"


def pages(site: Site, language: str) -> Iterator[Page]:
    heading = translated(_("Overview"), language)
    yield Page("index.html", "overview.html", heading, _values(site, language))


def _values(site: Site, language: str) -> PageValues:
    boards = [(name, site.board(name)) for name in site.boards]
    overall = {name: views(entries)[0] for name, entries in boards}
    metrics = [entry.run.metrics for entry in site.entries]
    benchmarks = list(dict.fromkeys(entry.benchmark for entry in site.entries))
    # For each measured model, per board its runs with their numbers
    rows = []
    for model in dict.fromkeys(entry.run.model for entry in site.entries):
        own = [entry for entry in site.entries if entry.run.model == model]
        cells = [[_number(entry, view) for entry in own if entry.board == name] for name, view in overall.items()]
        rows.append((model, cells))
    return {
        "runs": len(site.entries),
        "models": len({entry.run.model for entry in site.entries}),
        "benchmarks": len(benchmarks),
        "scored": f"{sum(run.scored for run in metrics):,}",
        "cards": [_card(name, entries, overall[name], language) for name, entries in boards],
        "columns": [_column(name, overall[name], language) for name, _ in boards],
        "matrix": rows,
        "papers": _papers(language) if any(paper_of(name) for name in benchmarks) else None,
    }


def _main(view: View) -> Column:
    return next(column for column in view.board.columns if column.key in MAIN_COLUMNS)


def _second(view: View) -> Column | None:
    return next((column for column in view.board.columns if column.key == SECOND_COLUMN), None)


def _column(name: str, view: View, language: str) -> PageValues:
    """The head of a board's column: its address, its heading, what its numbers are."""
    second = _second(view)
    return {
        "page": f"{name}.html",
        "heading": board_heading(name, language),
        "main": title(_main(view).key, language),
        "second": title(second.key, language) if second else None,
    }


def _number(entry: RunEntry, view: View) -> PageValues:
    second, row = _second(view), next(row for row in view.rows if row.page == entry.page)
    metrics = entry.run.metrics
    return {
        "entry": entry,
        "main": cell_of(metrics, view.reading, _main(view)),
        "second": cell_of(metrics, view.reading, second) if second else Cell(),
        "incomparability": row.incomparability,
        "metrics": metrics,
    }


def _card(name: str, entries: Sequence[RunEntry], view: View, language: str) -> PageValues:
    """What is to be known of a board: its best run, where that one would stand, and what is missing."""
    place = next(at for at, column in enumerate(view.board.columns) if column.key == view.board.ranked)
    measured = sorted((row for row in view.rows if row.measured), key=lambda row: bool(row.incomparability))
    best = measured[0]  # rows are ordered, the best first; comparable ones go before
    others = [float(row.cells[place].text) for row in view.rows if not row.measured and row.cells[place].text]
    better = sum(number > float(best.cells[place].text or -1) for number in others)
    metrics = [entry.run.metrics for entry in entries]
    return {
        **_column(name, view, language),
        "about": getattr(display_of(entries[0].benchmark), "about", None),
        "reading": view.reading,
        "best": best,
        "best_cell": best.cells[place],
        "best_of": title(view.board.ranked, language),
        "place": better + 1,
        "published": len(others),
        "runs": len(entries),
        "missing": sum(run.missing for run in metrics),
        "requested": f"{sum(run.requested for run in metrics):,}",
        "only_builtin": all(BUILTIN in (one.key for one in (*row.incomparability, *row.remarks)) for row in measured),
    }


def _papers(language: str) -> PageValues:
    """Published models that several papers have, with the main number of each paper, and what is odd about it."""
    mains = {name: main for name in published().papers if (main := display_of(name).main_published)}
    tables = {name: published().tables[f"{name}_accuracy"] for name in mains}
    models: dict[str, dict[str, str]] = {}
    for benchmark, table in tables.items():
        for model in table.rows:
            models.setdefault(alike(model), {})[benchmark] = model
    notes: dict[str, int] = {}
    rows = []
    for found in (found for found in models.values() if len(found) > 1):
        numbers = [_printed(tables[name], found.get(name, ""), mains[name], language, notes) for name in mains]
        rows.append((next(iter(found.values())), numbers))
    heads = [(display_of(name).title, table.place[language], table.link) for name, table in tables.items()]
    return {"heads": heads, "rows": rows, "notes": list(notes)}


def _printed(table: PaperTable, model: str, column: str, language: str, notes: dict[str, int]) -> PageValues:
    """A printed number, and the numbers of its notes, which are added to those that there are."""
    own = [note for note in table.notes if model in note.models and (not note.columns or column in note.columns)]
    marks = [notes.setdefault(note.text(language), len(notes) + 1) for note in own]
    return {"text": table.percent(model, column), "marks": marks}
