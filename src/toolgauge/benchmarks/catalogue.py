"""The public data sets by name, as the benchmarks give them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolgauge.benchmarks.benchmark import Benchmark
from toolgauge.benchmarks.registry import OURS, blamed_on, find_benchmark, usable
from toolgauge.data.files import DataSource
from toolgauge.errors import Tell, ToolgaugeError, UsageError, warn

CATALOGUE: dict[str, DataSource] = {
    source.name: source
    for source in sorted(
        (source for name in OURS for source in find_benchmark(name).sources), key=lambda source: source.name not in OURS
    )
}
"""Ours, those that benchmarks are named after first."""


def known_sources(benchmarks: Iterable[Benchmark], tell: Tell = warn) -> dict[str, DataSource]:
    """Ours, then those of the given benchmarks; a name of ours stays ours, and what a benchmark raises is told."""
    known = dict(CATALOGUE)
    for benchmark in benchmarks:
        try:
            with blamed_on(benchmark):
                for one in getattr(benchmark, "sources", ()):
                    known.setdefault(one.name, one)
        except ToolgaugeError as error:
            tell(error.text)
    return known


def source(name: str, known: Mapping[str, DataSource] | None = None) -> DataSource:
    """The data set of that name (known: of these); UsageError, with the names there are, for any other."""
    known = known or (CATALOGUE if name in CATALOGUE else known_sources(usable()))
    if name not in known:
        raise UsageError(f"unknown data set {name!r}; choose one of {', '.join(known)}")
    return known[name]
