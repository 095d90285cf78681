"""Players on ACEBench: the oracle is right but for the documented data errors, silence is wrong, noise is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rows import rows
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.benchmarks.acebench.options import Style
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.judge.verdict import Score
from toolgauge.models.builtin.models import noisy

DATA = Path(__file__).parents[2] / "fixtures" / "acebench" / "data_all"
BENCH = AceBench()


def oracle(request: Request) -> Reply:
    assert request.gold_hint is not None
    return request.gold_hint.reply


def silent(request: Request) -> Reply:
    return Reply("I would rather not say.") if request.role == "assistant" else oracle(request)


def scores(dataset: AceDataset, player, style: Style = "prompt") -> list[Score]:  # type: ignore[no-untyped-def]
    setup = Setup(options={"style": style})
    samples = BENCH.samples(dataset, setup)
    return [
        s for sample in samples for s in BENCH.scores(dataset, drive(BENCH.episode(dataset, sample, setup), player))
    ]


def wrong(scoring: str, found: list[Score]) -> set[str]:
    return {score.task_id for score in found if not score.scorings[scoring].correct}


@rows("style", ["prompt", "native"])
@rows("language", ["en", "zh"])
def test_oracle_passes_and_silence_fails_in_every_category(language: str, style: Style) -> None:
    dataset = BENCH.load(DATA, language)
    assert len(dataset.categories) == 17
    assert all(v.correct for s in scores(dataset, oracle, style) for v in s.scorings.values())
    assert not any(v.correct for s in scores(dataset, silent, style) for v in s.scorings.values())


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_the_noisy_player_fails_exactly_where_it_planted_a_mistake(style: Style) -> None:
    """Never in a conversation of the agent categories: no single message makes one fail for sure."""
    dataset = BENCH.load(DATA, "en")
    setup = Setup(options={"style": style})
    for sample in BENCH.samples(dataset, setup):
        trajectory = drive(BENCH.episode(dataset, sample, setup), noisy(0, 1.0))
        (score,) = BENCH.scores(dataset, trajectory)
        planted = trajectory.replies[0].planted
        assert (planted is None) == (dataset.by_id[sample.key].kind.group == "agent")
        assert score.scorings["exact"].mistake == planted
