"""The numbers of ACEBench: which tables are shown, and the sheets that the original offers beside details.csv."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolgauge.analysis.layout import Layout, TableSection, frequent, named, pass_rows, section
from toolgauge.analysis.numbers import Metrics, Rows, Tables
from toolgauge.analysis.reports import Report
from toolgauge.analysis.titles import declare
from toolgauge.benchmarks.acebench.data import AceDataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import EXACT, RELEASED, Score
from toolgauge.locale import Text, _, pgettext

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import TaskDescriber
    from toolgauge.analysis.sheet import RateRow, Sheet
    from toolgauge.analysis.table import RunTable

TITLES: dict[str, Text] = {
    "groups": _("Groups"),
    "normal_categories": _("Normal"),
    "special_categories": _("Special"),
    "agent_categories": _("Agent"),
    "error_types": _("As the public scorer counts them"),
    "overall": _("overall"),
    "normal": _("normal"),
    "atom": _("· atom"),
    "single_turn": _("· single turn"),
    "multi_turn": _("· multi-turn"),
    "multi_turn_process": _("· multi-turn, process"),
    "special": _("special"),
    "special_detection": _("· detected"),
    "agent": _("agent"),
    "agent_process": _("· process"),
    "normal_single_turn_single_function": _("single function"),
    "normal_single_turn_parallel_function": _("parallel functions"),
    "normal_multi_turn_user_adjust": _("user adjusts"),
    "normal_multi_turn_user_adjust_process": _("· process"),
    "normal_multi_turn_user_switch": _("user switches"),
    "normal_multi_turn_user_switch_process": _("· process"),
    "normal_similar_api": _("similar functions"),
    "normal_preference": _("preference"),
    "normal_atom_bool": _("atom: bool"),
    "normal_atom_enum": _("atom: enum"),
    "normal_atom_number": _("atom: number"),
    "normal_atom_list": _("atom: list"),
    "normal_atom_object_deep": _("atom: deep object"),
    "normal_atom_object_short": _("atom: short object"),
    "special_incomplete": _("missing information"),
    "special_incomplete_detection": _("· detected"),
    "special_error_param": _("malformed value"),
    "special_error_param_detection": _("· detected"),
    "special_irrelevant": _("irrelevant"),
    "special_irrelevant_detection": _("· detected"),
    "agent_multi_step": _("multi-step"),
    "agent_multi_step_process": _("· process"),
    "agent_multi_turn": _("multi-turn"),
    "agent_multi_turn_process": _("· process"),
    "simple_function_checker:unclear": _("unclear (simple_function_checker)"),
    "wrong_output_format": _("wrong output format"),
    "wrong functions number": _("wrong functions number"),
    "function_mismatch": _("function mismatch"),
    "wrong_param": _("wrong param"),
    "wrong_function_name": _("wrong function name"),
    "lack_args": _("lack args"),
    "addition_args": _("addition args"),
    "type_error": pgettext("error type", "type error"),
    "value_error:string": _("value error:string"),
    "value_error:list/tuple": _("value error:list/tuple"),
    "value_error": _("value error"),
    "value_error:list_dict_count": _("value error:list dict count"),
    "value_error:dict_items": _("value error:dict items"),
    "error_detection": _("error detection"),
    "error_correction": _("error correction"),
    "wrong number of class": _("wrong number of class"),
    "class attributes wrong": _("class attributes wrong"),
}

NOTES: dict[str, Text] = {
    "error_types": _("The public scorer’s error types. Why entries failed is told by the exact scoring."),
}


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


class AceReport(Report):
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
            from toolgauge.analysis.sheet import Sheet

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
    from toolgauge.benchmarks.acebench.numbers.tables import published

    every = tables["categories"] | tables["groups"] | tables["overall"]
    return {row: replace(every[row], value=value, ci95=None) for row, value in published(sheet).items()}
