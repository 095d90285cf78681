"""The numbers of WildToolBench, MMTB and data of one's own: which tables are shown, in which order, how headed.
The parts are imported when they are needed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from toolgauge.analysis.layout import (
    Headed,
    Layout,
    TableSection,
    facet_rows,
    facet_section,
    frequent,
    named,
    pass_rows,
    section,
)
from toolgauge.analysis.numbers import Metrics, RouteNumbers, Tables
from toolgauge.analysis.reports import Report
from toolgauge.analysis.titles import declare, title
from toolgauge.benchmarks.dialogues.numbers import facets
from toolgauge.benchmarks.dialogues.numbers.facets import TASKS_ALIKE, counting
from toolgauge.data.session import KINDS, Dataset
from toolgauge.episode import Trajectory
from toolgauge.judge.verdict import EXACT, Score
from toolgauge.locale import Text, _, translated

if TYPE_CHECKING:
    from toolgauge.analysis.causes.examples import TaskDescriber
    from toolgauge.analysis.sheet import RateRow, Sheet
    from toolgauge.analysis.table import RunTable


KINDS_AND_SHAPES = (
    "single", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat", "unservable",
)  # fmt: skip
BY_SHAPE = _(
    "By the shape of the annotated calls, not by the label of the task: tasks that begin with a question can be among "
    "them, so n differs from the table of accuracy."
)
MOST_PARAMETERS = 10
_right = counting(_("{count} right"))


def dialogue_sections(metrics: Metrics, scoring: str, language: str, brief: bool) -> list[TableSection]:
    """The tables of a scoring; brief: those of the terminal.

    What the papers have comes first, then whole sessions; further facets say what the tasks are like.
    """
    tables, mmtb = metrics.scorings[scoring], metrics.benchmark == "mmtb"
    begin = [
        _accuracy(tables, language),
        named("passes", pass_rows(tables, language, brief), language),
        *_mistakes(metrics, scoring, language),
    ]
    parameters = named("parameter_errors", _parameter_rows(tables, language), language)
    turn_type = facet_section(facets.TURN_TYPE, tables, language)
    references = facet_section(facets.REFERENCES, tables, language)
    transitions = facet_section(facets.TRANSITIONS, tables, language)
    if brief:
        return [
            *begin,
            _orchestration(tables, language),
            references,
            transitions,
            *([turn_type] if mmtb else []),
            parameters,
        ]
    subtypes = facet_rows(facets.SUBTYPES, tables, language)
    later = [
        row for row in facet_rows(facets.REFERENCE_BY_POSITION, tables, language, True) if "first_turn" not in row[1]
    ]
    pairs = facet_rows(facets.TRANSITION_PAIRS, tables, language, True)
    right = [("sessions_by_correct", row, _right(row, language)) for row in tables.get("sessions_by_correct", {})]
    blocked = frequent(tables.get("near_miss_mistakes", {}))
    return [
        *begin,
        parameters,
        _orchestration(tables, language),
        named("action", _action_rows(tables, language), language),
        references,
        named("reference_by_position", later, language),
        *([turn_type._replace(rows=(*turn_type.rows, *subtypes))] if mmtb else []),
        transitions,
        facet_section(facets.TRANSITIONS_TWO_GROUPS, tables, language),
        named("transition_pairs", pairs, language),
        named("sessions_by_correct", right, language),
        named("near_misses", _near_miss_rows(tables, language), language),
        section(tables, language, "near_miss_mistakes", ("near_miss_mistakes", blocked)),
    ]


def _accuracy(tables: Tables, language: str) -> TableSection:
    overall, facts = tuple(tables.get("overall", {})), tuple(tables.get("facts", {}))
    accuracy = section(
        tables, language, "accuracy", ("overall", overall), ("facts", facts), ("by_type", KINDS_AND_SHAPES)
    )
    return accuracy._replace(rows=(*accuracy.rows, *facet_rows(facets.BY_ORDER, tables, language)))


def _mistakes(metrics: Metrics, scoring: str, language: str) -> Iterator[TableSection]:
    """The causes that occur; beside another scoring than ours also the classes of the benchmark's paper."""
    tables = metrics.scorings[scoring]
    yield section(tables, language, "mistakes", ("mistakes", frequent(tables.get("mistakes", {}))))
    if scoring != EXACT:
        table = "mistakes_mmtb" if metrics.benchmark == "mmtb" else "mistakes_paper"
        yield section(tables, language, "mistakes_counted", (table, tuple(tables.get(table, {}))))


def _orchestration(tables: Tables, language: str) -> TableSection:
    """With a note where the shapes of graphs count other tasks than the labels do."""
    shapes, types = tables.get("orchestration", {}), tables.get("by_type", {})
    found = section(tables, language, "orchestration", ("orchestration", tuple(shapes)))
    pairs = ((shapes.get(f"acc_{name}"), types.get(f"{name}_tools")) for name in ("parallel", "sequential", "mixed"))
    differs = any(shape and label and shape.total != label.total for shape, label in pairs)
    return found._replace(note=translated(BY_SHAPE, language)) if differs else found


def _action_rows(tables: Tables, language: str) -> Headed:
    """The action label of all tasks, and by kind."""
    for kind in ("all", *KINDS):
        if f"{kind}@all" in tables.get("layers_action", {}):
            heading = title("task_accuracy" if kind == "all" else kind, language)
            yield "layers_action", f"{kind}@all", heading


def _near_miss_rows(tables: Tables, language: str) -> Headed:
    """The share of near misses, and the kinds that stood in the way; nothing where no session was scored whole."""
    rows = tables.get("near_misses", {})
    if "one_task_short" in rows and rows["one_task_short"].total:
        for row in rows:
            heading = title(row, language)
            yield "near_misses", row, heading if row == "one_task_short" else f"· {heading}"


def _parameter_rows(tables: Tables, language: str) -> Headed:
    """The most frequent types of wrong parameters; their rows are named by signatures in JSON."""
    for row in list(tables.get("parameter_errors", {}))[:MOST_PARAMETERS]:
        try:
            signature = json.loads(row)
        except ValueError:
            yield "parameter_errors", row, row
        else:
            yield "parameter_errors", row, _type_in_words(signature, language)


def _type_in_words(signature: Any, language: str) -> str:
    """`["array", ["string"]]` is an array of string; an object has the types of its fields."""
    if not signature:
        return translated(_("not a parameter of the tool"), language)
    name = str(signature[0])
    if name == "array" and len(signature) > 1 and signature[1]:
        return translated(_("array of {type}", type=_type_in_words(signature[1], language)), language)
    if name == "object" and len(signature) > 1 and signature[1]:
        return f"object ({', '.join(_type_in_words(field or ['any'], language) for field in signature[1])})"
    return name


TITLES: dict[str, Text] = {
    "orchestration": _("Multi-tool tasks"),
    "references": _("Hidden information"),
    "transitions": _("By type changes"),
    "mistakes_counted": _("As the paper counts them"),
    "layers": _("Task type × turn"),
    "turn_type": _("Needs the context"),
    "parameter_errors": _("Wrong parameters"),
    "near_misses": _("Near misses"),
    "near_miss_mistakes": _("Causes of near misses"),
    "sessions_by_correct": _("Sessions by right tasks"),
    "action": _("Tools and order alone"),
    "reference_by_position": _("Hidden information × turn"),
    "transitions_two_groups": _("By changes between tool and no tool"),
    "transition_pairs": _("By the type of the task before"),
    "session_accuracy": _("session accuracy"),
    "unservable": _("no tool can serve it"),
    "facts_mentioned": _("facts mentioned"),
    "all_facts_mentioned": _("replies with all facts"),
    "parallel_tools": _("· parallel"),
    "sequential_tools": _("· sequential"),
    "mixed_tools": _("· mixed"),
    "first_turn": _("first turn"),
    "later": _("later turns"),
    "coreference": _("· coreference"),
    "partial_information": _("· partial information"),
    "long_range": _("· long range"),
    "acc_parallel": _("accuracy, parallel"),
    "acc_sequential": _("accuracy, sequential"),
    "acc_mixed": _("accuracy, mixed"),
    "acc_overall": _("accuracy, overall"),
    "op_parallel": _("optimal path, parallel"),
    "op_mixed": _("optimal path, mixed"),
    "op_overall": _("optimal path, overall"),
    "ap_sequential": _("accomplish progress, sequential"),
    "ap_mixed": _("accomplish progress, mixed"),
    "ap_overall": _("accomplish progress, overall"),
    "ap_sequential_as_published": _("AP as published, sequential"),
    "ap_mixed_as_published": _("AP as published, mixed"),
    "ap_overall_as_published": _("AP as published, overall"),
    "mistakes_paper.refusal": _("refusal"),
    "wrong_name_missing_info": _("wrong name, missing info"),
    "wrong_refusal": _("wrong refusal"),
    "call_error": _("call error"),
    "param_type_error": _("parameter type error"),
    "param_hallucination": _("parameter hallucination"),
    "param_value_error": _("parameter value error"),
    "one_task_short": _("near misses"),
    "reject tool calling": _("reject tool calling"),
    "call function without reject": _("call function without reject"),
    "function name hallucination": _("function name hallucination"),
    "missing information in tool calling": _("missing information in tool calling"),
    "redundant tool calling": _("redundant tool calling"),
    "call the wrong function": _("call the wrong function"),
    "early stop": _("early stop"),
    "miss required params": _("miss required params"),
    "param hallucination": _("param hallucination"),
    "type error": _("type error"),
    "param value hallucination": _("param value hallucination"),
    "param value error": _("param value error"),
}

NOTES: dict[str, Text] = {
    "mistakes_counted": _("The paper’s classes, by its own procedure. Why tasks failed is told by the exact scoring."),
    "near_misses": _(
        "The first row is the share of sessions with one wrong task, the others say of which type that task is."
    ),
    "near_miss_mistakes": _("Why the one failed task failed."),
    "sessions_by_correct": _("Only sessions of which every task is scored."),
    "action": _("Arguments left aside."),
    "transition_pairs": _("The type of the task before and of the task itself."),
}


TYPES = ("single", "multi", "parallel_tools", "sequential_tools", "mixed_tools", "clarify", "chat")
_ACCURACIES = (("overall", "task_accuracy"), ("overall", "session_accuracy"))
declare(TITLES, NOTES)
LAYOUT = Layout(
    "graph",
    dialogue_sections,
    main=("overall", "task_accuracy"),
    tiles=(*_ACCURACIES, ("orchestration", "op_overall"), ("orchestration", "ap_overall")),
    compared=_ACCURACIES,
    charted=(*_ACCURACIES, *(("by_type", row) for row in TYPES)),
    of_steps=tuple(("orchestration", row) for row in ("op_parallel", "op_mixed", "op_overall")),
    facets=TASKS_ALIKE,
    context=(
        *(("references", row) for row in ("later", "coreference", "partial_information", "long_range")),
        *(("by_order", row) for row in "234"),
        *(("by_distance", row) for row in "123"),
    ),
)


class DialogueReport(Report):
    """The tables of benchmarks whose answers are graphs of calls.

    family: whose argument rule they have; decides: the accuracy by which one run is better than another.
    """

    def __init__(self, family: str = "wildtoolbench", decides: str = "task_accuracy") -> None:
        self.family = family
        self.layout = replace(LAYOUT, decides=("overall", decides))

    def table(
        self,
        dataset: Dataset,
        scores: Iterable[Score],
        requested: Iterable[str] | None,
        trajectories: Iterable[Trajectory],
    ) -> RunTable:
        from toolgauge.benchmarks.dialogues.numbers.tables import dialogue_table

        return dialogue_table(dataset, scores, requested, trajectories)

    def rows(self, sheet: Sheet) -> Iterator[RateRow]:
        from toolgauge.benchmarks.dialogues.numbers.tables import dialogue_rows

        return dialogue_rows(sheet)

    def figures(self, sheet: Sheet) -> RouteNumbers:
        from toolgauge.benchmarks.dialogues.numbers.tables import route_numbers

        return route_numbers(sheet)

    def write_details(
        self,
        path: Path,
        dataset: Dataset,
        scores: Sequence[Score],
        trajectories: Iterable[Trajectory],
        model: str = "",  # noqa: ARG002 - the rows do not name it
    ) -> None:
        from toolgauge.benchmarks.dialogues.judge.scorings import ARGUMENT_RULES
        from toolgauge.benchmarks.dialogues.numbers.details import write_details

        write_details(path, dataset, scores, trajectories, ARGUMENT_RULES[self.family], self.layout.facets)

    def write_as_published(
        self, path: Path, dataset: Dataset, scores: Sequence[Score], trajectories: Iterable[Trajectory]
    ) -> None:
        """The original's table of details, for `export --as-published`."""
        from toolgauge.benchmarks.dialogues.numbers.details import write_as_published

        write_as_published(path, dataset, scores, trajectories)

    def describer(self, dataset: Dataset) -> TaskDescriber:
        from toolgauge.analysis.causes.examples import SessionDescriber
        from toolgauge.benchmarks.dialogues.judge.scorings import ARGUMENT_RULES

        return SessionDescriber(dataset, ARGUMENT_RULES[self.family])
