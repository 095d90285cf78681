"""The seven alignments as they stood before judge/alignment.py, kept to compare with: nothing but tests reads this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolgauge.benchmarks.acebench.judge.exact import _right_arguments, call_fault
from toolgauge.benchmarks.acebench.judge.verdict import CallFault
from toolgauge.benchmarks.dialogues.environment import TaskEnvironment
from toolgauge.benchmarks.dialogues.judge.mmtb_arguments import PASS_MARK, CallScore, score_arguments
from toolgauge.benchmarks.dialogues.judge.released import NameRun
from toolgauge.chat import ToolCall
from toolgauge.data.lines import as_json
from toolgauge.integrations.credit import WRONG_AT_MOST, _call_credit
from toolgauge.judge.arguments import ArgumentFault
from toolgauge.judge.exact import ExactJudge
from toolgauge.judge.graph import bits
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import AnnotatedTask, Checks, MadeCall, ReadReply
from toolgauge.models.dialects.ace import AceCall
from toolgauge.reasons import Reason


def pair_up(fitting: Sequence[Sequence[int]]) -> dict[int, int]:
    taken: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for column in fitting[row]:
            if column not in tried:
                tried.add(column)
                if column not in taken or place(taken[column], tried):
                    taken[column] = row
                    return True
        return False

    for row in range(len(fitting)):
        place(row, set())
    return taken


def exact_fault_told(judge: ExactJudge, turn: ReadReply) -> tuple[MadeCall, ArgumentFault]:
    """judge/exact.py"""
    ready = judge.matcher.ready()
    candidates = [list(bits(judge.task.named(made) & ready)) for made in turn.calls]
    pairs = zip(turn.calls, candidates, strict=True)
    owner = pair_up([[node for node in nodes if judge.fault(made, node) is None] for made, nodes in pairs])
    taken = set(owner.values())
    free = {node for nodes in candidates for node in nodes} - owner.keys()
    for position, made in enumerate(turn.calls):
        if position in taken:
            continue
        nodes = [node for node in candidates[position] if node in free] or candidates[position]
        node = max(nodes, key=lambda node: (judge.task.nearness(made, node), -node))
        free.discard(node)
        fault = judge.fault(made, node)
        if fault is not None:
            return made, fault
    made = turn.calls[0]
    return made, ArgumentFault("", Reason(DialogueCode.OF_ANOTHER_CALL), Mistake.WRONG_VALUE)


def nodes_of_results(
    environment: TaskEnvironment, turn: ReadReply, calls: tuple[ToolCall, ...], ready: int
) -> list[int]:
    """benchmarks/dialogues/environment.py; `given` of the environment changes."""
    chosen: dict[int, int] = {}
    for rightly in (True, False):
        for position, made in enumerate(turn.calls):
            if position in chosen:
                continue
            named = environment.task.graph.by_name[made.name]
            free = [*bits(named & ready & ~environment.given)] or [*bits(named & ~environment.given)] or [*bits(named)]
            if rightly:
                free = [node for node in free if environment.checks.fault(made, node) is None]
            if free:
                node = max(free, key=lambda node: (environment.task.nearness(made, node), -node))
                environment.given |= 1 << node
                chosen[position] = node
    return [chosen[position] for position, _ in enumerate(calls)]


def nodes_on_a_page(checks: Checks, turn: ReadReply, ready: int, done: int) -> list[int | None]:
    """report/task_views/alignment_view.py"""
    task = checks.task

    def free_for(call: MadeCall) -> list[int]:
        named = task.graph.by_name.get(call.name, 0) if call.name in task.tools else 0
        return [*bits(named & ~done & ready), *bits(named & ~done & ~ready)]

    free = [free_for(call) for call in turn.calls]
    pairs = zip(turn.calls, free, strict=True)
    owner = pair_up([[node for node in nodes if checks.fault(call, node) is None] for call, nodes in pairs])
    chosen: list[int | None] = [None] * len(free)
    for node, position in owner.items():
        chosen[position] = node
    taken = set(owner)
    for position, call in enumerate(turn.calls):
        left = [node for node in free[position] if node not in taken]
        if chosen[position] is None and left:
            node = max(left, key=lambda node: (ready >> node & 1, task.nearness(call, node), -node))
            chosen[position] = node
            taken.add(node)
    return chosen


def wrong_credit(judge: ExactJudge, turn: ReadReply, due: int) -> float:
    """integrations/credit.py"""
    free, earned = judge.matcher.ready(), 0.0
    for made in turn.calls:
        nodes = list(bits(judge.task.named(made) & free))
        if nodes:
            worth = {node: _call_credit(judge, made, node) for node in nodes}
            best = max(nodes, key=lambda node: (worth[node], -node))
            free &= ~(1 << best)
            earned += worth[best]
    return min(earned / max(len(turn.calls), due), WRONG_AT_MOST)


def ace_partners(
    schemas: Mapping[str, Mapping[str, Any]], wanted: Sequence[tuple[str, dict[str, Any]]], calls: Sequence[AceCall]
) -> list[int | None]:
    """benchmarks/acebench/task_views.py"""
    candidates = [[place for place, call in enumerate(calls) if call.name == name] for name, _ in wanted]
    rights = [
        [place for place in places if call_fault(schemas.get(name, {}), want, calls[place]) is None]
        for (name, want), places in zip(wanted, candidates, strict=True)
    ]
    owner = {row: column for column, row in pair_up(rights).items()}
    taken = set(owner.values())

    def alike(want: dict[str, Any], call: AceCall) -> int:
        return sum(key in call.arguments and as_json(call.arguments[key]) == as_json(want[key]) for key in want)

    for row, (_, want) in enumerate(wanted):
        left = [place for place in candidates[row] if place not in taken]
        if row not in owner and left:
            owner[row] = max(left, key=lambda place, want=want: (alike(want, calls[place]), -place))  # type: ignore[misc]
            taken.add(owner[row])
    return [owner.get(row) for row in range(len(wanted))]


def ace_group_fault(schema: Mapping[str, Any], wanted: Sequence[Any], calls: Sequence[AceCall]) -> CallFault | None:
    """benchmarks/acebench/judge/exact.py"""
    faults = [[call_fault(schema, want, call) for call in calls] for want in wanted]
    taken = pair_up([[column for column, fault in enumerate(row) if fault is None] for row in faults])
    for position, row in enumerate(faults):
        if position not in taken.values():
            free = [column for column in range(len(calls)) if column not in taken]
            nearest = max(free, key=lambda column, at=position: _right_arguments(calls[column], wanted[at]))  # type: ignore[misc]
            return row[nearest]
    return None


def mmtb_failing_calls(run: NameRun) -> list[tuple[int, str, CallScore]]:
    """benchmarks/dialogues/judge/mmtb_analysis.py"""
    free: dict[str, list[int]] = {}
    for node in sorted(node for nodes in run.steps for node in nodes):
        free.setdefault(run.task.graph.names[node], []).append(node)
    failing = []
    for position, turn in enumerate(run.turns[: len(run.steps)]):
        for made in turn.calls:
            score = _pair_greedily(run.task, made, free[made.name])
            if score.score < PASS_MARK:
                failing.append((position, made.name, score))
    return failing


def _pair_greedily(task: AnnotatedTask, made: MadeCall, free: list[int]) -> CallScore:
    schema, calls = task.schema(made.name) or {}, task.task.calls
    best, nearest = CallScore(-1.0), free[0]
    for node in free:
        score = score_arguments(schema, made.value, calls[node].arguments)
        if score.score > best.score:
            best, nearest = score, node
        if score.score == 1.0:
            break
    free.remove(nearest)
    return best
