"""The numbers of ACEBench: which tables are shown, and the sheets that the original offers beside details.csv."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from toolgauge.analysis.layout import Layout, TableSection, frequent, named, section
from toolgauge.analysis.numbers import Metrics, Rows, Tables
from toolgauge.analysis.passes import pass_rows
from toolgauge.analysis.titles import declare
from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.benchmarks.acebench.numbers.titles import NOTES, TITLES
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import EXACT, Score
from toolgauge.locale import _

if TYPE_CHECKING:
    from toolgauge.analysis.compare.pairing import Pairs, Side
    from toolgauge.analysis.decide import PairedTable
    from toolgauge.analysis.error_analysis.cases import TaskDescriber
    from toolgauge.analysis.rates import RateRow

GROUPS = ("normal", "special", "agent")
_SUMMARY = (("overall", "overall"), *(("groups", group) for group in GROUPS))
declare(TITLES, NOTES)


def ace_sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    """The tables of a scoring; brief: with the usual pass@k only, as in the terminal."""
    tables = metrics.scorings[scoring]
    summaries = (("overall", ("overall",)), ("groups", tuple(tables.get("groups", {}))))
    categories = tables.get("categories", {})
    return [
        section(tables, language, "groups", *summaries),
        named("passes", pass_rows(tables, language, brief=brief), language),
        section(tables, language, "normal_categories", ("categories", _of_group("normal", categories))),
        section(tables, language, "special_categories", ("categories", _of_group("special", categories))),
        section(tables, language, "agent_categories", ("categories", _of_group("agent", categories))),
        section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {})))),
        *([] if scoring == EXACT else [_counted(tables, language)]),
    ]


def _counted(tables: Tables, language: str) -> TableSection:
    """The error types that the public scorer names."""
    return section(tables, language, "error_types", ("error_types", frequent(tables.get("error_types", {}))))


def _of_group(group: str, rows: Rows) -> list[str]:
    """The rows of a group's categories that were to be done."""
    return [name for name, row in rows.items() if name.startswith(f"{group}_") and (row.requested or row.total)]


LAYOUT = Layout(
    "acebench",
    ace_sections,
    main=("overall", "overall"),
    decides=("overall", "overall"),
    tiles=_SUMMARY,
    compared=(("overall", "overall"),),
    charted=_SUMMARY,
    summary=tuple((name, name) for name in ("overall", *GROUPS)),
    remark=_("(Every entry weighs the same here; ACEBench's overall value weighs groups.)"),
)


class AceReport(Struct, frozen=True):
    layout: Layout = LAYOUT

    @property
    def sheets(self) -> tuple[str, ...]:
        from toolgauge.benchmarks.acebench.numbers.details import SUMMARY_CSV, SUMMARY_XLSX

        return SUMMARY_CSV, SUMMARY_XLSX

    def metrics(
        self,
        benchmark: str,
        dataset: AceDataset,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> Metrics:
        from toolgauge.benchmarks.acebench.numbers.metrics import ace_metrics

        return ace_metrics(benchmark, dataset, scores, requested, trajectories, model)

    def rows(
        self,
        dataset: AceDataset,
        scores: Sequence[Score],
        requested: Sequence[str] | None,
        trajectories: Iterable[Trajectory],  # noqa: ARG002 - no row needs them
        scoring: str,
    ) -> list[RateRow]:
        from toolgauge.benchmarks.acebench.numbers.rows import ace_rows

        return ace_rows(dataset, scores, requested, scoring)

    def write_details(
        self,
        path: Path,
        dataset: AceDataset,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",
    ) -> None:
        from toolgauge.benchmarks.acebench.numbers.details import write_ace_details

        write_ace_details(path, dataset, scores, trajectories, model)

    def features(
        self,
        dataset: AceDataset,  # noqa: ARG002 - scores are enough
        scores: Sequence[Score],  # noqa: ARG002
        trajectories: Iterable[Trajectory],  # noqa: ARG002
    ) -> Mapping[str, object]:
        return {}

    def compare(self, sides: tuple[Side, Side], pairs: Pairs, scorings: Sequence[str]) -> dict[str, PairedTable]:
        from toolgauge.benchmarks.acebench.numbers.compare import compare_acebench

        return compare_acebench(sides, pairs, scorings)

    def describer(self, dataset: AceDataset) -> TaskDescriber:
        from toolgauge.benchmarks.acebench.numbers.describer import AceDescriber

        return AceDescriber(dataset)
