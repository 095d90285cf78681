"""What is drawn for a dialogue: its clock, its tools, and what each task is to be like.

Everything here depends on the random numbers given and on the dialogue so far, on nothing else.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from toolgauge.annotation.dialogue import PlannedTask, Speaker
from toolgauge.chat import Tool
from toolgauge.data.session import Reference, TaskType
from toolgauge.errors import UsageError
from toolgauge.generation.agents.messages import last_of
from toolgauge.generation.agents.patterns import PATTERNS, WorkedExample, bundled_patterns
from toolgauge.generation.setup import REFERENCE_SHARES, GenerationSetup, Slot
from toolgauge.generation.state import DialogueState
from toolgauge.languages import date_and_weekday
from toolgauge.locale import _, named_field
from toolgauge.tools.toollist import ToolList

SHAPES = (TaskType.SEQUENTIAL_TOOLS.value, TaskType.PARALLEL_TOOLS.value, TaskType.MIXED_TOOLS.value)
"""How the calls of a multi-tool task depend on each other; drawn with equal probability."""
FIRST_LONG_RANGE = 2
"""The first task (from 0) that has a distant turn to reach back to."""

_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)、]|\|)[ \t]*\S", re.MULTILINE)


def draw_clock(draw: random.Random, language: str, year: int) -> str:
    """A second of a year with its weekday: "2024-05-03 09:12:44 Friday"."""
    begin, end = datetime.datetime(year, 1, 1), datetime.datetime(year, 12, 31, 23, 59, 59)
    seconds = draw.randrange(int((end - begin).total_seconds()) + 1)
    return date_and_weekday(begin + datetime.timedelta(seconds=seconds), language)


def draw_tool_list(slot: Slot, pool: Sequence[ToolList], draw: random.Random, tried: Collection[str] = ()) -> ToolList:
    """A tool list for a slot: one of its scenario's if that names any, and one whose tools suit its path.

    tried: ids of the lists that earlier attempts failed with; others are preferred. Raises UsageError where the pool
    is empty or has nothing of what the scenario names.
    """
    fitting = list(pool)
    if slot.scenario and slot.scenario.tools:
        wanted = set(slot.scenario.tools)
        fitting = [one for one in pool if one.id in wanted or one.name in wanted]
    if not fitting:
        if slot.scenario and slot.scenario.tools:
            said = _(
                "there is no tool list that the scenario {id} names: give its id or name in {tools}",
                tools=named_field("tools"),
            )
            raise UsageError(said.filled(id=slot.scenario.id))
        raise UsageError(
            _("there is no tool list that can be used: give its id or name in {tools}", tools=named_field("tools"))
        )
    fitting = [one for one in fitting if _walkable(slot.path, one.tools)] or fitting
    return draw.choice([one for one in fitting if one.id not in tried] or fitting)


def draw_task(state: DialogueState, kind: str, setup: GenerationSetup) -> PlannedTask:
    """What the next task is to be like, beside its kind: of a first one the tool that it is for, of a later one how it
    leans on the dialogue, of a multi-tool one how its calls depend on each other."""
    shape = state.draw.choice(SHAPES) if kind == "multi" else None
    if not state.tasks:
        return PlannedTask(kind, shape=shape, chosen=_chosen(state, kind))
    examples = setup.examples or bundled_patterns(state.language)
    reference, fitting = _reference(state, kind, setup.shares, examples)
    fitting = _seen(state, fitting)
    pattern = state.draw.choice(sorted({example.pattern for example in fitting}))
    example = state.draw.choice([example for example in fitting if example.pattern == pattern])
    return PlannedTask(kind, reference, shape, pattern, example.id)


def _reference(
    state: DialogueState, kind: str, shares: Mapping[str, float], examples: Sequence[WorkedExample]
) -> tuple[Reference, list[WorkedExample]]:
    """A subtype by the shares of those that are possible, and the examples of it that suit the kind of task."""
    possible: dict[str, list[WorkedExample]] = {}
    for example in examples:
        distant = example.subtype is Reference.LONG_RANGE
        if kind in example.kinds and not (distant and len(state.tasks) < FIRST_LONG_RANGE):
            possible.setdefault(example.subtype.value, []).append(example)
    if not possible:
        raise UsageError(_("no example suits a later task of kind {kind}; add some to the file of examples", kind=kind))
    names = [name for name in REFERENCE_SHARES if name in possible]
    weights = [max(shares.get(name, 0.0), 0.0) for name in names]
    if not sum(weights):
        weights = [REFERENCE_SHARES[name] for name in names]
    name = state.draw.choices(names, weights)[0]
    return Reference(name), possible[name]


def _seen(state: DialogueState, examples: list[WorkedExample]) -> list[WorkedExample]:
    """The examples, without patterns that pick from a list where the last reply holds none."""
    last = last_of(state.entries, Speaker.AGENT)
    if last and len(_ITEM.findall(last.text)) > 1:
        return examples
    picking = {name for name, pattern in PATTERNS.items() if pattern.needs_list}
    return [example for example in examples if example.pattern not in picking] or examples


def _chosen(state: DialogueState, kind: str) -> str | None:
    """The tool that a first task of one tool, or of a question about one, is made for."""
    if kind not in ("single", "clarify"):
        return None
    candidates = [tool.name for tool in state.tools if kind == "single" or _requires(tool)]
    return state.draw.choice(candidates or [tool.name for tool in state.tools])


def _walkable(path: Iterable[str], tools: Sequence[Tool]) -> bool:
    """Can every kind of task be made with these tools? What asks back needs a tool that requires something."""
    return "clarify" not in path or any(_requires(tool) for tool in tools)


def _requires(tool: Tool) -> bool:
    required = tool.parameters.get("required")
    return isinstance(required, list) and bool(required)
