"""The biggest losses of a run: what they cost, where they concentrate, and tasks to open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolgauge.analysis.error_analysis import Loss, Losses
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.error_analysis.sentences import (
    forgiven_sentence,
    lead_sentence,
    near_sentence,
    opening_sentence,
    pattern_sentence,
    place_sentence,
    size_sentence,
    wrong_sentences,
)
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.reports import find_examples, find_losses
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.judge.verdict import Score
from toolgauge.judge.wrong_arguments import WrongArgument
from toolgauge.locale import translated
from toolgauge.report.page import RunEntry
from toolgauge.report.pages.tasks import task_link, tasks_link

TOP = 3
MOST_WRONG = 5
"""Wrong arguments of an example."""
Wrong = Mapping[str, tuple[WrongArgument, ...]]
"""By task id."""
LONGEST = 200
"""Characters of a reason that are shown."""


class ExampleLink(NamedTuple):
    """detail: why it failed; wrong: its wrong arguments, a line each."""

    id: str
    link: str
    detail: str
    wrong: list[str]


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
    examples = find_examples(entry.run.benchmark, dataset, found, TOP, entry.run.trajectories())
    wrong = {task_id: example.wrong for task_id, example in examples.items()}
    losses = [_loss(entry, loss, found, scores, wrong, language) for loss in found.losses[:TOP]]
    remark = layout_of(entry.run.benchmark.name).remark if found.losses else None
    opening = " ".join([opening_sentence(found, language), *([translated(remark, language)] if remark else [])])
    return LossPart(opening, list(_closing(found, language)), losses)


def _loss(
    entry: RunEntry, loss: Loss, found: Losses, scores: dict[str, Score], wrong: Wrong, language: str
) -> LossLine:
    filters = {"reading": found.reading, "result": "failed", "mistake": loss.mistake}
    return LossLine(
        loss.mistake,
        title(loss.mistake, language),
        tasks_link(entry, **filters),
        loss.points,
        size_sentence(loss, found, language),
        [place_sentence(place, language) for place in loss.concentrates],
        _pattern(entry, loss, language),
        [
            _example(entry, scores[task_id], found.reading, wrong.get(task_id, ()), language)
            for task_id in loss.examples
        ],
    )


def _pattern(entry: RunEntry, loss: Loss, language: str) -> str | None:
    if loss.pattern is None or loss.pattern.tasks < 2:
        return None
    text = one_line(loss.pattern.in_words(reason_texts(entry.run.benchmark, language)), LONGEST)
    return pattern_sentence(text, loss.pattern.tasks, loss.tasks, language)


def _example(
    entry: RunEntry, score: Score, reading: str, wrong: tuple[WrongArgument, ...], language: str
) -> ExampleLink:
    texts = reason_texts(entry.run.benchmark, language)
    cause = score.cause(reading)
    why = cause.why if cause else None
    said = why.cut(LONGEST).in_words(texts) if why and not wrong else ""
    lines = wrong_sentences(wrong, texts, language, MOST_WRONG)
    return ExampleLink(score.task_id, task_link(entry, score.task_id, reading), said, lines)


def _closing(found: Losses, language: str) -> Iterator[str]:
    if forgiven := forgiven_sentence(found, language):
        yield forgiven
    if lead := lead_sentence(found, language):
        yield lead
    near = found.near_misses
    if near and near.sessions:
        blocked = [f"{title(name, language)} {count:,}" for name, count in near.blocked_by.items()]
        yield near_sentence(near, blocked, language)
