"""What tasks of dialogues can be grouped by: the tables of both papers that are accuracies of groups, and ours.

Source: docs/rules.md#the-numbers. Names of tables and rows are stable identifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import pairwise, product
from typing import NamedTuple

from toolgauge.analysis.facet import Facet, Measure, accuracy
from toolgauge.analysis.titles import part_title
from toolgauge.benchmarks.dialogues.numbers.arguments import (
    PARAMETER_TYPES,
    SOURCES,
    argument_sources,
    earlier_values,
    parameter_types,
)
from toolgauge.data.session import KINDS, Reference, Session, Task, TaskType
from toolgauge.judge.verdict import CORRECT, Verdict
from toolgauge.locale import Text, _, ngettext, translated

POSITIONS = 4
"""Tasks per session in the public sets; tables by position have at least this many rows."""
TOOL_KINDS = ("single", "multi")
"""The kinds of tasks that need a tool: one of the two groups of Figure 7 (docs/rules.md#changes-of-task-type)."""
SMALLEST_GROUP = 10
"""Groups by length of the conversation with fewer scored tasks than this are left out, as in MMTB's analysis."""
TOKEN_EDGES = (0, 1, 2, 4, 8, 16, 32, 64, 128)
"""Where groups by tokens begin, in thousands."""
HIDDEN = tuple(reference.value for reference in Reference if reference is not Reference.FIRST_TURN)


class DialogueTask(NamedTuple):
    """What facets read. messages, tokens: length of the conversation at the task's first request (0: not known)."""

    session: Session
    task: Task
    messages: int = 0
    tokens: int = 0

    @property
    def kind(self) -> str:
        return self.task.type.kind

    @property
    def position(self) -> int:
        """The number of the task in its session, from 1."""
        return self.task.index + 1

    @property
    def route(self) -> tuple[str, ...]:
        """The kinds of the session's tasks up to and including this one."""
        return _route(tuple(task.type for task in self.session.tasks[: self.position]))

    @property
    def needs_context(self) -> bool:
        """MMTB's true multi-turn tasks; the first task of a session never is one."""
        return self.task.index > 0 and self.task.true_multi_turn


@cache
def _route(types: tuple[TaskType, ...]) -> tuple[str, ...]:
    return tuple(one.kind for one in types)


def action(verdict: Verdict) -> tuple[float, float]:
    """Accuracy of tools and order, arguments left aside."""
    return verdict.action_label == CORRECT, 1


def _type_rows(found: Collection[str]) -> list[str]:
    fine = [name.value for name in TaskType if name.value not in KINDS]
    return [*KINDS, *fine, *(["unservable"] if "unservable" in found else [])]


def _position_rows(found: Collection[str]) -> list[str]:
    """Those of the public sets, and as many more as there are."""
    return [str(number) for number in range(1, max(POSITIONS, *map(int, found), 0) + 1)]


def _change_rows(found: Collection[str]) -> list[str]:
    return [str(number) for number in range(max(POSITIONS, *(int(count) + 1 for count in found), 0))]


def _changes(values: Sequence[object]) -> list[str]:
    return [str(sum(one != other for one, other in pairwise(values)))]


def _layer_rows(found: Collection[str]) -> list[str]:
    positions = _position_rows({row.partition("@")[2] for row in found} - {"all"})
    return [f"{kind}@{position}" for position, kind in product((*positions, "all"), (*KINDS, "all"))]


def _layers_of(name: str, measure: Measure) -> Facet:
    """MMTB's first analysis: kind x position."""
    return Facet(
        name=name,
        of=lambda one: {f"{kind}@{place}" for kind in (one.kind, "all") for place in (one.position, "all")},
        rows=_layer_rows,
        measure=measure,
    )


def _crossed_rows(found: Collection[str]) -> list[str]:
    positions = _position_rows({row.partition("@")[2] for row in found})
    return [f"{reference.value}@{position}" for position, reference in product(positions, Reference)]


def _crossed_label(row: str, language: str) -> str:
    what, _sign, position = row.partition("@")
    return translated(_("{what}, turn {position}", what=part_title(what, language), position=position), language)


def _pair_label(row: str, language: str) -> str:
    before, _sign, now = row.partition(">")
    return f"{part_title(before, language)} → {part_title(now, language)}"


def _token_groups() -> list[tuple[str, float, float]]:
    """Names and bounds of the groups by tokens."""
    pairs = pairwise((*TOKEN_EDGES, None))
    return [
        (f"{low}k+", 1000 * (low or 0), float("inf"))
        if high is None
        else (f"{low}-{high}k", 1000 * (low or 0), 1000 * high)
        for low, high in pairs
    ]


def _distance(one: DialogueTask) -> list[int]:
    """Of a task that takes values from earlier ones; of others nothing."""
    found = earlier_values(one.task, one.session.tasks[: one.task.index])
    return [one.task.index - min(value.task for value in found)] if found else []


def _known(names: Sequence[str]) -> Callable[[Collection[str]], list[str]]:
    """Of these rows, in this order, those that occur."""
    return lambda found: [name for name in names if name in found]


def _by_number(found: Collection[str]) -> list[str]:
    return sorted(found, key=int)


def counting(several: Text, none: Text | None = None) -> Callable[[str, str], str]:
    """Headings of rows that are numbers, such as "3 calls"; none: what stands for 0."""

    def label(row: str, language: str) -> str:
        text = several.filled(count=int(row) if row.isdecimal() else row)
        return translated(none if none is not None and row == "0" else text, language)

    return label


_SOURCE_LABELS = {
    "user": _("the user’s words"),
    "user_earlier": _("the user’s words, earlier task"),
    "reply": _("an answer to a question"),
    "reply_earlier": _("an answer, earlier task"),
    "result": _("a tool’s result"),
    "result_earlier": _("a tool’s result, earlier task"),
    "clock": _("the clock"),
    "knowledge": _("general knowledge"),
    "composed": _("written for the call"),
    "other": _("other"),
}
_CHANGES = counting(ngettext("{count} change", "{count} changes"), _("no change"))

BY_TYPE = Facet(
    name="by_type",
    of=lambda one: {one.kind, one.task.type.value, *(["unservable"] if one.task.unservable else [])},
    rows=_type_rows,
)
"""The four kinds and the fine types by label (clarify and chat are both)."""
BY_ORDER = Facet(
    name="by_order",
    of=lambda one: [str(one.position)],
    rows=_position_rows,
    label=lambda row, language: translated(_("turn {number}", number=row), language),
)
REFERENCES = Facet(
    name="references",
    of=lambda one: {"later" if one.task.index else "first_turn", *({one.task.reference.value} & {*HIDDEN})},
    rows=lambda _found: ("first_turn", "later", *HIDDEN),
)
"""Figure 6. `later` is every task but a session's first."""
TRANSITIONS = Facet(name="transitions", of=lambda one: _changes(one.route), rows=_change_rows, label=_CHANGES)
"""Figure 7, by prefix: with four kinds, and with two groups of kinds (tool needed or not)."""
TRANSITIONS_TWO_GROUPS = Facet(
    name="transitions_two_groups",
    of=lambda one: _changes([kind in TOOL_KINDS for kind in one.route]),
    rows=_change_rows,
    label=_CHANGES,
)
TRANSITION_PAIRS = Facet(
    name="transition_pairs",
    of=lambda one: [">".join(one.route[-2:])] if one.task.index else [],
    rows=lambda _found: [f"{before}>{now}" for before, now in product(KINDS, KINDS)],
    label=_pair_label,
)
LAYERS, LAYERS_ACTION = _layers_of("layers", accuracy), _layers_of("layers_action", action)
TURN_TYPE = Facet(
    name="turn_type", of=lambda one: ["true" if one.needs_context else "false"], rows=lambda _found: ("true", "false")
)
"""MMTB's fourth and fifth analysis: does the task need the context, and in which way (true multi-turn only)?"""
SUBTYPES = Facet(
    name="subtypes",
    of=lambda one: [one.task.reference.value] if one.needs_context else [],
    rows=lambda _found: HIDDEN,
)
REFERENCE_BY_POSITION = Facet(
    name="reference_by_position",
    of=lambda one: [f"{one.task.reference.value}@{one.position}"],
    rows=_crossed_rows,
    label=_crossed_label,
)
"""Does a reference get harder the longer ago the text was that it refers to?"""
BY_TOOLS_OFFERED = Facet(
    name="by_tools_offered",
    of=lambda one: [str(len(one.session.tools))],
    rows=_by_number,
    label=counting(ngettext("{count} tool", "{count} tools")),
)
BY_CALLS = Facet(
    name="by_calls",
    of=lambda one: [str(sum(call.is_tool for call in one.task.calls))],
    rows=_by_number,
    label=counting(ngettext("{count} call", "{count} calls"), _("no call")),
)
BY_MESSAGES = Facet(
    name="by_messages",
    of=lambda one: [str(one.messages)] if one.messages else [],
    of_run=True,
    rows=_by_number,
    label=counting(ngettext("{count} message", "{count} messages")),
    fewest=SMALLEST_GROUP,
)
BY_CONTEXT_TOKENS = Facet(
    name="by_context_tokens",
    of=lambda one: [name for name, low, high in _token_groups() if low < one.tokens <= high],
    of_run=True,
    rows=_known([name for name, _low, _high in _token_groups()]),
    label=counting(_("{count} tokens")),
)
BY_PARAMETER_TYPES = Facet(
    name="by_parameter_types",
    of=lambda one: parameter_types(one.session.tools_by_name, one.task),
    rows=_known(PARAMETER_TYPES),
)
"""Tasks with at least one argument of a type, or from a source; a task can be in several rows."""
BY_ARGUMENT_SOURCE = Facet(
    name="by_argument_source",
    of=lambda one: argument_sources(one.task),
    rows=_known(SOURCES),
    label=lambda row, language: translated(_SOURCE_LABELS.get(row, row), language),
)

BY_DISTANCE = Facet(
    name="by_distance",
    of=lambda one: [str(distance) for distance in _distance(one)],
    rows=_by_number,
    label=counting(ngettext("{count} task back", "{count} tasks back")),
)
"""How far back the farthest value lies that a later task's calls take from an earlier one."""

TASKS_ALIKE = (
    BY_DISTANCE, BY_CALLS, BY_TOOLS_OFFERED, BY_MESSAGES, BY_CONTEXT_TOKENS, BY_PARAMETER_TYPES, BY_ARGUMENT_SOURCE,
)  # fmt: skip
"""By what the tasks are like: tables behind those of the papers."""
