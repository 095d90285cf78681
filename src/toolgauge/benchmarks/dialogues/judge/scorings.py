"""All scorings of a task in one pass: the replies are read once, and each scoring says whether the task was right.

The three scorings are described in docs/rules.md; WildToolBench's tables were made with MMTB's analysis
(docs/rules.md#where-the-published-tables-come-from), so
`tables` of WildToolBench and `released` of MMTB are the same rules. Below: the classes of mistakes of both papers, and
how ours map to them (docs/rules.md#mistakes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolgauge.benchmarks.dialogues.judge.mmtb import exact_lenient_faults, judge_tables
from toolgauge.benchmarks.dialogues.judge.released import NameRun, judge_released, released_faults
from toolgauge.chat import Reply
from toolgauge.judge.arguments import ArgumentRule
from toolgauge.judge.exact import judge_exact
from toolgauge.judge.mistakes import Mistake
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


MMTB_CLASSES: dict[Mistake, str] = {
    Mistake.TRUNCATED: "reject tool calling",
    Mistake.FILTERED: "reject tool calling",
    Mistake.ONLY_REASONING: "reject tool calling",
    Mistake.EMPTY_OUTPUT: "reject tool calling",
    Mistake.MALFORMED_CALL: "reject tool calling",
    Mistake.REFUSAL: "reject tool calling",
    Mistake.NEEDLESS_TOOL: "call function without reject",
    Mistake.UNKNOWN_TOOL: "function name hallucination",
    Mistake.MISSED_CLARIFICATION: "missing information in tool calling",
    Mistake.REDUNDANT_CALL: "redundant tool calling",
    Mistake.WRONG_TOOL: "call the wrong function",
    Mistake.EARLY_TERMINATION: "early stop",
    Mistake.ORDER_VIOLATION: "early stop",
    Mistake.BAD_JSON: "type error",
    Mistake.MISSING_REQUIRED: "miss required params",
    Mistake.UNDEFINED_PARAM: "param hallucination",
    Mistake.WRONG_TYPE: "type error",
    Mistake.EXTRA_VALUE: "param value hallucination",
    Mistake.MISSING_VALUE: "param value error",
    Mistake.WRONG_VALUE: "param value error",
}
"""Our classes as the twelve of MMTB's analysis (docs/rules.md#mistakes)."""

_COLUMN_OF_CLASS = {
    "reject tool calling": "refusal",
    "function name hallucination": "wrong_name_missing_info",
    "missing information in tool calling": "wrong_name_missing_info",
    "call function without reject": "wrong_refusal",
    "redundant tool calling": "redundant_call",
    "call the wrong function": "call_error",
    "early stop": "early_termination",
    "type error": "param_type_error",
    "miss required params": "param_type_error",
    "param hallucination": "param_hallucination",
    "param value hallucination": "param_hallucination",
    "param value error": "param_value_error",
}

PAPER_COLUMNS: dict[Mistake, str] = {mistake: _COLUMN_OF_CLASS[name] for mistake, name in MMTB_CLASSES.items()}
"""Our classes as the nine columns of WildToolBench's Table 4 (docs/rules.md#mistakes).

Where `miss required params` went is not documented: Tables 4 and 8 of the paper differ by a small class moved between
two columns; here it counts as a type error.
"""

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

PAPER_TABLES: dict[str, tuple[tuple[str, ...], dict[Mistake, str]]] = {
    "mistakes_paper": (TABLE_4, PAPER_COLUMNS),
    "mistakes_mmtb": (MMTB_ERRORS, MMTB_CLASSES),
}
"""Tables of metrics.json that count mistakes as the papers do: their rows, and which mistakes each row has."""
