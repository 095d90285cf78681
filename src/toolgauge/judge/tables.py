"""The reading `tables`: MMTB's analysis, with which the papers' tables were made (spec 3.6, 4.2, 5.3 to 5.9).

Names first, over the whole run and under the released rules; only then the arguments, each call paired greedily by score. A
task passes if every pair reaches 0.7. Repaired: M1 (unreadable arguments are an argument error) and M7 (an argument error
does not count as full progress).
"""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.judge.arguments import ArgumentFault
from toolgauge.judge.causes import official_action_class
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.lenient import leading_fault, score_arguments
from toolgauge.judge.released import NameRun
from toolgauge.judge.turns import CALLS, AnnotatedTask, MadeCall, Turn
from toolgauge.judge.verdict import CORRECT, ERROR, Verdict


def judge_tables(run: NameRun) -> Verdict:
    """The verdict behind the published tables on one task."""
    task = run.task
    if not run.closed:
        return _name_failure(run)
    failing = first_failing_pair(task, run.turns, run.steps)
    if failing is None:
        return Verdict(CORRECT, CORRECT, len(run.steps) == task.graph.depth, (task.size, task.size))
    position, made, fault = failing
    progress = (run.done_before(position), task.size)
    return Verdict(ERROR, CORRECT, False, progress, fault.mistake.value, f"{made.name}: {fault.message}")


def _name_failure(run: NameRun) -> Verdict:
    task, turns = run.task, run.turns
    progress = (run.done_before(len(run.steps)), task.size)
    if run.failed is None and turns:
        return Verdict(ERROR, ERROR, False, progress, None, RUN_ENDS)
    mistake = official_action_class(task.graph.names, turns, task.tools.keys())
    return Verdict(ERROR, ERROR, False, progress, mistake.value, f"names fail at step {run.failed}")


def first_failing_pair(
    task: AnnotatedTask, turns: Sequence[Turn], steps: Sequence[Sequence[int]]
) -> tuple[int, MadeCall, ArgumentFault] | None:
    """The earliest call below the pass mark: (turn, call, the fault that names the class).

    Over the whole task each call in order takes the still unpaired annotated call of its name with the highest score.
    """
    free: dict[str, list[int]] = {}
    for nodes in steps:
        for node in nodes:
            free.setdefault(task.graph.names[node], []).append(node)
    for nodes_of_name in free.values():
        nodes_of_name.sort()
    for position, turn in enumerate(turns[: len(steps)]):
        if turn.kind != CALLS:
            continue
        for made in turn.calls:
            fault = _pair_greedily(task, made, free[made.name])
            if fault is not None:
                return position, made, fault
    return None


def _pair_greedily(task: AnnotatedTask, made: MadeCall, free: list[int]) -> ArgumentFault | None:
    """Pair a call with the best free annotated call; None if it passes, else its fault (of the paired one: Q8)."""
    scored = [
        (score_arguments(task.schema(made.name) or {}, made.value, task.task.calls[node].arguments), node) for node in free
    ]
    best, node = max(scored, key=lambda pair: pair[0].score)
    free.remove(node)
    return leading_fault(best)
