"""Tables beyond the papers': accuracy by what a task needs, and how far whole sessions are from success."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from toolgauge.benchmarks.dialogues.numbers.row_builder import RowBuilder
from toolgauge.data.session import KINDS, Reference
from toolgauge.judge.mistakes import Mistake

SMALLEST_GROUP = 10
"""Groups by length of the conversation with fewer scored tasks than this are left out, as in MMTB's analysis."""
TOKEN_EDGES = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""Where groups by tokens begin, in thousands."""


def reference_by_position(sheet: RowBuilder) -> None:
    """Does a reference get harder the longer ago the text was that it refers to? Rows are `<reference>@<position>`."""
    columns = sheet.columns
    for position in columns.positions:
        for reference in Reference:
            members = (columns.reference == reference.value) & (columns.position == position)
            sheet.rate("reference_by_position", f"{reference.value}@{position}", members)


def sizes(sheet: RowBuilder) -> None:
    """Accuracy by number of tools on offer, by number of annotated tool calls, and by length of the conversation."""
    for table, numbers in (("by_tools_offered", sheet.columns.tools_offered), ("by_calls", sheet.columns.tool_calls)):
        for number in sorted(set(numbers.tolist())):
            sheet.rate(table, str(number), numbers == number)
    _by_messages(sheet)
    tokens = _of_facts(sheet, "context_tokens")
    for low, high in pairwise((*TOKEN_EDGES, None)):
        members = tokens > 1000 * (low or 0)
        if high is not None:
            members &= tokens <= 1000 * high
        if members.any():
            sheet.rate("by_context_tokens", f"{low}k+" if high is None else f"{low}-{high}k", members)


def _by_messages(sheet: RowBuilder) -> None:
    lengths = _of_facts(sheet, "messages")
    for number in sorted(set(lengths.tolist()) - {0}):
        members = lengths == number
        if (members & sheet.outcomes.scored).sum() >= SMALLEST_GROUP:
            sheet.rate("by_messages", str(number), members)


def _of_facts(sheet: RowBuilder, field: str) -> np.typing.NDArray[np.int64]:
    """A number per task from what is known beyond its score, 0 where it is not known."""
    facts = [sheet.facts.get(score.task_id) if score else None for score in sheet.columns.scores]
    return np.array([getattr(fact, field) if fact else 0 for fact in facts], dtype=np.int64)


def arguments(sheet: RowBuilder) -> None:
    """Accuracy of the tasks with at least one argument of a type, or from a source; a task can be in several rows."""
    for table, groups in (
        ("by_parameter_types", sheet.columns.parameter_types),
        ("by_argument_source", sheet.columns.argument_sources),
    ):
        for name, members in groups.items():
            sheet.rate(table, name, members)


def sessions_by_correct(sheet: RowBuilder) -> None:
    """Share of complete sessions with 0, 1, ... right tasks."""
    right = sheet.passes.right
    for number in range(max(int(sheet.columns.unit_sizes.max()), sheet.columns.positions[-1]) + 1):
        sheet.sessions("sessions_by_correct", str(number), right == number)


def near_misses(sheet: RowBuilder) -> None:
    """Sessions of several tasks with all but one right; of these, which kind of task stood in the way, and its mistake.

    The first row is a share of complete sessions, the others are shares of the near misses.
    """
    columns = sheet.columns
    sheet.sessions("near_misses", "one_task_short", sheet.passes.short)
    blocking = np.repeat(sheet.passes.short, columns.unit_lengths) & (sheet.outcomes.failed > 0)
    each = blocking.astype(float)
    for kind in KINDS:
        sheet.part("near_misses", kind, blocking, each * (columns.kind == kind), each, "sessions")
    names = [mistake.value for mistake in Mistake]
    sheet.shares("near_miss_mistakes", names, sheet.outcomes.mistakes, each, blocking, "sessions")
