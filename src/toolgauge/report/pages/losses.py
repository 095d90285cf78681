"""The biggest losses of a run: what they cost, where they concentrate, and tasks to open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolgauge.analysis.error_analysis import Loss, Losses
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.error_analysis.sentences import lead_sentence, opening_sentence, place_sentence, size_sentence
from toolgauge.analysis.error_analysis.words import mistake_title, say
from toolgauge.analysis.reports import find_losses
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.chat import Json
from toolgauge.judge.verdict import Score
from toolgauge.report.page import RunEntry
from toolgauge.report.pages.tasks import task_link, tasks_link

TOP = 3
LONGEST = 200
"""Characters of a reason that are shown."""


def losses_of(entry: RunEntry, reading: str, language: str) -> Json | None:
    """What the page says of the losses in a reading; None where no task is scored in it."""
    dataset: Any = entry.run.dataset
    found = find_losses(entry.run.benchmark, dataset, entry.run.scores, reading)
    if found.accuracy is None or found.points is None:
        return None
    scores = {score.task_id: score for score in entry.run.scores}
    return {
        "opening": opening_sentence(found, language),
        "closing": list(_closing(found, language)),
        "losses": [_loss(entry, loss, found, scores, language) for loss in found.losses[:TOP]],
    }


def _loss(entry: RunEntry, loss: Loss, found: Losses, scores: dict[str, Score], language: str) -> dict[str, Any]:
    filters = {"reading": found.reading, "result": "failed", "mistake": loss.mistake}
    return {
        "mistake": loss.mistake,
        "heading": mistake_title(loss.mistake, language),
        "link": tasks_link(entry, **filters),
        "points": loss.points,
        "size": size_sentence(loss, found, language),
        "places": [place_sentence(place, language) for place in loss.concentrates],
        "pattern": _pattern(entry, loss, language),
        "examples": [_example(entry, scores[task_id], found.reading, language) for task_id in loss.examples],
    }


def _pattern(entry: RunEntry, loss: Loss, language: str) -> str | None:
    if loss.pattern is None or loss.pattern.tasks < 2:
        return None
    text = one_line(loss.pattern.in_words(reason_texts(entry.run.benchmark, language)), LONGEST)
    return say("pattern", language, text=text, tasks=loss.pattern.tasks, of=loss.tasks)


def _example(entry: RunEntry, score: Score, reading: str, language: str) -> Json:
    why = score.readings[reading].why
    said = why.cut(LONGEST).in_words(reason_texts(entry.run.benchmark, language)) if why else ""
    return {"id": score.task_id, "link": task_link(entry, score.task_id, reading), "detail": said}


def _closing(found: Losses, language: str) -> Iterator[str]:
    if lead := lead_sentence(found, language):
        yield lead
    near = found.near_misses
    if near and near.sessions:
        blocked = [f"{mistake_title(name, language)} {count:,}" for name, count in list(near.blocked_by.items())[:5]]
        joined = ("、" if language == "zh" else ", ").join(blocked)
        numbers = {"sessions": f"{near.sessions:,}", "of": f"{near.of:,}", "points": f"{near.points:.1f}"}
        yield say("near", language, blocked=joined, **numbers)
