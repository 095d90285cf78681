"""The scoring `tables`: MMTB's analysis, with which the papers' tables were made (docs/rules.md#scorings).

Names first, over the whole run and under the released rules; only then the arguments, each call paired greedily by
score. A task passes if every pair reaches 0.7. Repaired: M1 (unreadable arguments are an argument error) and M7 (an
argument error does not count as full progress); keys: docs/rules.md#defect-by-defect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from msgspec import UNSET
from msgspec.structs import replace

from toolgauge.benchmarks.dialogues.judge.mmtb_arguments import (
    PASS_MARK,
    CallScore,
    MmtbCode,
    score_arguments,
    told_faults,
)
from toolgauge.benchmarks.dialogues.judge.released import NameRun
from toolgauge.data.session import ASK, FINAL
from toolgauge.judge.alignment import align
from toolgauge.judge.exact import RUN_ENDS
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.replies import ReadReply
from toolgauge.judge.verdict import ERROR, Verdict, argument_failure, failure, success
from toolgauge.reasons import reason


def judge_tables(run: NameRun) -> Verdict:
    """The verdict behind the published tables on one task."""
    task = run.task
    if not run.closed:
        return _name_failure(run)
    failing = failing_calls(run)
    if not failing:
        return success(len(run.steps) == task.graph.depth, task.size)
    position, tool, score = failing[0]
    fault = told_faults(score)[0]  # a score below the pass mark comes with a fault
    progress = (run.done_before(position), task.size)
    verdict = argument_failure(tool, progress, fault)
    wrong = tuple((name, found.path) for _, name, low in failing for found in low.faults if found.path)
    return replace(verdict, wrong_arguments=wrong or UNSET)


def _name_failure(run: NameRun) -> Verdict:
    task, turns = run.task, run.turns
    progress = (run.done_before(len(run.steps)), task.size)
    if run.failed is None:
        return failure(ERROR, progress, None, RUN_ENDS)
    # a legal order goes on where the released run ended: what was said after that does not name its mistake
    mistake = official_action_class(task.graph.names, turns[: run.failed + 1], task.tools.keys())
    return failure(ERROR, progress, mistake.value, reason(MmtbCode.STEP_DOES_NOT_FIT, step=run.failed + 1))


def failing_calls(run: NameRun) -> list[tuple[int, str, CallScore]]:
    """The calls below the pass mark in their order: (turn, tool, score with its faults).

    Over the whole task each call in order takes the still unpaired annotated call of its name with the highest score;
    the score of that pair counts, not the one computed last (Q8).
    """
    matched: dict[str, int] = {}
    for node in (node for nodes in run.steps for node in nodes):
        name = run.task.graph.names[node]
        matched[name] = matched.get(name, 0) | 1 << node
    made = [(turn, call) for turn, read in enumerate(run.turns[: len(run.steps)]) for call in read.calls]
    scores: dict[tuple[int, int], CallScore] = {}

    def score_of(row: int, node: int) -> CallScore:
        if (row, node) not in scores:
            call, gold = made[row][1], run.task.task.calls[node].arguments
            scores[row, node] = score_arguments(run.task.schema(call.name), call.value, gold)
        return scores[row, node]

    nodes = align([(matched[call.name],) for _, call in made], lambda row, node: score_of(row, node).score)
    pairs = ((row, score_of(row, node)) for row, node in enumerate(nodes) if node is not None)
    return [(made[row][0], made[row][1].name, score) for row, score in pairs if score.score < PASS_MARK]


def official_action_class(gold: Sequence[str], turns: Sequence[ReadReply], offered: Collection[str]) -> Mistake:
    """MMTB's class of a task whose names failed (docs/rules.md#mmtbs-procedure).

    gold: the names of all annotated calls, closing reply included.
    """
    called = [_called_names(turn) for turn in turns]
    if len(called) <= 1 and not any(called):
        return Mistake.REFUSAL
    if list(gold) == [FINAL]:
        return Mistake.NEEDLESS_TOOL
    noted: list[str] = []
    found: Mistake | None = None
    for names in called:
        for name in names or [ASK]:
            if name == "filter_by_prompt":
                found = Mistake.REFUSAL
                break
            if name not in offered and names:
                found = Mistake.UNKNOWN_TOOL
                break
            noted.append(name)
    return found or _official_by_names(gold, noted)


def _called_names(turn: ReadReply) -> list[str]:
    """The names that the analysis reads in a reply: it asks for no id, but the first call must have a name."""
    names = [call.name for call in turn.reply.tool_calls]
    return [name for name in names if name is not None] if names and names[0] is not None else []


def _official_by_names(gold: Sequence[str], noted: list[str]) -> Mistake:
    if ASK in gold and ASK not in noted:
        return Mistake.MISSED_CLARIFICATION
    if len(noted) > len(gold) - 1:
        return Mistake.REDUNDANT_CALL
    missing, extra = Counter(gold) - Counter(noted), Counter(noted) - Counter(gold)
    if missing[ASK]:
        return Mistake.MISSED_CLARIFICATION
    if extra:
        return Mistake.REDUNDANT_CALL if extra.keys() <= set(gold) else Mistake.WRONG_TOOL
    return Mistake.EARLY_TERMINATION
