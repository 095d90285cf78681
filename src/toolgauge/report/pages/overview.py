"""The first page: which run is best and how sure that is, per benchmark; why each run fails; where to go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from toolgauge.analysis.notes import notes
from toolgauge.analysis.titles import title
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.leaderboard import Cell, LeaderboardRow, View, is_builtin, scale_of, views
from toolgauge.report.marks import DotChart, DotRow, Scale
from toolgauge.report.page import Page, PageValues, RunEntry, Site, board_heading
from toolgauge.report.pages.side_by_side import matrix_of, papers_of
from toolgauge.report.pages.tasks import tasks_link

MOST_ROWS = 12
"""Rows of a chart that are not folded."""
TOP = 3
"""The best rows always stand in it."""


class Cause(NamedTuple):
    """The main cause of failure of a run. points: of task accuracy that it costs, of the `lost` ones; None where
    nothing failed. tasks: the list of its tasks; missing: tasks without a score."""

    entry: RunEntry
    heading: str
    points: float | None
    lost: float
    tasks: str
    missing: int


class BoardPart(NamedTuple):
    """A benchmark in one language. key, measure: the number that ranks, and what it is called. best: the best run;
    tied: other runs that it cannot be told apart from; others: how many other runs are ranked with it; published: how
    many models. folded: rows of the chart that are behind it."""

    heading: str
    page: str
    about: str
    scoring: str
    key: str
    measure: str
    best: LeaderboardRow
    cell: Cell
    tied: list[str]
    others: int
    published: int
    ranked: int
    foreign: bool
    chart: DotChart
    folded: DotChart | None
    causes: list[Cause]
    compare: str


def pages(site: Site, language: str) -> Iterator[Page]:
    yield Page("index.html", "overview.html", translated(_("Results"), language), _values(site, language))


def _values(site: Site, language: str) -> PageValues:
    overall = {name: views(site.board(name), site.pairs(name))[0] for name in site.boards}
    runs = [entry.run.metrics for entry in site.entries]
    models = [entry for entry in site.entries if not is_builtin(entry)]
    shown, builtin = (
        [
            _part(site, name, view, rows, language)
            for name, view in overall.items()
            if (rows := [row for row in view.rows if row.measured and row.builtin == kind])
        ]
        for kind in (False, True)
    )
    charts = [chart for part in shown + builtin for chart in (part.chart, part.folded) if chart]
    return {
        "runs": len(site.entries),
        "models": len({entry.run.model for entry in site.entries}),
        "benchmarks": len({entry.benchmark for entry in site.entries}),
        "scored": sum(run.scored for run in runs),
        "parts_shown": shown,
        "builtin": builtin,
        "ranked": any(chart.ranks for chart in charts),
        "apart": any(row.apart for chart in charts for row in chart.rows),
        "matrix": matrix_of(models, overall, language),
        "papers": papers_of({entry.benchmark for entry in site.entries}, language),
    }


def _part(site: Site, name: str, view: View, own: list[LeaderboardRow], language: str) -> BoardPart:
    """own: the runs of the part. Published models stand beside runs of models, where they are ranked with them."""
    place = view.place or 0
    # Those that are ranked go before, and those with a value before the others; each the best first
    own = sorted(own, key=lambda row: (row.rank is None, row.cells[place].value is None))
    published = [row for row in view.rows if not row.measured and row.rank] if not own[0].builtin else []
    shown = [row for row in view.rows if (row in own and row.rank) or row in published]
    shown += [row for row in own if not row.rank]
    chosen, scale = _chosen(shown), scale_of(shown, place)
    best, others = own[0], [row for row in own[1:] if row.rank]
    entries = [row.entry for row in own if row.entry]
    about = getattr(display_of(entries[0].run.benchmark), "about", None)
    return BoardPart(
        heading=board_heading(name, language),
        page=f"{name}.html",
        about=translated(_("Own data: {file}.", file=view.own_file) if view.own_file else about or "", language),
        scoring=view.scoring,
        key=view.board.ranked,
        measure=title(view.board.ranked, language),
        best=best,
        cell=best.cells[place],
        tied=[row.name for row in others if best.rank and not view.ranking.is_above(best.standing, row.standing)],
        others=len(others),
        published=len(published),
        ranked=sum(row.rank is not None for row in view.rows),
        foreign=view.foreign,
        chart=_chart(view, chosen, scale, language),
        folded=_chart(view, rest, scale, language) if (rest := [row for row in shown if row not in chosen]) else None,
        causes=[_cause(site, entry, view.scoring, language) for entry in entries],
        compare=site.comparison_page(entries[0], entries[1]) if len(entries) > 1 else "",
    )


def _chosen(rows: Sequence[LeaderboardRow]) -> list[LeaderboardRow]:
    """The rows that are not folded: the top, the runs and what stands next to them, then from the top on."""
    own = [at for at, row in enumerate(rows) if row.measured]
    around = [at + step for at in own for step in (-1, 1)]
    wanted = [*own[: MOST_ROWS - TOP], *range(TOP), *around, *range(len(rows))]
    chosen = sorted(list(dict.fromkeys(at for at in wanted if 0 <= at < len(rows)))[:MOST_ROWS])
    return [rows[at] for at in chosen]


def _chart(view: View, rows: Sequence[LeaderboardRow], scale: Scale, language: str) -> DotChart:
    place = view.place or 0
    members = Counter(row.group for row in rows)
    # A line between groups, unless both are a single row: then the ranks say it. Rows without a rank are no worse.
    apart = [False] + [
        after.rank is not None and after.group != before.group and max(members[after.group], members[before.group]) > 1
        for before, after in pairwise(rows)
    ]
    return DotChart(
        caption="",
        heading=translated(_("model"), language),
        measure=title(view.board.ranked, language),
        scale=scale,
        rows=tuple(_dots(row, place, line, language) for row, line in zip(rows, apart, strict=True)),
        ranks=translated(_("rank"), language) if any(row.rank for row in rows) else "",
    )


def _dots(row: LeaderboardRow, place: int, apart: bool, language: str) -> DotRow:
    cell = row.cells[place]
    said = [one.text for one in (*row.incomparability, *row.remarks) if not row.builtin]
    warned = [note.short for note in notes(row.entry.run.metrics) if note.short] if row.entry else []
    return replace(
        row.drawn(place),
        more=f"{100 * cell.interval[0]:.1f} – {100 * cell.interval[1]:.1f}" if cell.interval else "",
        link=row.entry.page if row.entry else "",
        note=" · ".join(translated(one, language) for one in (*said, *warned)),
        about=f"{cell.correct:g} / {cell.total}" if cell.total and cell.correct is not None else "",
        rank=str(row.rank) if row.rank else "",
        apart=apart,
    )


def _cause(site: Site, entry: RunEntry, scoring: str, language: str) -> Cause:
    """The main failure cause as the run's own page has it."""
    missing = entry.run.metrics.missing
    scored = scoring in entry.run.metrics.scorings
    found = site.failures(entry, scoring).losses if scored else None
    if not found or not found.losses or found.points is None:
        return Cause(entry, "", None, 0.0, "", missing)
    first = found.losses[0]
    tasks = tasks_link(entry, scoring=scoring, result="failed", mistake=first.mistake)
    return Cause(entry, title(first.mistake, language), first.points, found.points, tasks, missing)
