"""Players on ACEBench: the oracle is right but for the documented data errors, silence is wrong, noise is found out."""

from __future__ import annotations

from pathlib import Path

from tests.rows import rows
from toolgauge.benchmarks.acebench.asking import Style
from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.acebench.data.entries import AceDataset
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.judge.verdict import Score

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


@rows("style", ["prompt", "native"])
@rows("language", ["en", "zh"])
def test_oracle_passes_and_silence_fails_in_every_category(language: str, style: Style) -> None:
    dataset = BENCH.load(DATA, language)
    assert len(dataset.categories) == 17
    assert all(v.correct for s in scores(dataset, oracle, style) for v in s.scorings.values())
    assert not any(v.correct for s in scores(dataset, silent, style) for v in s.scorings.values())
