"""What a dialogue must satisfy, each filter with evidence, each switchable (`--checks`).

They judge every entry before it stands and every task when it is closed (judging.py, repair.py), and the finished
dialogue once more as a whole: there all are evaluated and their verdicts kept; one that is switched on and fails
rejects the dialogue. The one that asks a model (multi_turn) asks when a task is closed, and has a verdict only where it
is switched on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import msgspec

from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.graph import Unfinished, annotate
from toolgauge.errors import UsageError
from toolgauge.generation.attempts import Redone
from toolgauge.generation.filters.arguments import broken_schema, unknown_functions, unknown_parameters, wrong_types
from toolgauge.generation.filters.asking import needless_questions
from toolgauge.generation.filters.chat import wants_tool
from toolgauge.generation.filters.clean_text import unclean
from toolgauge.generation.filters.filter import Filter, FilterVerdict, verdict
from toolgauge.generation.filters.grounding import without_source
from toolgauge.generation.filters.language import impure
from toolgauge.generation.filters.length import out_of_bounds
from toolgauge.generation.filters.multi_turn import NAME as MULTI_TURN
from toolgauge.generation.filters.path import other_kinds
from toolgauge.generation.filters.redundancy import redundant
from toolgauge.generation.state import Rejected

__all__ = ["DEFAULTS", "FILTERS", "Filter", "FilterVerdict", "filter_names", "filter_verdicts", "require_passed"]

DECISION = Redone.DECISION
FILTERS: dict[str, Filter] = {
    one.name: one
    for one in (
        Filter("path", "every task has the requested type", "每个任务都属于指定的类型", other_kinds),
        Filter(
            "hallucinated_function", "only offered tools are called", "只调用已提供的工具", unknown_functions, DECISION
        ),
        Filter(
            "hallucinated_parameter",
            "only known parameters are used",
            "参数都是工具已有的",
            unknown_parameters,
            DECISION,
        ),
        Filter(
            "types", "values have the types their tools declare", "参数值的类型与工具声明一致", wrong_types, DECISION
        ),
        Filter("schema", "calls match their tools' schemas", "调用符合工具的参数模式", broken_schema, DECISION),
        Filter("redundant_calls", "no call is redundant", "没有多余的调用", redundant, DECISION),
        Filter(
            "provenance",
            "every value has a source in the dialogue",
            "每个参数值都有出处",
            without_source,
            DECISION,
        ),
        Filter("clarify_lacks", "questions ask only for what is missing", "反问的内容确实未曾给出", needless_questions),
        Filter("chat_needs_no_tool", "small talk needs no tool", "闲聊确实不需要工具", wants_tool),
        Filter("language", "everything is in the dialogue's language", "通篇使用对话的语言", impure),
        Filter("length", "texts and tasks have a sensible length", "文本长度和轮数在合理范围内", out_of_bounds),
        Filter("clean_text", "messages contain only what is said", "消息中只有说出来的话", unclean),
        Filter(MULTI_TURN, "later tasks depend on the dialogue", "后续任务确实依赖前文", None),
    )
}
"""In the order in which they reject: a fault has the name of the first filter that sees it."""
DEFAULTS = tuple(one.name for one in FILTERS.values() if one.default)


def filter_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a user gives them: "all", "none", "default", names, and "-name" to leave one out.

    Raises UsageError for a name that no filter has.
    """
    groups: dict[str, tuple[str, ...]] = {"all": tuple(FILTERS), "default": DEFAULTS, "none": ()}
    chosen: set[str] = set() if names and not names[0].startswith("-") else set(DEFAULTS)
    for name in names:
        bare = name.removeprefix("-")
        if bare not in FILTERS and bare not in groups:
            raise UsageError(f"unknown check {bare!r}; choose from {', '.join(FILTERS)}, all, default, none")
        meant = groups.get(bare, (bare,))
        chosen = chosen.difference(meant) if name.startswith("-") else chosen.union(meant)
    return tuple(name for name in FILTERS if name in chosen)


def filter_verdicts(
    dialogue: Dialogue, ablations: Sequence[dict[str, object]], filters: Collection[str]
) -> tuple[FilterVerdict, ...]:
    """The verdicts of all filters on a finished dialogue. No model is asked any more: ablations is what was found when
    the tasks were planned on their own, filters are those that are on.

    Raises Rejected where the dialogue is not whole.
    """
    try:
        session = annotate(dialogue)
    except Unfinished as error:
        raise Rejected("unfinished", str(error)) from error
    verdicts = [one(session, dialogue) for one in FILTERS.values() if one.check is not None]
    return (*verdicts, verdict(MULTI_TURN, ablations)) if MULTI_TURN in filters else tuple(verdicts)


def require_passed(verdicts: Iterable[FilterVerdict], filters: Collection[str]) -> None:
    """Raise Rejected, with the evidence that counts, for the first verdict of one of the named filters that failed."""
    for one in verdicts:
        if one.gate in filters and not one.passed:
            raise Rejected(f"gate:{one.gate}", msgspec.json.encode(one.counted).decode())
