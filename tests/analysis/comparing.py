"""Runs to compare, without files: made-up scores with a manifest around them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.analysis import synthetic
from tests.benchmarks.acebench import ace_building
from toolgauge.analysis.compare.content import ScoringComparison, compare_runs, side_of
from toolgauge.analysis.compare.pairing import Side
from toolgauge.analysis.numbers import Metrics
from toolgauge.artefacts import read
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.chat import Json
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import Score


class Kind(Struct, frozen=True):
    name: str = "wildtoolbench"
    headline: str = "tables"
    tables: str = "graph"


ACE = Kind("acebench", "released", "acebench")


class MadeUp(Struct, frozen=True):
    """What `open_run` would give."""

    data: Any
    scores: list[Score]
    model: str = "made/up"
    benchmark: Kind = Kind()
    changes: Json = {}
    folder: Path = Path("runs/made-up")
    features: None = None

    @property
    def manifest(self) -> Manifest:
        asked = {"dataset": {"name": self.data.name, "sha256": self.data.sha256}, "history": "gold"}
        return read(asked | self.changes, Manifest)

    @property
    def metrics(self) -> Metrics:
        return Metrics(
            benchmark=self.benchmark.name,
            version=2,
            scorings={name: {} for name in self.scores[0].scorings} if self.scores else {},
        )

    @property
    def language(self) -> str:
        return str(self.data.language)

    def required_dataset(self) -> Any:
        return self.data

    def trajectories(self) -> Iterator[Trajectory]:
        return iter(())


def side(data: Dataset, rate: float = 0.6, seed: int = 1, epochs: int = 1, **more: Any) -> Side:
    return side_of(MadeUp(data, synthetic.scores(data, rate, seed, epochs), **more))


def ace_side(data: Any, scores: list[Score]) -> Side:
    return side_of(MadeUp(data, scores, benchmark=ACE))


def compared(one: Side, other: Side, scoring: str = "exact") -> ScoringComparison:
    return compare_runs(one, other).scorings[scoring]


def ace_data(sessions: int = 12) -> Any:
    return ace_building.dataset(sessions=sessions)
