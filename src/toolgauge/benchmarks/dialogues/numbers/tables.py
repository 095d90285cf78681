"""The tables of both papers, as rows of hits and trials. Each function adds a table; `TABLES` is all, ours too.

Source: docs/rules.md#the-numbers; M7: docs/rules.md#defect-by-defect. Row names are stable identifiers;
headings for people are in `titles.py`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from toolgauge.analysis.rates import RateRow
from toolgauge.benchmarks.dialogues.judge.paper_classes import PAPER_TABLES
from toolgauge.benchmarks.dialogues.numbers.breakdowns import (
    arguments,
    near_misses,
    reference_by_position,
    sessions_by_correct,
    sizes,
)
from toolgauge.benchmarks.dialogues.numbers.passes import passes
from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder
from toolgauge.benchmarks.dialogues.numbers.task_frame import POSITIONS
from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.judge.mistakes import Mistake

__all__ = ["TABLES", "RateRow", "RowBuilder"]

SHAPES = {
    "parallel": TaskType.PARALLEL_TOOLS,
    "sequential": TaskType.SEQUENTIAL_TOOLS,
    "mixed": TaskType.MIXED_TOOLS,
}


def overall(sheet: RowBuilder) -> None:
    sheet.rate("overall", "task_accuracy", sheet.columns.everything)
    sheet.sessions("overall", "session_accuracy", sheet.passes.perfect, sheet.passes.decided)


def by_type(sheet: RowBuilder) -> None:
    """The four kinds and the fine types by label (clarify and chat are both)."""
    for kind in KINDS:
        sheet.rate("by_type", kind, sheet.columns.kind == kind)
    for fine in TaskType:
        if fine.value not in KINDS:
            sheet.rate("by_type", fine.value, sheet.columns.type == fine.value)
    if sheet.columns.unservable.any():
        sheet.rate("by_type", "unservable", sheet.columns.unservable)


def facts(sheet: RowBuilder) -> None:
    """Of annotated facts those that replies mention (docs/rules.md#facts-in-replies): the same in every scoring."""
    columns = sheet.columns
    if columns.facts.any():
        mentioned, total = columns.facts_mentioned
        every = ((mentioned == total) & (total > 0)).astype(float)
        sheet.ratio("facts", "facts_mentioned", columns.facts > 0, mentioned, total)
        sheet.ratio("facts", "all_facts_mentioned", columns.facts > 0, every, (total > 0).astype(float))


def by_order(sheet: RowBuilder) -> None:
    for position in sheet.columns.positions:
        sheet.rate("by_order", str(position), sheet.columns.position == position)


def references(sheet: RowBuilder) -> None:
    """Figure 6. `later` is every task but a session's first."""
    reference = sheet.columns.reference
    sheet.rate("references", "first_turn", sheet.columns.position == 1)
    sheet.rate("references", "later", sheet.columns.position > 1)
    for name in _hidden():
        sheet.rate("references", name, reference == name)


def orchestration(sheet: RowBuilder) -> None:
    """Table 3 and 7: accuracy, optimal path and accomplish progress by the shape of the graph.

    `_as_published` counts an argument error as full progress, as the papers' tables do (M7): to stand beside them.
    """
    columns, outcomes = sheet.columns, sheet.outcomes
    shaped = {name: columns.shape == shape.value for name, shape in SHAPES.items()}
    for name, members in shaped.items():
        sheet.rate("orchestration", f"acc_{name}", members)
    sheet.rate("orchestration", "acc_overall", columns.kind == "multi")
    for name in ("parallel", "mixed"):
        sheet.rate("orchestration", f"op_{name}", shaped[name], outcomes.optimal)
    sheet.rate("orchestration", "op_overall", shaped["parallel"] | shaped["mixed"], outcomes.optimal)
    chained = {name: shaped[name] for name in ("sequential", "mixed")}
    chained["overall"] = shaped["sequential"] | shaped["mixed"]
    for name, members in chained.items():
        sheet.ratio("orchestration", f"ap_{name}", members, outcomes.done, outcomes.calls)
    for name, members in chained.items():
        sheet.ratio("orchestration", f"ap_{name}_as_published", members, outcomes.executed, outcomes.calls)


def transitions(sheet: RowBuilder) -> None:
    """Figure 7, by prefix: with four kinds, and with two groups of kinds (tool needed or not)."""
    counts = {"transitions": sheet.columns.transitions, "transitions_two_groups": sheet.columns.group_transitions}
    for table, count in counts.items():
        for number in range(max(POSITIONS, int(count.max()) + 1)):
            sheet.rate(table, str(number), count == number)


def transition_pairs(sheet: RowBuilder) -> None:
    """Accuracy of a task by the kind of the task before it and its own."""
    for before in KINDS:
        for now in KINDS:
            members = (sheet.columns.kind_before == before) & (sheet.columns.kind == now)
            sheet.rate("transition_pairs", f"{before}>{now}", members)


def mistakes(sheet: RowBuilder) -> None:
    """Share of failing tasks per cause, and by the columns of both papers, as the scoring counts them."""
    outcomes = sheet.outcomes
    failed, everything = outcomes.failed, sheet.columns.everything
    sheet.shares("mistakes", [mistake.value for mistake in Mistake], outcomes.mistakes, failed, everything)
    known = {mistake.value: mistake for mistake in Mistake}
    for table, (names, mapping) in PAPER_TABLES.items():
        renamed = [mapping[known[name]] if name in known else name for name in outcomes.counted]
        sheet.shares(table, names, renamed, failed, everything)


def layers(sheet: RowBuilder) -> None:
    """MMTB's first analysis: kind x position, for the whole label (`layers`) and the action label (`layers_action`)."""
    columns, outcomes = sheet.columns, sheet.outcomes
    kinds = {kind: columns.kind == kind for kind in KINDS} | {"all": columns.everything}
    positions = {str(number): columns.position == number for number in sheet.columns.positions} | {
        "all": columns.everything
    }
    for table, hits in (("layers", outcomes.correct), ("layers_action", outcomes.action)):
        for position, here in positions.items():
            for kind, alike in kinds.items():
                sheet.rate(table, f"{kind}@{position}", alike & here, hits)


def turn_types(sheet: RowBuilder) -> None:
    """MMTB's fourth and fifth analysis: does the task need the context, and in which way (true multi-turn only)?"""
    columns = sheet.columns
    sheet.rate("turn_type", "true", columns.needs_context)
    sheet.rate("turn_type", "false", ~columns.needs_context)
    for name in _hidden():
        sheet.rate("subtypes", name, columns.needs_context & (columns.reference == name))


def parameter_errors(sheet: RowBuilder) -> None:
    """MMTB's sixth analysis: wrong arguments by the signature of their schema type, most frequent first."""
    found = [_wrong_parameters(sheet, score.task_id) if score else () for score in sheet.columns.scores]
    totals = np.array([len(signatures) for signatures in found], dtype=float)
    hits = {
        name: np.array([signatures.count(name) for signatures in found], dtype=float)
        for name in {name for signatures in found for name in signatures}
    }
    for name in sorted(hits, key=lambda name: (-hits[name].sum(), name)):
        sheet.part("parameter_errors", name, sheet.columns.everything, hits[name], totals)


def _wrong_parameters(sheet: RowBuilder, task_id: str) -> tuple[str, ...]:
    facts = sheet.facts.get(task_id)
    return tuple(facts.wrong_parameters.get(sheet.scoring, ())) if facts else ()


def _hidden() -> list[str]:
    return [reference.value for reference in Reference if reference is not Reference.FIRST_TURN]


TABLES: tuple[Callable[[RowBuilder], None], ...] = (
    overall,
    by_type,
    facts,
    by_order,
    references,
    orchestration,
    transitions,
    transition_pairs,
    mistakes,
    layers,
    turn_types,
    parameter_errors,
    reference_by_position,
    sizes,
    arguments,
    sessions_by_correct,
    near_misses,
    passes,
)
