"""The benchmarks by name."""

from __future__ import annotations

from pathlib import Path

from toolgauge.benchmarks.acebench.benchmark import AceBench
from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.graph import GraphBenchmark
from toolgauge.errors import UsageError

MINI_FILE = Path(__file__).parent / "mini" / "sessions.jsonl"

GRAPH_BENCHMARKS: dict[str, GraphBenchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        GraphBenchmark("mini", "wildtoolbench", "exact", ("exact", "released", "tables"), embedded=MINI_FILE),
        GraphBenchmark(
            "wildtoolbench", "wildtoolbench", "tables", ("exact", "released", "tables"), source="wildtoolbench"
        ),
        GraphBenchmark("mmtb", "mmtb", "released", ("exact", "released"), source="mmtb"),
    )
}


BENCHMARKS: dict[str, Benchmark] = {**GRAPH_BENCHMARKS, "acebench": AceBench()}


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of that name, or a UsageError that lists the names there are."""
    try:
        return BENCHMARKS[name]
    except KeyError:
        raise UsageError(f"no benchmark is called {name!r}; there are {', '.join(BENCHMARKS)}") from None
