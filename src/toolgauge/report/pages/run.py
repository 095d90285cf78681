"""The page of a run in one of its scorings: how well it went and why it fails on the first screen; failures, parts,
cost and set-up behind tabs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from toolgauge.analysis.floor import silence
from toolgauge.analysis.glossary import TERMS, scoring_name
from toolgauge.analysis.judgments import judged as judged_tables
from toolgauge.analysis.judgments import read_judgments
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.analysis.titles import title
from toolgauge.locale import Text, ngettext, translated
from toolgauge.report.page import Page, PageValues, RunEntry, Site, board_heading, headline_scoring
from toolgauge.report.pages.breakdown import breakdown_of
from toolgauge.report.pages.effort import effort_of
from toolgauge.report.pages.facts import facts_of
from toolgauge.report.pages.failures import failures_of
from toolgauge.report.pages.tasks import task_link, tasks_link
from toolgauge.runs.scored import ScoredRun

TERMS_OF_ROWS = {"op_overall": "optimal_path", "ap_overall": "accomplish_progress"}
"""From rows of metrics.json to terms of the glossary, where they have other names."""
Judged: TypeAlias = Mapping[str, Sequence[bool | None]]
"""By scoring, whether each task of a run is right; None where it has no verdict."""
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
    cause: str
    points: str
    lost: str
    link: str


class JudgePart(NamedTuple):
    """What a model said as judge. rows: heading and rate; agreement: a sentence, "" where there is nothing to say."""

    judge: str
    rows: list[tuple[str, Rate]]
    agreement: str


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


class OtherPage(NamedTuple):
    """The page of the run in a scoring."""

    scoring: str
    page: str


def pages(site: Site, language: str) -> Iterator[Page]:
    """A page per run and scoring: what its headline scoring says stands on `entry.page`."""
    for entry in site.entries:
        headline = headline_scoring(entry.run.metrics)
        judged = _judged(entry.run)
        for scoring in dict.fromkeys((headline, *entry.run.metrics.scorings)):
            values = _content(site, entry, scoring, language, judged)
            yield Page(entry.page_in(scoring), "run.html", _heading(entry, scoring, headline, language), values)


def _heading(entry: RunEntry, scoring: str, headline: str, language: str) -> str:
    return entry.label if scoring == headline else f"{entry.label} · {scoring_name(scoring, language)}"


def _content(site: Site, entry: RunEntry, scoring: str, language: str, judged: Judged) -> PageValues:
    metrics = entry.run.metrics
    headline = headline_scoring(metrics)
    others = [other for other in site.board(entry.board) if site.comparison_page(entry, other)]
    scored = scoring in metrics.scorings
    names = dict.fromkeys((headline, *metrics.scorings)) if scored else ()
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
        "tiles": list(_tiles(metrics, scoring, language)),
        "failures": failures_of(site, entry, scoring, language) if scored else None,
        "breakdown": breakdown_of(entry, scoring, language) if scored else None,
        "effort": effort_of(site, entry, scoring, language),
        "scorings": [OtherPage(name, entry.page_in(name)) for name in names],
        "disagreements": list(_disagreements(entry, scoring, judged)),
        "judges": list(_judges(entry.run, scoring, language)),
        "compare": site.comparison_page(entry, others[0]) if others else "",
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
        return Verdict(text, "", "", "", "")
    first = found.losses[0]
    link = tasks_link(entry, scoring=scoring, result="failed", mistake=first.mistake)
    return Verdict(text, title(first.mistake, language), f"{first.points:.1f}", f"{found.points:.1f}", link)


def _tiles(metrics: Metrics, scoring: str, language: str) -> Iterator[Tile]:
    for table, row in layout_of(metrics.benchmark).tiles:
        found = metrics.rate(scoring, table, row)
        if found and found.value is not None:
            term = TERMS_OF_ROWS.get(row, row)
            yield Tile(title(row, language), term if term in TERMS else "", table, row, found)


def _judged(run: ScoredRun) -> Judged:
    return {
        name: [score.scorings[name].correct if name in score.scorings else None for score in run.scores]
        for name in run.metrics.scorings
    }


def _judges(run: ScoredRun, scoring: str, language: str) -> Iterator[JudgePart]:
    """What models said of the run as judges, and how far each agrees with the scoring of the page."""
    for one in judged_tables(read_judgments(run.folder), run.scores, scoring):
        rows = [(translated(heading, language), rate) for heading, rate in one.rows]
        yield JudgePart(one.judge, rows, translated(one.agreed or "", language))


def _disagreements(entry: RunEntry, scoring: str, judged: Judged) -> Iterator[Disagreement]:
    """For each other scoring the tasks that it judges differently."""
    here = judged.get(scoring, ())
    for other in entry.run.metrics.scorings:
        tasks = [
            JudgedTask(score.task_id, task_link(entry, score.task_id, scoring), is_right)
            for score, is_right, is_there in zip(entry.run.scores, here, judged[other], strict=False)
            if is_right != is_there and is_right is not None and is_there is not None
        ]
        if other != scoring:
            yield Disagreement(other, tasks[:LISTED], tasks[LISTED:])
