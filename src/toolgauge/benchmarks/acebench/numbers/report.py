"""The numbers of ACEBench: which tables are shown, the sheets that the original offers beside details.csv, and what
error analysis knows of entries: groups, categories, and what was expected.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from toolgauge.analysis.causes.examples import ANSWERS, ANY, LINE, About, ErrorExample, Place, call_text, said_in
from toolgauge.analysis.layout import Layout, TableSection, frequent, named, pass_rows, section
from toolgauge.analysis.numbers import Metrics, Rows
from toolgauge.analysis.reports import Report
from toolgauge.analysis.titles import declare
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, called_name
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.data.lines import as_json
from toolgauge.data.task_ids import without_epoch
from toolgauge.episode import ASSISTANT, Trajectory
from toolgauge.judge.verdict import EXACT, RELEASED, Score
from toolgauge.locale import Text, _, pgettext
from toolgauge.visible import one_line

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
    counted = section(tables, language, "error_types", ("error_types", frequent(tables.get("error_types", {}))))
    return [
        section(tables, language, "groups", *summaries),
        named("passes", pass_rows(tables, language, brief=brief), language),
        section(tables, language, "normal_categories", ("categories", _of_group("normal", categories))),
        section(tables, language, "special_categories", ("categories", _of_group("special", categories))),
        section(tables, language, "agent_categories", ("categories", _of_group("agent", categories))),
        section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {})))),
        *([] if scoring == EXACT else [counted]),
    ]


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
        from toolgauge.benchmarks.acebench.numbers.tables import FORMULA, published

        told = _Told()
        found = super().metrics(benchmark, dataset, scores, requested, told.watch(trajectories), model)
        if RELEASED in found.scorings:
            from toolgauge.analysis.sheet import Sheet

            tables = found.scorings[RELEASED]
            every = tables["categories"] | tables["groups"] | tables["overall"]
            values = published(Sheet(self.table(dataset, scores, requested, ()), RELEASED))
            tables["published"] = {row: replace(every[row], value=value, ci95=None) for row, value in values.items()}
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


_NEEDS: Mapping[str, str] = {
    AceError.DETECTION: "special",
    AceError.CORRECTION: "special",
    AceError.CLASS_NUMBER: "agent",
    AceError.CLASS_ATTRIBUTES: "agent",
}


class AceDescriber:
    needs = _NEEDS

    def __init__(self, dataset: AceDataset) -> None:
        self._dataset = dataset

    def about(self, score: Score) -> About:
        entry = self._dataset.by_id.get(without_epoch(score.task_id))
        if entry is None:
            return frozenset(), frozenset({ANY})
        places: set[Place] = {("group", entry.kind.group), ("category", entry.category)}
        if entry.turn is not None:
            places.add(("position", str(entry.turn + 1)))
        answer = entry.answers[0] if entry.answers and entry.kind.group == "normal" else None
        names = {function.name for function in entry.functions}
        for key, arguments in answer.items() if isinstance(answer, dict) else ():
            name = called_name(str(key), names)
            places.add(("tool", name))
            if isinstance(arguments, dict):
                places.update(("parameter", f"{name}.{parameter}") for parameter in arguments)
        return frozenset(places), frozenset({ANY, entry.kind.group})

    def length(self, session_id: str) -> int:  # noqa: ARG002 - whole sessions are no rate of this benchmark
        return 0

    def examples(self, trajectory: Trajectory, wanted: Collection[str]) -> Iterator[tuple[str, ErrorExample]]:
        from toolgauge.benchmarks.acebench.judge.pairing import wrong_in_entry

        entry = self._dataset.by_id.get(without_epoch(trajectory.task_id, trajectory.epoch))
        if entry is not None and trajectory.task_id in wanted:
            done = tuple(said_in(step.reply) for step in trajectory.steps if step.role == ASSISTANT)
            wrong = wrong_in_entry(entry, trajectory)
            yield trajectory.task_id, ErrorExample(_question(entry), _answer(entry), done, wrong)


def _question(entry: AceEntry) -> str:
    """The user's last words: questions of sessions hold the dialogue so far."""
    words = entry.question[-20_000:]
    last = max(words.rfind("user:"), words.rfind("user："))
    return one_line(words[last + 5 :] if last >= 0 else words, LINE)


def _answer(entry: AceEntry) -> tuple[str, ...]:
    if entry.kind.group == "agent":
        steps: Sequence[str] = entry.milestones[0] if entry.milestones else ()
        return tuple(one_line(step, LINE) for step in steps[:8])
    answer = entry.answers[0] if entry.answers else None
    if entry.kind.group == "normal" and isinstance(answer, Mapping):
        return tuple(call_text(key, arguments) for key, arguments in answer.items())
    return (f"{ANSWERS} {one_line(answer if isinstance(answer, str) else as_json(answer), LINE)}",)
