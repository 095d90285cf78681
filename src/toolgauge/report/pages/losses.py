"""The biggest losses of a run: what they cost, where they concentrate, and tasks to open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolgauge.analysis.error_analysis import Loss, Losses
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.error_analysis.sentences import (
    lead_sentence,
    near_sentence,
    opening_sentence,
    pattern_sentence,
    place_sentence,
    size_sentence,
)
from toolgauge.analysis.reports import find_losses
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.judge.verdict import Score
from toolgauge.report.page import RunEntry
from toolgauge.report.pages.tasks import task_link, tasks_link

TOP = 3
LONGEST = 200
"""Characters of a reason that are shown."""


class ExampleLink(NamedTuple):
    id: str
    link: str
    detail: str


class LossLine(NamedTuple):
    """A class of mistakes: the points that it costs, where it concentrates, and what it usually is."""

    mistake: str
    heading: str
    link: str
    points: float
    size: str
    places: list[str]
    pattern: str | None
    examples: list[ExampleLink]


class LossPart(NamedTuple):
    """The sentences before and after the list."""

    opening: str
    closing: list[str]
    losses: list[LossLine]


def losses_of(entry: RunEntry, reading: str, language: str) -> LossPart | None:
    """What the page says of the losses in a reading; None where no task is scored in it."""
    dataset: object = entry.run.dataset
    found = find_losses(entry.run.benchmark, dataset, entry.run.scores, reading)
    if found.accuracy is None or found.points is None:
        return None
    scores = {score.task_id: score for score in entry.run.scores}
    losses = [_loss(entry, loss, found, scores, language) for loss in found.losses[:TOP]]
    return LossPart(opening_sentence(found, language), list(_closing(found, language)), losses)


def _loss(entry: RunEntry, loss: Loss, found: Losses, scores: dict[str, Score], language: str) -> LossLine:
    filters = {"reading": found.reading, "result": "failed", "mistake": loss.mistake}
    return LossLine(
        loss.mistake,
        title(loss.mistake, language),
        tasks_link(entry, **filters),
        loss.points,
        size_sentence(loss, found, language),
        [place_sentence(place, language) for place in loss.concentrates],
        _pattern(entry, loss, language),
        [_example(entry, scores[task_id], found.reading, language) for task_id in loss.examples],
    )


def _pattern(entry: RunEntry, loss: Loss, language: str) -> str | None:
    if loss.pattern is None or loss.pattern.tasks < 2:
        return None
    text = one_line(loss.pattern.in_words(reason_texts(entry.run.benchmark, language)), LONGEST)
    return pattern_sentence(text, loss.pattern.tasks, loss.tasks, language)


def _example(entry: RunEntry, score: Score, reading: str, language: str) -> ExampleLink:
    why = score.readings[reading].why
    said = why.cut(LONGEST).in_words(reason_texts(entry.run.benchmark, language)) if why else ""
    return ExampleLink(score.task_id, task_link(entry, score.task_id, reading), said)


def _closing(found: Losses, language: str) -> Iterator[str]:
    if lead := lead_sentence(found, language):
        yield lead
    near = found.near_misses
    if near and near.sessions:
        blocked = [f"{title(name, language)} {count:,}" for name, count in list(near.blocked_by.items())[:5]]
        yield near_sentence(near, blocked, language)
