"""All scorings of a task in one pass: the replies are read once, and each scoring says whether the task was right.

The three scorings are described in docs/rules.md; WildToolBench's tables were made with MMTB's analysis
(docs/rules.md#where-the-published-tables-come-from), so
`tables` of WildToolBench and `released` of MMTB are the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from toolgauge.benchmarks.dialogues.judge.mmtb_analysis import judge_tables
from toolgauge.benchmarks.dialogues.judge.mmtb_arguments import check_lenient
from toolgauge.benchmarks.dialogues.judge.released import NameRun, judge_released
from toolgauge.chat import Reply
from toolgauge.judge.arguments import ArgumentRule, check_arguments
from toolgauge.judge.exact import ExactJudge
from toolgauge.judge.replies import AnnotatedTask, Checks, as_exact, read_turns
from toolgauge.judge.verdict import EXACT, RELEASED, Verdict

TABLES = "tables"

ARGUMENT_RULES: dict[str, ArgumentRule] = {"wildtoolbench": check_arguments, "mmtb": check_lenient}
"""The rule about values by the family of a benchmark."""


def judge_wildtoolbench(task: AnnotatedTask, replies: Iterable[Reply]) -> dict[str, Verdict]:
    """`exact`, `released` and `tables` of one task of WildToolBench (or of any data in its format)."""
    turns = read_turns(replies)
    names, checks = NameRun(task, turns), Checks(task, check_arguments)
    plain = Checks(task, check_arguments, as_released=True) if task.is_judged_apart else checks
    return {
        EXACT: ExactJudge(checks, as_exact(turns)).verdict(),
        RELEASED: judge_released(names, plain),
        TABLES: judge_tables(names),
    }


def judge_mmtb(task: AnnotatedTask, replies: Iterable[Reply]) -> dict[str, Verdict]:
    """`exact` and `released` of one task of MMTB; its released scoring is the one of its tables."""
    turns = read_turns(replies)
    return {
        EXACT: ExactJudge(Checks(task, check_lenient), as_exact(turns)).verdict(),
        RELEASED: judge_tables(NameRun(task, turns)),
    }


JUDGES: dict[str, Callable[[AnnotatedTask, Iterable[Reply]], dict[str, Verdict]]] = {
    "wildtoolbench": judge_wildtoolbench,
    "mmtb": judge_mmtb,
}
"""All scorings of a task's replies, by the family of a benchmark."""


def judges_whole_runs(family: str, scoring: str) -> bool:
    """Does a scoring judge finished runs only? MMTB's analysis does; of a single reply it says nothing."""
    return scoring == TABLES or (scoring == RELEASED and family == "mmtb")


def judge_scoring(family: str, scoring: str, task: AnnotatedTask, replies: Iterable[Reply]) -> Verdict:
    """One scoring alone, where the others are not wanted (rewards); the same verdict as in `JUDGES`."""
    if scoring == EXACT:
        return ExactJudge(Checks(task, ARGUMENT_RULES[family]), read_turns(replies, exact=True)).verdict()
    names = NameRun(task, read_turns(replies))
    if scoring == RELEASED and family == "wildtoolbench":
        return judge_released(names, Checks(task, check_arguments, as_released=True))
    return judge_tables(names)
