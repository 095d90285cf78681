"""What is drawn for a dialogue: its clock, its tools, and what each task is to be like.

Everything here depends on the random numbers given and on the dialogue so far, on nothing else.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from toolgauge.chat import Tool
from toolgauge.data.session import Reference, TaskType
from toolgauge.errors import UsageError
from toolgauge.generation.agents.patterns import PATTERNS, Again, WorkedExample, bundled_patterns
from toolgauge.generation.dialogue import PlannedTask, Speaker
from toolgauge.generation.paths import SHAPES
from toolgauge.generation.pseudo import askable
from toolgauge.generation.setup import REFERENCE_SHARES, GenerationSetup, Slot
from toolgauge.generation.state import DialogueState
from toolgauge.languages import date_and_weekday
from toolgauge.tools.toollist import ToolList

_DRAWN = (TaskType.SEQUENTIAL_TOOLS.value, TaskType.PARALLEL_TOOLS.value, TaskType.MIXED_TOOLS.value)
"""How the calls of a multi-tool task depend on each other; drawn with equal probability."""
FIRST_LONG_RANGE = 2
"""The first task (from 0) that has a distant turn to reach back to."""
LONG = {"en": 160, "zh": 50}
"""Characters from which on a reply can be put more briefly."""
_ITEM = re.compile(r"^[ \t]*(?:[-*+•·]|\(?\d{1,3}[.)、]|\|(?![-: |]+$))[ \t]*\S", re.MULTILINE)


def draw_clock(draw: random.Random, language: str, year: int) -> str:
    """A second of a year with its weekday: "2024-05-03 09:12:44 Friday"."""
    begin, end = datetime.datetime(year, 1, 1), datetime.datetime(year, 12, 31, 23, 59, 59)
    seconds = draw.randrange(int((end - begin).total_seconds()) + 1)
    return date_and_weekday(begin + datetime.timedelta(seconds=seconds), language)


def draw_tool_list(slot: Slot, pool: Sequence[ToolList], draw: random.Random, tried: Collection[str] = ()) -> ToolList:
    """A tool list for a slot: one of its scenario's if that names any, and one whose tools suit its path.

    tried: ids of the lists that earlier attempts failed with; others are preferred. Raises UsageError where the pool
    is empty, has nothing of what the scenario names, or nothing that suits.
    """
    named = _named(slot, pool)
    for lists in ([one for one in named if one.id not in tried], [one for one in named if one.id in tried]):
        while lists:
            one = lists.pop(draw.randrange(len(lists)))
            if _walkable(slot.path, one.tools):
                return one
    raise _nothing_to_ask(slot)


def require_tool_lists(slots: Iterable[Slot], pool: Sequence[ToolList]) -> None:
    """Raise the UsageError that `draw_tool_list` would raise for one of the slots."""
    of_sort = {(slot.scenario and slot.scenario.id, "clarify" in slot.path): slot for slot in slots}
    for slot in of_sort.values():
        if not any(_walkable(slot.path, one.tools) for one in _named(slot, pool)):
            raise _nothing_to_ask(slot)


def draw_task(state: DialogueState, kind: str, setup: GenerationSetup) -> PlannedTask:
    """What the next task is to be like, beside its kind: of a first one the tool that it is for, of a later one how it
    leans on the dialogue, of a multi-tool one how its calls depend on each other. kind: or the name of that shape."""
    draw = state.draws("task", len(state.tasks))
    if kind in SHAPES:
        task = PlannedTask("multi", shape=SHAPES[kind], dictated=True)
    else:
        task = PlannedTask(kind, shape=draw.choice(_DRAWN) if kind == "multi" else None)
    if not state.tasks:
        return _aimed(state.tools, task, draw)
    examples = _fitting_examples(setup.examples or bundled_patterns(state.language), state, task)
    if not examples:
        raise UsageError(f"no example fits a later task of type {task.kind}; add some to the file of --examples")
    reference = _reference({one.subtype for one in examples}, setup.shares, draw)
    examples = [one for one in examples if one.subtype is reference]
    pattern = draw.choice(sorted({example.pattern for example in examples}))
    example = draw.choice([example for example in examples if example.pattern == pattern])
    return replace(task, reference=reference, pattern=pattern, example=example.id)


def _reference(possible: Collection[Reference], shares: Mapping[str, float], draw: random.Random) -> Reference:
    """A subtype by the shares of those that are possible."""
    names = [name for name in REFERENCE_SHARES if Reference(name) in possible]
    weights = [max(shares.get(name, 0.0), 0.0) for name in names]
    if not sum(weights):
        weights = [REFERENCE_SHARES[name] for name in names]
    return Reference(draw.choices(names, weights)[0])


def _aimed(tools: Sequence[Tool], task: PlannedTask, draw: random.Random) -> PlannedTask:
    """A first task with the tool that it is made for, where that is one; a question with what is to be missing."""
    if task.kind == "single":
        return replace(task, chosen=draw.choice([tool.name for tool in tools]))
    own = askable(tools) if task.kind == "clarify" else {}
    if not own:
        return task
    chosen = draw.choice(list(own))
    missing = draw.sample(own[chosen], draw.randint(1, len(own[chosen])))
    return replace(task, chosen=chosen, missing=tuple(name for name in own[chosen] if name in missing))


def _fitting_examples(
    examples: Sequence[WorkedExample], state: DialogueState, task: PlannedTask
) -> list[WorkedExample]:
    """The examples that fit; where none does (there may be few in a user's file), all for the kind of task."""
    is_far = len(state.tasks) >= FIRST_LONG_RANGE
    possible = [one for one in examples if task.kind in one.kinds and (is_far or one.subtype != "long_range")]
    replies = [entry.text for entry in state.entries if entry.speaker is Speaker.AGENT]
    reply = replies[-1] if replies else ""
    return [one for one in possible if _fits(one.pattern, state, task, reply)] or possible


def _fits(name: str, state: DialogueState, task: PlannedTask, reply: str) -> bool:
    """Can a task of this kind and shape lean on the dialogue by a pattern? Of one that is not ours it is not known what
    it needs."""
    pattern = PATTERNS.get(name)
    if pattern is None:
        return True
    leant_on = state.tasks[:-1] if pattern.subtype is Reference.LONG_RANGE else state.tasks[-1:]
    if not any(task.kind in (pattern.after_chat if one.kind == "chat" else pattern.after_calls) for one in leant_on):
        return False
    if len(_ITEM.findall(reply)) < pattern.items or (pattern.needs_long and len(reply) < LONG[state.language]):
        return False
    if pattern.shapes and task.shape not in (None, *pattern.shapes):
        return False
    return pattern.again is None or _repeats(pattern.again, state.tasks[-1], task)


def _repeats(again: Again, last: PlannedTask, task: PlannedTask) -> bool:
    """Can a task be the one before done again? Its calls hang together as that one's did; what took one call can also
    be done for several things at once."""
    if "multi" not in (last.kind, task.kind):
        return True
    if last.kind == "multi":
        return (task.kind, task.shape) == ("multi", last.shape)
    return again is Again.FOR_SEVERAL and task.shape == TaskType.PARALLEL_TOOLS


def _named(slot: Slot, pool: Sequence[ToolList]) -> Sequence[ToolList]:
    """The lists that a slot's scenario names, else all. Raises UsageError where there is none."""
    wanted = set(slot.scenario.tools) if slot.scenario else set()
    named = [one for one in pool if not wanted or one.id in wanted or one.name in wanted]
    if named:
        return named
    if slot.scenario and wanted:
        raise UsageError(f"scenario {slot.scenario.id}: no tool list in --tools has any of its ids or names")
    raise UsageError("no usable tool list in --tools")


def _walkable(path: Iterable[str], tools: Sequence[Tool]) -> bool:
    """Can every kind of task be made with these tools? A question needs something that only the user can know."""
    return "clarify" not in path or bool(askable(tools))


def _nothing_to_ask(slot: Slot) -> UsageError:
    where = f"scenario {slot.scenario.id}: " if slot.scenario and slot.scenario.tools else ""
    return UsageError(
        f"{where}no tool list fits a clarify task: every required parameter can be found with another tool, or follows "
        "from its definition or the date; choose other --tools, or --paths without clarify"
    )
