"""The numbers of a run, as metrics.json holds them and every table, page and export reads them.

A benchmark makes them (analysis/reports.py); the counts and intervals of its rows are `Rate`s under names of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec import UNSET, Struct, UnsetType

from toolgauge.analysis.effort import Effort
from toolgauge.analysis.replies import Endings, Sign
from toolgauge.analysis.sensitivity import ScoringPair
from toolgauge.benchmarks.benchmark import Agreement
from toolgauge.models.text_calls import Interface


class Rate(Struct, frozen=True, kw_only=True):
    """A row of a table: `value` is `correct` over `total`, from 0 to 1, None where nothing was scored.

    ci95: its interval. requested, scored, missing: counts of the tasks (or whole sessions) behind it; None where it is
    not known what was requested. not_judgeable: those whose recording ends too early for this scoring, where there are
    any. incomplete: what a sum of parts lacks, and therefore has no value.
    """

    value: float | None = None
    correct: int | float = 0
    total: int = 0
    ci95: tuple[float, float] | None = None
    requested: int | None = None
    scored: int = 0
    missing: int | None = None
    not_judgeable: int | UnsetType = UNSET
    incomplete: tuple[str, ...] | UnsetType = UNSET


Rows = dict[str, Rate]
"""Of a table, by their names, in the order in which they are shown."""
Tables = dict[str, Rows]
"""Of a scoring."""


class RouteNumbers(Struct, frozen=True):
    """Numbers of two figures of MMTB that are no rates; see `benchmarks/dialogues/numbers/tables.py`."""

    routes: list[list[float | None]] = []
    route_counts: list[list[tuple[int, int]]] = []
    layer_variance: dict[str, float | None] = {}


class AppliedCorrections(Struct, frozen=True):
    """What corrections of the data made of the numbers. count: how many there are; sha256: of their file.

    without: the rows that are others without them, for the same replies, by scoring and table. outdated: tasks that are
    missing because their recorded conversations are not about the corrected data; left_out: lines of trajectories.jsonl
    that do not count, from 1.
    """

    count: int
    sha256: str
    without: dict[str, Tables] = {}
    outdated: tuple[str, ...] = ()
    left_out: tuple[int, ...] = ()


class Floor(Struct, frozen=True):
    """What a model that never calls scores on the same tasks (floor.py).

    value: of the benchmark's main rate, from 0 to 1. apart: is the run's own rate above it, beyond doubt? None with
    too few sessions to say.
    """

    value: float
    apart: bool | None


class Metrics(Struct, frozen=True, kw_only=True):
    """All of them. data: the name of data of one's own, which stands for the benchmark's. tables: the kind of the
    tables, where it is not that of dialogues. tasks, sessions: of the data.

    requested, scored, missing: tasks. not_judgeable: by scoring, scored ones whose recording ends too early for it,
    where there are any. uncertified: requested ones without a certificate (benchmarks/certificates.py), where there are
    any. differences: for every two scorings, in how many tasks their labels differ.
    formula: how the main number is made; style: how was asked (None: nobody said); ended_by: who ended conversations,
    and how often. endings: of all replies; signs: what is conspicuous about them, if anything; interface: how calls
    came through, where a server stood between; overflows: tasks whose conversation was longer than the endpoint's
    context. version: of these tables; headline: the benchmark's scoring.
    variant: the name of that of the tool lists, if it was asked with one. sources: what they were made from, and with
    them, by sha256. What a benchmark does not have is UNSET, and not written.
    """

    benchmark: str = ""
    data: str | UnsetType = UNSET
    tables: str | UnsetType = UNSET
    language: str = ""
    tasks: int = 0
    sessions: int = 0
    requested: int = 0
    scored: int = 0
    missing: int = 0
    not_judgeable: dict[str, int] | UnsetType = UNSET
    uncertified: int | UnsetType = UNSET
    formula: str | UnsetType = UNSET
    style: str | UnsetType | None = UNSET
    ended_by: dict[str, int] | UnsetType = UNSET
    floor: Floor | UnsetType = UNSET
    effort: Effort = Effort()
    endings: Endings | UnsetType = UNSET
    signs: tuple[Sign, ...] | UnsetType = UNSET
    interface: Interface | UnsetType = UNSET
    overflows: int = 0
    differences: dict[str, dict[str, int]] = {}
    sensitivity: list[ScoringPair] = []
    scorings: dict[str, Tables] = {}
    figures: dict[str, RouteNumbers] | UnsetType = UNSET
    version: int | UnsetType = UNSET
    headline: str | UnsetType = UNSET
    agreement: Agreement | UnsetType = UNSET
    sources: dict[str, str] | UnsetType = UNSET
    corrections: AppliedCorrections | UnsetType = UNSET
    variant: str | UnsetType = UNSET

    @property
    def title(self) -> str:
        """What was measured, for people."""
        return self.data or self.benchmark

    def rate(self, scoring: str, table: str, row: str) -> Rate | None:
        return self.scorings.get(scoring, {}).get(table, {}).get(row)

    def rows(self, scoring: str, table: str) -> Rows:
        """Those of a table; none where the scoring does not have it."""
        return self.scorings.get(scoring, {}).get(table, {})


def names_in(table: str, metrics: Iterable[Metrics]) -> list[str]:
    """The names of the rows that any scoring of any of these runs has in a table."""
    names: Mapping[str, None] = {
        row: None for run in metrics for tables in run.scorings.values() for row in tables.get(table, {})
    }
    return list(names)


def encode_metrics(metrics: Metrics) -> bytes:
    """The bytes of metrics.json: indented, the same for the same content."""
    return msgspec.json.format(msgspec.json.encode(metrics), indent=1) + b"\n"
