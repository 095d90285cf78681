"""Memory does not grow with the dialogues: neither while they are made nor while the files are written."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from msgspec.structs import replace

from tests.generation.scripted import demo_plan
from toolgauge.generation.spec import GenerationPlan, carry_out_generation
from toolgauge.runs.executors.executor import ProgressListener

DIALOGUES = 60
WARM = 20


class Scales(ProgressListener):
    """Weighs the process after so many dialogues."""

    def __init__(self) -> None:
        self.ends, self.bytes = 0, dict[int, int]()

    def ended(self, unit: object, trajectory: object) -> None:
        self.ends += 1
        if self.ends in (WARM, DIALOGUES):
            del trajectory
            gc.collect()
            self.bytes[self.ends] = tracemalloc.get_traced_memory()[0]


def few_tools(plan: GenerationPlan) -> GenerationPlan:
    """Over three lists, whose schemas are compiled once."""
    return replace(plan, pool=plan.pool[:3])


def test_finished_dialogues_are_not_kept(tmp_path: Path) -> None:
    plan, scales = few_tools(demo_plan(tmp_path, paths="single,multi", per_path=DIALOGUES)), Scales()
    tracemalloc.start()
    try:
        carry_out_generation(plan, 4, listener=scales)
    finally:
        tracemalloc.stop()
    line = (tmp_path / "trajectories.jsonl").stat().st_size / DIALOGUES
    kept = (scales.bytes[DIALOGUES] - scales.bytes[WARM]) / (DIALOGUES - WARM)
    assert kept < 1000 < line / 10
