"""Whose data are these? The data files of benchmarks, by name or by what is in them."""

from __future__ import annotations

from pathlib import Path

from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.registry import OURS, blamed_on, find_benchmark, names
from toolgauge.data.files import CheckAlone, DataFiles


def data_files_of(benchmark: Benchmark) -> DataFiles:
    """Of a benchmark that was named. One of another package may have `check` alone, or neither."""
    given = getattr(benchmark, "data_files", None)
    if given is None:
        return CheckAlone(benchmark)
    with blamed_on(benchmark):
        files: DataFiles = given()
    return files


def files_that_hold(path: Path) -> DataFiles | None:
    """Of the first benchmark of ours whose layout the data at a path may have."""
    every = (find_benchmark(name).data_files(told=False) for name in OURS)
    return next((files for files in every if files.holds(path)), None)


def named_benchmark(name: str | None) -> Benchmark | None:
    """The benchmark of that name, None where there is none."""
    return find_benchmark(name) if name is not None and name in names() else None
