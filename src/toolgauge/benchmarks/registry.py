"""The benchmarks by name."""

from __future__ import annotations

from pathlib import Path

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

NAMES = (*GRAPH_BENCHMARKS, "acebench")


def find_benchmark(name: str) -> Benchmark:
    """The benchmark of that name, or a UsageError that lists the names there are."""
    if name == "acebench":  # large, and of no use to the others: imported when it is wanted
        from toolgauge.benchmarks.acebench.benchmark import AceBench

        return AceBench()
    if name not in GRAPH_BENCHMARKS:
        raise UsageError(f"no benchmark is called {name!r}; there are {', '.join(NAMES)}")
    return GRAPH_BENCHMARKS[name]
