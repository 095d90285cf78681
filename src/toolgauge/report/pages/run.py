"""The page of a run in one of its scorings: how well it went and why it fails on the first screen; failures, parts,
cost and set-up behind tabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.analysis.floor import silence
from toolgauge.analysis.glossary import TERMS, scoring_name
from toolgauge.analysis.judgments import judged, read_judgments
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Rate
from toolgauge.analysis.titles import title
from toolgauge.locale import Text, ngettext, translated
from toolgauge.report.page import Page, PageValues, RunEntry, Site, board_heading, headline_scoring
from toolgauge.report.pages.breakdown import breakdown_of
from toolgauge.report.pages.effort import effort_of
from toolgauge.report.pages.facts import facts_of
from toolgauge.report.pages.failures import failures_of
from toolgauge.report.pages.tasks import task_link, tasks_link

TERMS_OF_ROWS = {"op_overall": "optimal_path", "ap_overall": "accomplish_progress"}
"""From rows of metrics.json to terms of the glossary, where they have other names."""
LISTED = 20
"""Tasks that another scoring judges differently, per scoring; the others are folded."""


class Tile(NamedTuple):
    """term: of the glossary, "" where none explains the row."""

    heading: str
    term: str
    table: str
    row: str
    rate: Rate


class Verdict(NamedTuple):
    """The main number of the run, and its main failure cause with its points of those that are lost; cause: "" where
    nothing failed."""

    text: Text
    cause: str = ""
    points: str = ""
    lost: str = ""
    link: str = ""


class JudgedTask(NamedTuple):
    """correct: in the scoring of the page."""

    id: str
    link: str
    correct: bool


class Disagreement(NamedTuple):
    """The tasks that another scoring judges differently."""

    scoring: str
    tasks: list[JudgedTask]
    more: list[JudgedTask]


def pages(site: Site, language: str) -> Iterator[Page]:
    """A page per run and scoring: what its headline scoring says stands on `entry.page`."""
    for entry in site.entries:
        headline = headline_scoring(entry.run.metrics)
        names = dict.fromkeys((headline, *entry.run.metrics.scorings))
        for scoring in names:
            heading = entry.label if scoring == headline else f"{entry.label} · {scoring_name(scoring, language)}"
            scorings = {name: entry.page_in(name) for name in names}
            values = {**_content(site, entry, scoring, language), "scorings": scorings}
            yield Page(entry.page_in(scoring), "run.html", heading, values)


def _content(site: Site, entry: RunEntry, scoring: str, language: str) -> PageValues:
    metrics = entry.run.metrics
    compared = (site.comparison_page(entry, other) for other in site.board(entry.board))
    scored = scoring in metrics.scorings
    judges = judged(read_judgments(entry.run.folder), entry.run.scores, scoring)
    rates = ((place, metrics.rate(scoring, *place)) for place in layout_of(metrics.benchmark).tiles)
    return {
        "entry": entry,
        "board": board_heading(entry.board, language),
        "metrics": metrics,
        "facts": facts_of(entry.run, language),
        "scoring": scoring,
        "scored": scored,
        "list": tasks_link(entry),
        "failed": tasks_link(entry, scoring=scoring, result="failed"),
        "verdict": _verdict(site, entry, scoring, language),
        "silence": silence([metrics.floor]),
        "tiles": [
            Tile(title(row, language), term if (term := TERMS_OF_ROWS.get(row, row)) in TERMS else "", table, row, rate)
            for (table, row), rate in rates
            if rate and rate.value is not None
        ],
        "failures": failures_of(site, entry, scoring, language) if scored else None,
        "breakdown": breakdown_of(entry, scoring, language) if scored else None,
        "effort": effort_of(site, entry, scoring, language),
        "disagreements": list(_disagreements(entry, scoring)),
        "judges": [
            (one.judge, [(translated(heading, language), rate) for heading, rate in one.rows], one.agreed)
            for one in judges
        ],
        "compare": next(filter(None, compared), ""),
    }


def _verdict(site: Site, entry: RunEntry, scoring: str, language: str) -> Verdict | None:
    """None where no task is scored in the scoring."""
    metrics = entry.run.metrics
    table, row = layout_of(metrics.benchmark).main
    rate = metrics.rate(scoring, table, row)
    if rate is None or rate.value is None:
        return None
    said = ngettext("{rate} {interval} of {count:,} task is right.", "{rate} {interval} of {count:,} tasks are right.")
    if row != "task_accuracy":
        heading = title(row, language)
        said = ngettext(
            "{heading}: {rate} {interval} over {count:,} task.",
            "{heading}: {rate} {interval} over {count:,} tasks.",
            heading=heading[:1].upper() + heading[1:],
        )
    interval = f"[{100 * rate.ci95[0]:.1f}, {100 * rate.ci95[1]:.1f}]" if rate.ci95 else ""
    tasks = rate.scored if row == "task_accuracy" else metrics.scored
    text = said.filled(rate=f"{100 * rate.value:.1f}%", count=tasks, interval=interval)
    found = site.failures(entry, scoring).losses
    if not found.losses or found.points is None:
        return Verdict(text)
    first = found.losses[0]
    link = tasks_link(entry, scoring=scoring, result="failed", mistake=first.mistake)
    return Verdict(text, title(first.mistake, language), f"{first.points:.1f}", f"{found.points:.1f}", link)


def _disagreements(entry: RunEntry, scoring: str) -> Iterator[Disagreement]:
    """For each other scoring the tasks that it judges differently."""
    for other in entry.run.metrics.scorings:
        tasks = []
        for score in entry.run.scores:
            here, there = score.scorings.get(scoring), score.scorings.get(other)
            if here and there and here.correct != there.correct:
                tasks.append(JudgedTask(score.task_id, task_link(entry, score.task_id, scoring), here.correct))
        if other != scoring:
            yield Disagreement(other, tasks[:LISTED], tasks[LISTED:])
