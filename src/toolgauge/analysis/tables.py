"""The tables of both papers, as rows of hits and trials. Each function adds one table; `TABLES` is all of them.

Source: spec, sections 5.2 to 5.9. Row names are stable identifiers; headings for people are in `titles.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from toolgauge.analysis.columns import Columns, Mask, Outcomes
from toolgauge.analysis.facts import TaskFacts
from toolgauge.analysis.intervals import Floats
from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.judge.mistakes import MMTB_CLASSES, PAPER_COLUMNS, Mistake

SHAPES = {
    "parallel": TaskType.PARALLEL_TOOLS,
    "sequential": TaskType.SEQUENTIAL_TOOLS,
    "mixed": TaskType.MIXED_TOOLS,
}
POSITIONS = 4
"""Tasks per session in the public sets; tables by position have at least this many rows."""
SMALLEST_GROUP = 10
"""Groups by length of the conversation with fewer scored tasks than this are left out, as in MMTB's analysis."""

TABLE_4 = (
    "refusal", "wrong_name_missing_info", "wrong_refusal", "redundant_call", "call_error", "early_termination",
    "param_type_error", "param_hallucination", "param_value_error",
)  # fmt: skip
"""Columns of WildToolBench's Table 4, in its order."""
MMTB_ERRORS = (
    "reject tool calling", "call function without reject", "function name hallucination",
    "missing information in tool calling", "redundant tool calling", "call the wrong function", "early stop",
    "miss required params", "param hallucination", "type error", "param value hallucination", "param value error",
)  # fmt: skip
"""MMTB's error classes, in its order."""


class Row(NamedTuple):
    """One rate: hits and trials per session; requested, scored and missing count tasks (or whole sessions).

    hits, trials: one number for each session of the data set, in its order, 0 where nothing counts: the rows of two
    runs on the same data can be compared session by session.
    """

    table: str
    name: str
    hits: Floats
    trials: Floats
    requested: int | None
    scored: int
    missing: int | None


class Sheet:
    """Collects the rows of one reading."""

    def __init__(self, columns: Columns, outcomes: Outcomes, reading: str, facts: Mapping[str, TaskFacts]) -> None:
        self.columns, self.outcomes, self.reading, self.facts = columns, outcomes, reading, facts
        self.rows: list[Row] = []

    def rate(self, table: str, name: str, members: Mask, hits: Floats | None = None) -> None:
        """Share of scored member tasks with a hit (by default: that are correct)."""
        hits = self.outcomes.correct if hits is None else hits
        self.ratio(table, name, members, hits, self.outcomes.scored.astype(float))

    def ratio(self, table: str, name: str, members: Mask, hits: Floats, trials: Floats) -> None:
        """Sum of hits over sum of trials, both over member tasks."""
        requested, scored = self.columns.requested, self.outcomes.scored
        self.rows.append(
            Row(
                table,
                name,
                self._by_session(hits * members),
                self._by_session(trials * members),
                None if requested is None else int((requested & members).sum()),
                int((scored & members).sum()),
                None if requested is None else int((requested & ~scored & members).sum()),
            )
        )

    def sessions(self, table: str, name: str) -> None:
        """Share of passes through a session, all tasks of it scored, in which all of them are correct."""
        columns, sizes = self.columns, self.columns.unit_sizes
        complete = np.add.reduceat(self.outcomes.scored.astype(int), columns.unit_starts) == sizes
        right = complete & (np.add.reduceat(self.outcomes.correct, columns.unit_starts) == sizes)
        requested = missing = None
        if columns.requested is not None:
            asked = np.add.reduceat(columns.requested.astype(int), columns.unit_starts) == sizes
            requested, missing = int(asked.sum()), int((asked & ~complete).sum())
        hits, trials = np.zeros(len(columns)), np.zeros(len(columns))
        hits[columns.unit_starts], trials[columns.unit_starts] = right, complete
        row = (self._by_session(hits), self._by_session(trials), requested, int(complete.sum()), missing)
        self.rows.append(Row(table, name, *row))

    def _by_session(self, values: Floats) -> Floats:
        sums = np.zeros(self.columns.sessions)
        sums[self.columns.clusters] = np.add.reduceat(values, self.columns.cluster_starts)
        return sums


def overall(sheet: Sheet) -> None:
    sheet.rate("overall", "task_accuracy", sheet.columns.everything)
    sheet.sessions("overall", "session_accuracy")


def by_type(sheet: Sheet) -> None:
    """The four kinds and the fine types by label (clarify and chat are both)."""
    for kind in KINDS:
        sheet.rate("by_type", kind, sheet.columns.kind == kind)
    for fine in TaskType:
        if fine.value not in KINDS:
            sheet.rate("by_type", fine.value, sheet.columns.type == fine.value)


def by_order(sheet: Sheet) -> None:
    for position in _positions(sheet):
        sheet.rate("by_order", str(position), sheet.columns.position == position)


def references(sheet: Sheet) -> None:
    """Figure 6. `later` is every task but a session's first."""
    reference = sheet.columns.reference
    sheet.rate("references", "first_turn", sheet.columns.position == 1)
    sheet.rate("references", "later", sheet.columns.position > 1)
    for name in _hidden():
        sheet.rate("references", name, reference == name)


def orchestration(sheet: Sheet) -> None:
    """Table 3 and 7: accuracy, optimal path and accomplish progress by the shape of the graph (spec 5.4).

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


def transitions(sheet: Sheet) -> None:
    """Figure 7, by prefix: with four kinds, and with two groups of kinds (tool needed or not)."""
    counts = {"transitions": sheet.columns.transitions, "transitions_two_groups": sheet.columns.group_transitions}
    for table, count in counts.items():
        for number in range(max(POSITIONS, int(count.max()) + 1)):
            sheet.rate(table, str(number), count == number)


def transition_pairs(sheet: Sheet) -> None:
    """Accuracy of a task by the kind of the task before it and its own."""
    for before in KINDS:
        for now in KINDS:
            members = (sheet.columns.kind_before == before) & (sheet.columns.kind == now)
            sheet.rate("transition_pairs", f"{before}>{now}", members)


def mistakes(sheet: Sheet) -> None:
    """Share of failing tasks per class: ours, and the columns of both papers."""
    found = sheet.outcomes.mistakes
    _shares(sheet, "mistakes", [mistake.value for mistake in Mistake], found)
    known = {mistake.value: mistake for mistake in Mistake}
    for table, names, mapping in (
        ("mistakes_paper", TABLE_4, PAPER_COLUMNS),
        ("mistakes_mmtb", MMTB_ERRORS, MMTB_CLASSES),
    ):
        _shares(sheet, table, names, [mapping[known[name]] if name in known else name for name in found])


def _shares(sheet: Sheet, table: str, names: Iterable[str], found: list[str | None]) -> None:
    classes = np.array([name or "" for name in found], dtype=np.str_)
    failed = sheet.outcomes.failed
    unnamed = "unclassified" if ((classes == "") & (failed > 0)).any() else None
    others = sorted({name for name in found if name} - set(names))
    for name in (*names, *others):
        sheet.ratio(table, name, sheet.columns.everything, failed * (classes == name), failed)
    if unnamed:
        sheet.ratio(table, unnamed, sheet.columns.everything, failed * (classes == ""), failed)


def layers(sheet: Sheet) -> None:
    """MMTB's first analysis: kind x position, for the whole label (`layers`) and the action label (`layers_action`)."""
    columns, outcomes = sheet.columns, sheet.outcomes
    kinds = {kind: columns.kind == kind for kind in KINDS} | {"all": columns.everything}
    positions = {str(number): columns.position == number for number in _positions(sheet)} | {"all": columns.everything}
    for table, hits in (("layers", outcomes.correct), ("layers_action", outcomes.action)):
        for position, here in positions.items():
            for kind, alike in kinds.items():
                sheet.rate(table, f"{kind}@{position}", alike & here, hits)


def turn_types(sheet: Sheet) -> None:
    """MMTB's fourth and fifth analysis: does the task need the context, and in which way (true multi-turn only)?"""
    columns = sheet.columns
    sheet.rate("turn_type", "true", columns.needs_context)
    sheet.rate("turn_type", "false", ~columns.needs_context)
    for name in _hidden():
        sheet.rate("subtypes", name, columns.needs_context & (columns.reference == name))


def parameter_errors(sheet: Sheet) -> None:
    """MMTB's sixth analysis: wrong arguments by the signature of their schema type, most frequent first."""
    found = [_wrong_parameters(sheet, score.task_id) if score else () for score in sheet.columns.scores]
    totals = np.array([len(signatures) for signatures in found], dtype=float)
    hits = {
        name: np.array([signatures.count(name) for signatures in found], dtype=float)
        for name in {name for signatures in found for name in signatures}
    }
    for name in sorted(hits, key=lambda name: (-hits[name].sum(), name)):
        sheet.ratio("parameter_errors", name, sheet.columns.everything, hits[name], totals)


def _wrong_parameters(sheet: Sheet, task_id: str) -> tuple[str, ...]:
    facts = sheet.facts.get(task_id)
    return tuple(facts.wrong_parameters.get(sheet.reading, ())) if facts else ()


def sizes(sheet: Sheet) -> None:
    """Accuracy by number of tools on offer, and by length of the conversation at the start (where it is known)."""
    offered = sheet.columns.tools_offered
    for number in sorted(set(offered.tolist())):
        sheet.rate("by_tools_offered", str(number), offered == number)
    facts = [sheet.facts.get(score.task_id) if score else None for score in sheet.columns.scores]
    lengths = np.array([fact.messages if fact else 0 for fact in facts], dtype=np.int64)
    for number in sorted(set(lengths.tolist()) - {0}):
        members = lengths == number
        if (members & sheet.outcomes.scored).sum() >= SMALLEST_GROUP:
            sheet.rate("by_messages", str(number), members)


def _positions(sheet: Sheet) -> range:
    return range(1, max(POSITIONS, int(sheet.columns.position.max())) + 1)


def _hidden() -> list[str]:
    return [reference.value for reference in Reference if reference is not Reference.FIRST_TURN]


TABLES: tuple[Callable[[Sheet], None], ...] = (
    overall,
    by_type,
    by_order,
    references,
    orchestration,
    transitions,
    transition_pairs,
    mistakes,
    layers,
    turn_types,
    parameter_errors,
    sizes,
)
