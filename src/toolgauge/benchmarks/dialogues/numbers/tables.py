"""The tables of both papers, and ours. Each function makes the rows of a table, a `Facet` those of a group.

Source: docs/rules.md#the-numbers; M7: docs/rules.md#defect-by-defect. Row names are stable identifiers;
headings for people are in `sections.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, product

import numpy as np

from toolgauge.analysis.facet import Facet
from toolgauge.analysis.intervals import Floats
from toolgauge.analysis.numbers import RouteNumbers
from toolgauge.analysis.sheet import RateRow, Sheet
from toolgauge.analysis.table import Mask, Plan, RunTable
from toolgauge.artefacts import DIGITS
from toolgauge.benchmarks.dialogues.judge.scorings import PAPER_TABLES
from toolgauge.benchmarks.dialogues.numbers import facets
from toolgauge.benchmarks.dialogues.numbers.arguments import type_signature
from toolgauge.benchmarks.dialogues.numbers.facets import DialogueTask
from toolgauge.data.session import KINDS, Dataset, TaskType
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, Score, Verdict

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
    """Several passes over the same tasks and sessions (analysis/table.py)."""
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


_LONGEST = 1 << 40  # tokens: a larger number is no count


def dialogue_table(
    dataset: Dataset,
    scores: Iterable[Score],
    requested: Iterable[str] | None = None,
    trajectories: Iterable[Trajectory] = (),
) -> RunTable:
    """The table of a run; without trajectories nobody knows how long conversations were."""
    sessions = [
        [(session.task_id(task.index), DialogueTask(session, task)) for task in session.tasks]
        for session in dataset.sessions
    ]
    measured = {
        session.task_id(index, trajectory.epoch): DialogueTask(session, session.tasks[index], *lengths(steps, before))
        for trajectory in trajectories
        if (session := dataset.by_id.get(trajectory.session_id)) is not None
        for index, steps, before in task_steps(trajectory, len(session.tasks))
    }
    return RunTable(Plan(dataset.name, sessions, lambda one: one.kind), scores, requested, measured)


def lengths(steps: Sequence[Step], before: int) -> tuple[int, int]:
    """Messages and tokens of the conversation at a task's first request. before: messages before the task's own."""
    if not steps:
        return 0, 0
    return before + len(steps[0].messages), min(max(0, steps[0].reply.usage.input_tokens), _LONGEST)


def task_steps(trajectory: Trajectory, tasks: int) -> Iterator[tuple[int, tuple[Step, ...], int]]:
    """A task's index, its steps and the number of messages before them; a whole session's episode has several tasks.

    tasks: how many the session has; steps of others are left out.
    """
    if trajectory.task_index is not None:
        if 0 <= trajectory.task_index < tasks:
            yield trajectory.task_index, trajectory.steps, 0
        return
    before = 0
    for index, group in groupby(trajectory.steps, key=lambda step: step.task_index):
        steps = tuple(group)
        if 0 <= index < tasks:
            yield index, steps, before
        before += sum(len(step.messages) for step in steps)


LONGEST_ROUTE = 4
_ALMOST_NOTHING = 1e-5  # MMTB's divisor of the variance is count - 1 + 1e-5

Route = tuple[str, ...]


def route_numbers(sheet: Sheet) -> RouteNumbers:
    """Rates are rounded to six digits.

    routes: lists of 4, 16, 64 and 256 accuracies, one per sequence of kinds that ends with the task itself, in
    lexicographic order with single < multi < clarify < chat; None where no task was scored. route_counts: of each the
    tasks that are right and all that are scored. layer_variance: number of tasks before -> the variance of the
    accuracies of all sequences of kinds before; None without any.
    """
    groups, before = _groups(sheet, own=True), _groups(sheet, own=False)
    rates, counts = [], []
    for length in range(1, LONGEST_ROUTE + 1):
        values = [groups.get(route, []) for route in routes_of(length)]
        rates.append([round(sum(one) / len(one), DIGITS) if one else None for one in values])
        counts.append([(int(sum(one)), len(one)) for one in values])
    variances = {str(length): _variance(before, length) for length in range(1, LONGEST_ROUTE)}
    return RouteNumbers(rates, counts, variances)


def routes_of(length: int) -> Iterator[Route]:
    """All sequences of so many kinds, in the order of `routes`."""
    return product(KINDS, repeat=length)


def _groups(sheet: Sheet, own: bool) -> dict[Route, list[float]]:
    """1.0 or 0.0 per scored task, by its sequence of kinds, the task's own included or not."""
    groups: dict[Route, list[float]] = defaultdict(list)
    for one, scored, correct in zip(sheet.table.subjects, sheet.scored, sheet.right, strict=True):
        if scored:
            groups[one.route if own else one.route[:-1]].append(float(correct))
    return groups


def _variance(groups: dict[Route, list[float]], length: int) -> float | None:
    """Of the accuracies of all sequences of so many kinds, as MMTB divides it; None without any."""
    means = [sum(values) / len(values) for route, values in groups.items() if len(route) == length]
    if not means:
        return None
    middle = sum(means) / len(means)
    spread = sum((mean - middle) ** 2 for mean in means)
    return round(spread / (len(means) - 1 + _ALMOST_NOTHING), DIGITS)
