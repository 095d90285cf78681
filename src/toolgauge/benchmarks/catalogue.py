"""The public data sets by name, as the benchmarks give them."""

from __future__ import annotations

from collections.abc import Iterator

from toolgauge.benchmarks.registry import OURS, find_benchmark
from toolgauge.data.sources import DataSource
from toolgauge.errors import UsageError
from toolgauge.locale import _


def _ours() -> Iterator[DataSource]:
    """Those that benchmarks are named after first."""
    given = [source for name in OURS for source in find_benchmark(name).sources]
    yield from sorted(given, key=lambda source: source.name not in OURS)


CATALOGUE: dict[str, DataSource] = {source.name: source for source in _ours()}


def source(name: str) -> DataSource:
    """The data set of that name; UsageError, with the names there are, for any other."""
    try:
        return CATALOGUE[name]
    except KeyError:
        raise UsageError(
            _("no public data set is called {name!r}; there are {catalogue}", name=name, catalogue=list(CATALOGUE))
        ) from None
