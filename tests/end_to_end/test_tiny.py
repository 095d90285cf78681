"""examples/tiny.py, the whole idea in a hundred lines: its labels are the package's."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.sizes import in_turn, sized
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request
from toolgauge.episode import Trajectory, drive
from toolgauge.judge.verdict import EXACT
from toolgauge.models.builtin.models import keyword, noisy, oracle, silent

FILE = Path(__file__).parents[2] / "examples" / "tiny.py"
MODELS: dict[str, Callable[[Request], Reply]] = {
    "oracle": oracle,
    "silent": silent,
    "keyword": keyword,
    **{f"noisy {seed}": noisy(seed, rate) for seed, rate in list(enumerate((0.3, 1.0) * 6))[: sized(4, 12)]},
}


@pytest.fixture(scope="module")
def tiny() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tiny", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def played(model: Callable[[Request], Reply], language: str) -> tuple[list[Trajectory], dict[str, bool]]:
    """What the package's own episodes and its scoring `exact` make of a model."""
    mini = find_benchmark("mini")
    assert mini.embedded is not None
    data = mini.load(mini.embedded, language)
    said = [drive(mini.episode(data, sample), model) for sample in mini.samples(data)]
    scores = [score for trajectory in said for score in mini.scores(data, trajectory)]
    return said, {score.task_id: score.scorings[EXACT].correct for score in scores}


@pytest.mark.parametrize(("name", "language"), in_turn(MODELS, ["en", "zh"]))
def test_the_labels_are_the_packages(name: str, language: str, tiny: ModuleType) -> None:
    _, labels = played(MODELS[name], language)
    assert tiny.labels(MODELS[name], language) == labels
