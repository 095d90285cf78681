"""The built-in models against the judge: every mistake of the taxonomy, planted and found, class by class."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, GraphBenchmark
from toolgauge.chat import Reply, Request
from toolgauge.data.session import Dataset
from toolgauge.episode import drive
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES, Mistake
from toolgauge.judge.unfinished import OTHERWISE
from toolgauge.models.builtin.fault_injection import plan_mistakes
from toolgauge.models.builtin.unfinished_replies import plan_unfinished
from toolgauge.models.model import Model
from toolgauge.models.registry import open_model

MINI = GRAPH_BENCHMARKS["mini"]


def load_mini(language: str) -> Dataset:
    assert MINI.embedded is not None
    return MINI.load(MINI.embedded, language)


def every_plantable_mistake(benchmark: GraphBenchmark, dataset: Dataset) -> Counter[Mistake]:
    """Plant each possible mistake at each request of each task, one at a time, and compare it with the verdict."""
    found: Counter[Mistake] = Counter()
    for sample in benchmark.samples(dataset):
        for step, name, reply in plantable(benchmark, dataset, sample):
            trajectory = drive(benchmark.episode(dataset, sample), spoil_at(step, reply))
            (score,) = benchmark.scores(dataset, trajectory)
            verdict = score.readings["exact"]
            assert verdict.mistake == name, (sample.key, step, reply, verdict)
            as_it_stands = (verdict.parameters or {}).get(OTHERWISE, name)
            assert verdict.action_label == ("correct" if as_it_stands in ARGUMENT_MISTAKES else "error")
            found[Mistake(name)] += 1
    return found


def plantable(benchmark: GraphBenchmark, dataset: Dataset, sample: Sample) -> list[tuple[int, str, Reply]]:
    moments: list[tuple[int, str, Reply]] = []

    def look(request: Request) -> Reply:
        assert request.gold_hint is not None
        plans = (*plan_mistakes(request), *plan_unfinished(request))
        moments.extend((request.step, name, reply) for name, reply in plans)
        return request.gold_hint.reply

    drive(benchmark.episode(dataset, sample), look)
    return moments


def spoil_at(step: int, spoilt: Reply):  # type: ignore[no-untyped-def]
    def answer(request: Request) -> Reply:
        assert request.gold_hint is not None
        return spoilt if request.step == step else request.gold_hint.reply

    return answer


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_mistake_that_can_be_planted_is_found_as_such(language: str) -> None:
    found = every_plantable_mistake(MINI, load_mini(language))
    assert set(found) == set(Mistake), set(Mistake) - set(found)
    assert min(found.values()) >= 5, found


def test_every_mistake_that_can_be_planted_in_real_sessions_is_found(shared: Path) -> None:
    benchmark = GRAPH_BENCHMARKS["wildtoolbench"]
    dataset = benchmark.load(shared / "data" / "wildtoolbench" / "sample_sessions.jsonl", "en")
    found = every_plantable_mistake(benchmark, dataset)
    assert len(found) >= 15, found


def play(model: Model, dataset: Dataset) -> list[tuple[str | None, str | None, bool]]:
    """Per task: the planted mistake, the one found in `exact`, and whether the run was optimal."""

    async def speak(request: Request) -> Reply:
        return await model.ask(request)

    outcomes = []
    for sample in MINI.samples(dataset):
        trajectory = drive(MINI.episode(dataset, sample), lambda request: asyncio.run(speak(request)))
        (score,) = MINI.scores(dataset, trajectory)
        planted = next((reply.planted for reply in trajectory.replies if reply.planted), None)
        outcomes.append((planted, score.readings["exact"].mistake, score.readings["exact"].optimal))
    return outcomes


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noisy_records_the_truth_about_itself(seed: int) -> None:
    outcomes = play(open_model(f"builtin/noisy?seed={seed}&rate=0.5"), load_mini("en"))
    assert [planted for planted, _, _ in outcomes] == [found for _, found, _ in outcomes]
    wrong = sum(planted is not None for planted, _, _ in outcomes)
    assert 40 <= wrong <= 88
    assert any(planted is None and not optimal for planted, _, optimal in outcomes)  # longer ways that are right
    assert outcomes == play(open_model(f"builtin/noisy?seed={seed}&rate=0.5"), load_mini("en"))


def test_noisy_without_noise_is_right_everywhere() -> None:
    assert {found for _, found, _ in play(open_model("builtin/noisy?rate=0"), load_mini("zh"))} == {None}
