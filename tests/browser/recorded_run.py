"""A run that was made of a result file whose recorder stopped too early."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from tests.original_format import wildtoolbench_lines
from toolgauge.api import score
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.episode import drive
from toolgauge.models.builtin.models import oracle

DATA = Path(__file__).parent.parent / "fixtures" / "wildtoolbench_small.jsonl"


def recorded_run(folder: Path) -> Path:
    """The last reply of every task of several is not in the file."""
    benchmark = find_benchmark("wildtoolbench")
    dataset = benchmark.load(DATA, "en")
    said = [drive(benchmark.episode(dataset, sample), oracle) for sample in benchmark.samples(dataset)]
    cut = [replace(one, steps=one.steps[:-1]) if len(one.steps) > 1 else one for one in said]
    folder.mkdir()
    (folder / "result.jsonl").write_text("".join(wildtoolbench_lines(dataset, cut)), encoding="utf-8")
    score(
        benchmark="wildtoolbench", data=DATA, predictions=folder / "result.jsonl", out=folder / "run", name="recorded"
    )
    return folder / "run"
