"""The numbers of ACEBench: which tables are shown, and the sheets that the original offers beside details.csv."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolgauge.analysis.layout import Layout, TableSection, frequent, named, pass_rows, section
from toolgauge.analysis.numbers import Metrics, Rows, Tables
from toolgauge.analysis.reports import TableReport
from toolgauge.analysis.titles import declare
from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.benchmarks.acebench.numbers.titles import NOTES, TITLES
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import EXACT, RELEASED, Score
from toolgauge.locale import _

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import TaskDescriber
    from toolgauge.analysis.table import RateRow, RunTable, Sheet

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


class AceReport(TableReport):
    layout = LAYOUT
    sheets = ("summary.csv", "summary.xlsx")

    def table(
        self,
        dataset: AceDataset,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        trajectories: Iterable[Trajectory],  # noqa: ARG002 - no row needs them
    ) -> RunTable:
        from toolgauge.benchmarks.acebench.numbers.tables import ace_table

        return ace_table(dataset, scores, requested)

    def rows(self, sheet: Sheet) -> Iterator[RateRow]:
        from toolgauge.benchmarks.acebench.numbers.tables import ace_rows

        return ace_rows(sheet)

    def metrics(
        self,
        benchmark: str,
        dataset: AceDataset,
        scores: Sequence[Score],
        requested: Sequence[str],
        trajectories: Iterable[Trajectory] = (),
        model: str = "",
    ) -> Metrics:
        """What other benchmarks have, and ACEBench's formula.

        In multi-turn categories a whole session counts once, so the groups add up to the sizes behind the published
        weights; the counts at the top and of error types are entries. Table `published` in the scoring `released`: the
        numbers as the original rounds and prints them.
        """
        from toolgauge.benchmarks.acebench.numbers.tables import FORMULA

        told = _Told()
        found = super().metrics(benchmark, dataset, scores, requested, told.watch(trajectories), model)
        if RELEASED in found.scorings:
            from toolgauge.analysis.table import Sheet

            table = self.table(dataset, scores, requested, ())
            found.scorings[RELEASED]["published"] = _printed(Sheet(table, RELEASED), found.scorings[RELEASED])
        return replace(found, formula=FORMULA, style=told.style, ended_by=dict(sorted(told.ended_by.items())))

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

    def describer(self, dataset: AceDataset) -> TaskDescriber:
        from toolgauge.benchmarks.acebench.numbers.describer import AceDescriber

        return AceDescriber(dataset)


class _Told:
    """In which styles was asked, and who ended the agents' conversations: taken from trajectories that stream by."""

    def __init__(self) -> None:
        self._styles: set[str] = set()
        self.ended_by: Counter[str] = Counter()

    @property
    def style(self) -> str | None:
        return ", ".join(sorted(self._styles)) or None

    def watch(self, trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
        for trajectory in trajectories:
            style, end = trajectory.extra.get("style"), trajectory.extra.get("ended_by")
            self._styles |= {style} if isinstance(style, str) else set()
            self.ended_by.update([end] if isinstance(end, str) else [])
            yield trajectory


def _printed(sheet: Sheet, tables: Tables) -> Rows:
    """The numbers that the original prints, with the counts of ours."""
    from toolgauge.benchmarks.acebench.numbers.published import published

    every = tables["categories"] | tables["groups"] | tables["overall"]
    return {row: replace(every[row], value=value, ci95=None) for row, value in published(sheet).items()}
