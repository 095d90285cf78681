"""The tables of both papers, and ours. Each function makes the rows of a table, a `Facet` those of a group.

Source: docs/rules.md#the-numbers; M7: docs/rules.md#defect-by-defect. Row names are stable identifiers;
headings for people are in `titles.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from toolgauge.analysis.facet import Facet
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.table import Mask, RateRow, Sheet
from toolgauge.benchmarks.dialogues.judge.paper_classes import PAPER_TABLES
from toolgauge.benchmarks.dialogues.numbers import facets
from toolgauge.benchmarks.dialogues.numbers.arguments import type_signature
from toolgauge.data.session import KINDS, TaskType
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, Verdict

SHAPES = {
    "parallel": TaskType.PARALLEL_TOOLS,
    "sequential": TaskType.SEQUENTIAL_TOOLS,
    "mixed": TaskType.MIXED_TOOLS,
}


def dialogue_rows(sheet: Sheet) -> Iterator[RateRow]:
    """Every table of a run in a scoring, but those of the further facets."""
    for table in TABLES:
        yield from sheet.facet(table) if isinstance(table, Facet) else table(sheet)


def overall(sheet: Sheet) -> Iterator[RateRow]:
    yield sheet.rate("overall", "task_accuracy")
    yield sheet.sessions("overall", "session_accuracy", sheet.units.perfect, sheet.units.decided, of_right=True)


def facts(sheet: Sheet) -> Iterator[RateRow]:
    """Of annotated facts those that replies mention (docs/rules.md#facts-in-replies): the same in every scoring."""
    annotated = np.array([bool(one.task.facts) for one in sheet.table.subjects], dtype=bool)
    if annotated.any():
        found = [score.facts or None if score else None for score in sheet.table.scores]
        total = _floats([max(one.total, 0) if one else 0 for one in found])
        mentioned = _floats([min(max(one.mentioned, 0), one.total) if one else 0 for one in found])
        every = ((mentioned == total) & (total > 0)).astype(float)
        yield sheet.ratio("facts", "facts_mentioned", annotated, mentioned, total)
        yield sheet.ratio("facts", "all_facts_mentioned", annotated, every, (total > 0).astype(float))


def orchestration(sheet: Sheet) -> Iterator[RateRow]:
    """Table 3 and 7: accuracy, optimal path and accomplish progress by the shape of the graph.

    `_as_published` counts an argument error as full progress, as the papers' tables do (M7): to stand beside them.
    """
    shapes = [one.task.shape for one in sheet.table.subjects]
    shaped = {name: np.array([own is shape for own in shapes], dtype=bool) for name, shape in SHAPES.items()}
    for name, members in shaped.items():
        yield sheet.rate("orchestration", f"acc_{name}", members)
    yield sheet.rate("orchestration", "acc_overall", _of_kind(sheet, "multi"))
    for name in ("parallel", "mixed"):
        yield sheet.rate("orchestration", f"op_{name}", shaped[name], optimal)
    yield sheet.rate("orchestration", "op_overall", shaped["parallel"] | shaped["mixed"], optimal)
    chained = {name: shaped[name] for name in ("sequential", "mixed")}
    chained["overall"] = shaped["sequential"] | shaped["mixed"]
    for name, members in chained.items():
        yield sheet.rate("orchestration", f"ap_{name}", members, progress)
    for name, members in chained.items():
        yield sheet.rate("orchestration", f"ap_{name}_as_published", members, published_progress)


def optimal(verdict: Verdict) -> tuple[float, float]:
    """Optimal path: right and in the fewest steps."""
    return verdict.correct and verdict.optimal, 1


def progress(verdict: Verdict) -> tuple[float, float]:
    """Accomplish progress: annotated calls that were done, and all."""
    done, calls = verdict.progress
    return min(max(done, 0), calls), calls


def published_progress(verdict: Verdict) -> tuple[float, float]:
    """As the papers count it: an argument error counts as complete (docs/rules.md#defect-by-defect, M7)."""
    done, calls = verdict.progress
    return (calls if not verdict.correct and verdict.action_label == CORRECT else done), calls


def mistakes(sheet: Sheet) -> Iterator[RateRow]:
    """Share of failing tasks per cause, and by the columns of both papers, as the scoring counts them."""
    yield from sheet.shares("mistakes", [mistake.value for mistake in Mistake], sheet.mistakes, sheet.wrong)
    known = {mistake.value: mistake for mistake in Mistake}
    for table, (names, mapping) in PAPER_TABLES.items():
        renamed = [mapping[known[name]] if name in known else name for name in sheet.counted]
        yield from sheet.shares(table, names, renamed, sheet.wrong)


def parameter_errors(sheet: Sheet) -> Iterator[RateRow]:
    """MMTB's sixth analysis: wrong arguments by the signature of their schema type, most frequent first."""
    found = [_wrong_parameters(one, verdict) for one, verdict in zip(sheet.table.subjects, sheet.verdicts, strict=True)]
    totals = _floats([len(signatures) for signatures in found])
    names = {name for signatures in found for name in signatures}
    hits = {name: _floats([signatures.count(name) for signatures in found]) for name in names}
    for name in sorted(hits, key=lambda name: (-hits[name].sum(), name)):
        yield sheet.part("parameter_errors", name, sheet.table.everything, hits[name], totals)


def _wrong_parameters(one: facets.DialogueTask, verdict: Verdict | None) -> list[str]:
    """The signature of every wrong argument of a failing call."""
    if verdict is None or not isinstance(verdict.wrong_arguments, tuple):
        return []
    tools = one.session.tools_by_name
    return [
        type_signature(tools[tool].parameters if tool in tools else {}, path) for tool, path in verdict.wrong_arguments
    ]


def sessions_by_correct(sheet: Sheet) -> Iterator[RateRow]:
    """Share of complete sessions with 0, 1, ... right tasks."""
    longest = max(int(sheet.units.sizes.max()), facets.POSITIONS)
    for number in range(longest + 1):
        yield sheet.sessions("sessions_by_correct", str(number), sheet.units.right == number)


def near_misses(sheet: Sheet) -> Iterator[RateRow]:
    """Sessions of several tasks with all but one right; of these, which kind of task stood in the way, and its mistake.

    The first row is a share of complete sessions, the others are shares of the near misses.
    """
    units, table = sheet.units, sheet.table
    short = units.complete & (units.right == units.sizes - 1) & (units.sizes > 1)
    yield sheet.sessions("near_misses", "one_task_short", short)
    blocking = np.repeat(short, np.diff(np.append(table.unit_starts, len(table)))) & (sheet.wrong > 0)
    each, whole = blocking.astype(float), np.zeros(len(table))
    whole[table.unit_starts] = units.complete
    for kind in KINDS:
        yield sheet.part("near_misses", kind, blocking, each * _of_kind(sheet, kind), each, whole)
    names = [mistake.value for mistake in Mistake]
    yield from sheet.shares("near_miss_mistakes", names, sheet.mistakes, each, blocking, whole)


def passes(sheet: Sheet) -> Iterator[RateRow]:
    """Several passes over the same tasks and sessions (analysis/passes.py)."""
    yield from sheet.pass_rows("task")
    yield from sheet.pass_rows("session")


def _of_kind(sheet: Sheet, kind: str) -> Mask:
    return np.array([own == kind for own in sheet.table.kinds], dtype=bool)


def _floats(values: list[int]) -> Floats:
    return np.array(values, dtype=float)


TABLES: tuple[Facet | Callable[[Sheet], Iterator[RateRow]], ...] = (
    overall,
    facets.BY_TYPE,
    facts,
    facets.BY_ORDER,
    facets.REFERENCES,
    orchestration,
    facets.TRANSITIONS,
    facets.TRANSITIONS_TWO_GROUPS,
    facets.TRANSITION_PAIRS,
    mistakes,
    facets.LAYERS,
    facets.LAYERS_ACTION,
    facets.TURN_TYPE,
    facets.SUBTYPES,
    parameter_errors,
    facets.REFERENCE_BY_POSITION,
    sessions_by_correct,
    near_misses,
    passes,
)
