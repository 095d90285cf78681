"""Why a run fails: its main failure causes, in which kinds of tasks they happen, and tasks to open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

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
    rows = tuple(_row(entry, loss, found.losses, texts, language) for loss in losses)
    scale = rate_scale(ends_of(mark for row in rows for mark in row.marks))
    heading, measure = (translated(text, language) for text in (_("failure cause"), _("points lost")))
    heat = _heat(entry, found.crossing, scoring, language) if found.crossing else None
    causes = [_cause(entry, loss, found, texts, language) for loss in losses]
    return FailurePart(
        DotChart("", heading, measure, scale, rows[:TOP]),
        DotChart("", heading, measure, scale, rows[TOP:]) if rows[TOP:] else None,
        f"{sum(loss.points for loss in losses[TOP:]):.1f}",
        list(_closing(entry, found.losses, language)),
        replace(heat, rows=heat.rows[: SHOWN + 1]) if heat else None,
        replace(heat, rows=heat.rows[SHOWN + 1 :]) if heat and heat.rows[SHOWN + 1 :] else None,
        causes[:SHOWN],
        causes[SHOWN:],
    )


def _row(entry: RunEntry, loss: Loss, found: Losses, texts: ReasonTexts, language: str) -> DotRow:
    """The points that a cause costs, and what the mistake usually looks like."""
    interval = (loss.ci95[0] / 100, loss.ci95[1] / 100) if loss.ci95 else None
    usual = ""
    if loss.pattern is not None and loss.pattern.tasks > 1:
        text = one_line(loss.pattern.in_words(texts), LONGEST)
        said = pattern_sentence(text, loss.pattern.tasks, loss.tasks, language)
        usual = translated(_("usually: {what}", what=said), language)
    return DotRow(
        heading=title(loss.mistake, language),
        marks=(DotMark(loss.points / 100, interval),),
        text=f"{loss.points:.1f}",
        more=f"{loss.ci95[0]:.1f} – {loss.ci95[1]:.1f}" if loss.ci95 else "",
        link=tasks_link(entry, scoring=found.scoring, result="failed", mistake=loss.mistake),
        note=usual,
        about=f"{loss.tasks:,} / {found.scored:,}",
    )


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


def _heat(entry: RunEntry, crossing: Crossing, scoring: str, language: str) -> HeatTable:
    """The first row is that of all failed tasks, the first column that of all kinds. A single mistake's highest share
    has the full colour; rows of all failed tasks go beyond."""
    lost = {name: sum(row.get(name, 0) for row in crossing.failed.values()) for name in crossing.scored}
    chosen = sorted(crossing.scored, key=lambda name: -lost[name])[:MOST_PLACES]
    places = {name: tasks for name, tasks in crossing.scored.items() if name in chosen}
    most = max(counts.get(name, 0) / tasks for counts in crossing.failed.values() for name, tasks in places.items())
    rows = []
    for mistake, counts in {"": lost, **crossing.failed}.items():
        filters = {"scoring": scoring, "result": "failed"} | ({"mistake": mistake} if mistake else {})
        cells = [
            _cell(sum(counts.values()), sum(crossing.scored.values()), most, tasks_link(entry, **filters), language)
        ]
        for name, tasks in places.items():
            link = tasks_link(entry, **filters, **{FILTERS[crossing.dimension]: name})
            cells.append(_cell(counts.get(name, 0), tasks, most, link, language))
        heading = title(mistake, language) if mistake else translated(_("all failed tasks"), language)
        rows.append(HeatRow(heading, tuple(cells)))
    turns = crossing.dimension == "position"
    columns = (
        place_title("position", name, language) if turns else title(name, language).removeprefix("· ")
        for name in places
    )
    return HeatTable(
        translated(_("Share of the tasks of each type that failed by it, in percent"), language),
        translated(_("failure cause"), language),
        (translated(_("all tasks"), language), *columns),
        tuple(rows),
    )


def _cell(tasks: int, of: int, most: float, link: str, language: str) -> HeatCell:
    said = ngettext("{tasks:,} of {count:,} task", "{tasks:,} of {count:,} tasks", tasks=tasks, count=of)
    about = translated(said, language)
    if not tasks:
        return HeatCell("", about=about)
    return HeatCell(f"{100 * tasks / of:.1f}", min(1.0, tasks / of / most), link, about, of < FEW)


def _cause(entry: RunEntry, loss: Loss, found: FoundFailures, texts: ReasonTexts, language: str) -> Cause:
    scoring, examples = found.losses.scoring, []
    for task_id in loss.examples[:EXAMPLES]:
        example, cause = found.examples.get(task_id), found.causes.get(task_id)
        wrong = example.wrong if example else ()
        said = cause.why.cut(LONGEST).in_words(texts) if cause and cause.why and not wrong else ""
        told = wrong_sentences(wrong, texts, language, MOST_WRONG)
        examples.append(Example(task_id, task_link(entry, task_id, scoring), said, told))
    return Cause(
        loss.mistake,
        title(loss.mistake, language),
        tasks_link(entry, scoring=scoring, result="failed", mistake=loss.mistake),
        size_sentence(loss, found.losses, language),
        [place_sentence(place, language) for place in loss.concentrates],
        examples,
    )
