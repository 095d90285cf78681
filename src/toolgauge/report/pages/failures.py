"""Why a run fails: its main failure causes, in which kinds of tasks they happen, and tasks to open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolgauge.analysis.causes import Loss, Losses
from toolgauge.analysis.causes.losses import Crossing
from toolgauge.analysis.causes.sentences import (
    forgiven_sentence,
    lead_sentence,
    near_sentence,
    pattern_sentence,
    place_sentence,
    place_title,
    size_sentence,
    wrong_sentences,
)
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.locale import _, ngettext, translated
from toolgauge.reasons import ReasonTexts
from toolgauge.report.marks import (
    FEW,
    DotChart,
    DotMark,
    DotRow,
    HeatCell,
    HeatRow,
    HeatTable,
    Kind,
    ends_of,
    rate_scale,
)
from toolgauge.report.page import RunEntry, Site
from toolgauge.report.pages.tasks import task_link, tasks_link
from toolgauge.report.run_failures import EXAMPLES, FoundFailures
from toolgauge.visible import one_line

TOP = 5
"""Causes that stand on the first screen; the others are folded."""
SHOWN = 8
"""Causes with examples, and rows of the map, before the fold."""
MOST_WRONG = 4
"""Wrong arguments of an example."""
MOST_PLACES = 24
"""Columns of the map: a benchmark of another package may have any number of kinds."""
LONGEST = 200
"""Characters of a reason that are shown."""
FILTERS = {"kind": "type", "category": "type", "position": "position"}
"""From a dimension of `Crossing` to the filter of the list of tasks."""


class Example(NamedTuple):
    """detail: why it failed; wrong: its wrong arguments, a line each."""

    id: str
    link: str
    detail: str
    wrong: list[str]


class Cause(NamedTuple):
    """A class of mistakes: how many tasks it took, where it concentrates, and examples."""

    mistake: str
    heading: str
    link: str
    size: str
    places: list[str]
    examples: list[Example]


class FailurePart(NamedTuple):
    """What the page says of failures in one scoring. main, others: the points of each cause, those that are folded;
    closing: sentences below; heat, heat_more: the map of mistakes by kind; causes, causes_more: with examples."""

    main: DotChart
    others: DotChart | None
    others_points: str
    closing: list[str]
    heat: HeatTable | None
    heat_more: HeatTable | None
    causes: list[Cause]
    causes_more: list[Cause]


def failures_of(site: Site, entry: RunEntry, scoring: str, language: str) -> FailurePart | None:
    """None where no task failed in the scoring, or none is scored in it."""
    found = site.failures(entry, scoring)
    losses = found.losses.losses
    if not losses:
        return None
    texts = reason_texts(entry.run.benchmark, language)
    rows = [_row(entry, loss, found.losses, texts, language) for loss in losses]
    heat = _heat(entry, found, scoring, language) if found.crossing else None
    causes = [_cause(entry, loss, found, texts, language) for loss in losses]
    return FailurePart(
        _chart(rows[:TOP], rows, language),
        _chart(rows[TOP:], rows, language) if rows[TOP:] else None,
        f"{sum(loss.points for loss in losses[TOP:]):.1f}",
        list(_closing(entry, found.losses, language)),
        _part_of(heat, slice(None, SHOWN + 1)),
        _part_of(heat, slice(SHOWN + 1, None)),
        causes[:SHOWN],
        causes[SHOWN:],
    )


def _chart(rows: Sequence[DotRow], every: Sequence[DotRow], language: str) -> DotChart:
    """rows: of every one, all on one scale."""
    return DotChart(
        "",
        translated(_("failure cause"), language),
        translated(_("points lost"), language),
        rate_scale(ends_of(mark for row in every for mark in row.marks)),
        tuple(rows),
    )


def _row(entry: RunEntry, loss: Loss, found: Losses, texts: ReasonTexts, language: str) -> DotRow:
    low, high = loss.ci95 or (None, None)
    return DotRow(
        heading=title(loss.mistake, language),
        marks=(DotMark(loss.points / 100, None if low is None or high is None else (low / 100, high / 100), Kind.OWN),),
        text=f"{loss.points:.1f}",
        more="" if low is None else f"{low:.1f} – {high:.1f}",
        link=_tasks_of(entry, loss, found),
        note=_pattern(loss, texts, language),
        about=f"{loss.tasks:,} / {found.scored:,}",
    )


def _tasks_of(entry: RunEntry, loss: Loss, found: Losses) -> str:
    return tasks_link(entry, scoring=found.scoring, result="failed", mistake=loss.mistake)


def _pattern(loss: Loss, texts: ReasonTexts, language: str) -> str:
    """What the mistake usually looks like; "" where its tasks have nothing in common."""
    if loss.pattern is None or loss.pattern.tasks < 2:
        return ""
    text = one_line(loss.pattern.in_words(texts), LONGEST)
    said = pattern_sentence(text, loss.pattern.tasks, loss.tasks, language)
    return translated(_("usually: {what}", what=said), language)


def _closing(entry: RunEntry, found: Losses, language: str) -> Iterator[str]:
    if remark := layout_of(entry.run.benchmark.name).remark:
        yield translated(remark, language)
    if forgiven := forgiven_sentence(found, language):
        yield forgiven
    if lead := lead_sentence(found, language):
        yield lead
    near = found.near_misses
    if near and near.sessions:
        blocked = [f"{title(name, language)} {count:,}" for name, count in near.blocked_by.items()]
        yield near_sentence(near, blocked, language)


def _heat(entry: RunEntry, found: FoundFailures, scoring: str, language: str) -> HeatTable:
    """The first row is that of all failed tasks, the first column that of all kinds."""
    crossing = found.crossing
    assert crossing is not None
    lost = {name: sum(row.get(name, 0) for row in crossing.failed.values()) for name in crossing.scored}
    chosen = sorted(crossing.scored, key=lambda name: -lost[name])[:MOST_PLACES]
    places = [name for name in crossing.scored if name in chosen]
    whole = sum(crossing.scored.values())
    columns = tuple(_place(crossing, name, language) for name in places)
    failed = {"": lost, **crossing.failed}
    most = max(counts.get(name, 0) / crossing.scored[name] for counts in crossing.failed.values() for name in places)
    rows = []
    for mistake, counts in failed.items():
        chosen_tasks = {"scoring": scoring, "result": "failed"} | ({"mistake": mistake} if mistake else {})
        cells = [_cell(sum(counts.values()), whole, most, tasks_link(entry, **chosen_tasks), language)]
        for name in places:
            link = tasks_link(entry, **chosen_tasks, **{FILTERS[crossing.dimension]: name})
            cells.append(_cell(counts.get(name, 0), crossing.scored[name], most, link, language))
        heading = title(mistake, language) if mistake else translated(_("all failed tasks"), language)
        rows.append(HeatRow(heading, tuple(cells)))
    return HeatTable(
        translated(_("Share of the tasks of each type that failed by it, in percent"), language),
        translated(_("failure cause"), language),
        (translated(_("all tasks"), language), *columns),
        tuple(rows),
    )


def _place(crossing: Crossing, name: str, language: str) -> str:
    if crossing.dimension == "position":
        return place_title("position", name, language)
    return title(name, language).removeprefix("· ")


def _cell(tasks: int, of: int, most: float, link: str, language: str) -> HeatCell:
    """most: the highest share of a single mistake, which has the full colour; rows of all failed tasks go beyond."""
    about = translated(
        ngettext("{tasks:,} of {count:,} task", "{tasks:,} of {count:,} tasks", tasks=tasks, count=of), language
    )
    if not tasks:
        return HeatCell("", about=about)
    share = tasks / of
    return HeatCell(f"{100 * share:.1f}", min(1.0, share / most), link, about, of < FEW)


def _part_of(table: HeatTable | None, rows: slice) -> HeatTable | None:
    if table is None or not table.rows[rows]:
        return None
    return HeatTable(table.caption, table.corner, table.columns, table.rows[rows])


def _cause(entry: RunEntry, loss: Loss, found: FoundFailures, texts: ReasonTexts, language: str) -> Cause:
    return Cause(
        loss.mistake,
        title(loss.mistake, language),
        _tasks_of(entry, loss, found.losses),
        size_sentence(loss, found.losses, language),
        [place_sentence(place, language) for place in loss.concentrates],
        [_example(entry, task_id, found, texts, language) for task_id in loss.examples[:EXAMPLES]],
    )


def _example(entry: RunEntry, task_id: str, found: FoundFailures, texts: ReasonTexts, language: str) -> Example:
    scoring = found.losses.scoring
    example, cause = found.examples.get(task_id), found.causes.get(task_id)
    wrong = example.wrong if example else ()
    said = cause.why.cut(LONGEST).in_words(texts) if cause and cause.why and not wrong else ""
    return Example(
        task_id, task_link(entry, task_id, scoring), said, wrong_sentences(wrong, texts, language, MOST_WRONG)
    )
