"""All scorings of a task in one pass: the replies are read once, and each scoring says whether the task was right.

The three scorings are described in docs/rules.md; WildToolBench's tables were made with MMTB's analysis
(docs/rules.md#where-the-published-tables-come-from), so
`tables` of WildToolBench and `released` of MMTB are the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolgauge.benchmarks.dialogues.judge.mmtb_analysis import judge_tables
from toolgauge.benchmarks.dialogues.judge.mmtb_arguments import exact_lenient_faults
from toolgauge.benchmarks.dialogues.judge.released import NameRun, judge_released
from toolgauge.benchmarks.dialogues.judge.released_arguments import released_faults
from toolgauge.chat import Reply
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.exact import judge_exact
from toolgauge.judge.replies import AnnotatedTask, Checks, published_turns
from toolgauge.judge.values import exact_faults
from toolgauge.judge.verdict import EXACT, RELEASED, Verdict

TABLES = "tables"

ARGUMENT_RULES: dict[str, ArgumentRule] = {"wildtoolbench": exact_faults, "mmtb": exact_lenient_faults}
"""The rule of `exact` about values by the family of a benchmark."""


def judge_wildtoolbench(task: AnnotatedTask, replies: Sequence[Reply]) -> dict[str, Verdict]:
    """`exact`, `released` and `tables` of one task of WildToolBench."""
    names = NameRun(task, published_turns(replies))
    return {
        EXACT: judge_exact(task, exact_faults, replies),
        RELEASED: judge_released(names, Checks(task, released_faults)),
        TABLES: judge_tables(names),
    }


def judge_mmtb(task: AnnotatedTask, replies: Sequence[Reply]) -> dict[str, Verdict]:
    """`exact` and `released` of one task of MMTB; its released scoring is the one of its tables."""
    return {
        EXACT: judge_exact(task, exact_lenient_faults, replies),
        RELEASED: judge_tables(NameRun(task, published_turns(replies))),
    }


def judge_sessions(task: AnnotatedTask, replies: Sequence[Reply]) -> dict[str, Verdict]:
    """`exact` of one task of data of one's own."""
    return {EXACT: judge_exact(task, exact_faults, replies)}


JUDGES: dict[str, Callable[[AnnotatedTask, Sequence[Reply]], dict[str, Verdict]]] = {
    "wildtoolbench": judge_wildtoolbench,
    "mmtb": judge_mmtb,
}
"""All scorings of a task's replies, by the family of a benchmark."""


def judges_whole_runs(family: str, scoring: str) -> bool:
    """Does a scoring judge finished runs only? MMTB's analysis does; of a single reply it says nothing."""
    return scoring == TABLES or (scoring == RELEASED and family == "mmtb")


def judge_scoring(family: str, scoring: str, task: AnnotatedTask, replies: Sequence[Reply]) -> Verdict:
    """One scoring alone, where the others are not wanted (rewards); the same verdict as in `JUDGES`."""
    if scoring == EXACT:
        return judge_exact(task, ARGUMENT_RULES[family], replies)
    names = NameRun(task, published_turns(replies))
    if scoring == RELEASED and family == "wildtoolbench":
        return judge_released(names, Checks(task, released_faults))
    return judge_tables(names)
