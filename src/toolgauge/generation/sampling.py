"""What is drawn for a dialogue: its clock, its tools, and what each task is to be like.

Everything here depends on the random numbers given and on the dialogue so far, on nothing else.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace

from toolgauge.annotation.dialogue import PlannedTask
from toolgauge.chat import Tool
from toolgauge.data.session import Reference, TaskType
from toolgauge.errors import UsageError
from toolgauge.generation.agents.patterns import bundled_patterns
from toolgauge.generation.askable import askable
from toolgauge.generation.occasions import fitting_examples, occasion_of
from toolgauge.generation.setup import REFERENCE_SHARES, GenerationSetup, Slot
from toolgauge.generation.state import DialogueState
from toolgauge.languages import date_and_weekday
from toolgauge.tools.toollist import ToolList

SHAPES = (TaskType.SEQUENTIAL_TOOLS.value, TaskType.PARALLEL_TOOLS.value, TaskType.MIXED_TOOLS.value)
"""How the calls of a multi-tool task depend on each other; drawn with equal probability."""


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
    leans on the dialogue, of a multi-tool one how its calls depend on each other."""
    task = PlannedTask(kind, shape=state.draw.choice(SHAPES) if kind == "multi" else None)
    if not state.tasks:
        return _aimed(state, task)
    examples = fitting_examples(setup.examples or bundled_patterns(state.language), occasion_of(state), task)
    if not examples:
        raise UsageError(f"no example fits a later task of type {kind}; add some to the file of --examples")
    reference = _reference(state, {one.subtype for one in examples}, setup.shares)
    examples = [one for one in examples if one.subtype is reference]
    pattern = state.draw.choice(sorted({example.pattern for example in examples}))
    example = state.draw.choice([example for example in examples if example.pattern == pattern])
    return replace(task, reference=reference, pattern=pattern, example=example.id)


def _reference(state: DialogueState, possible: Collection[Reference], shares: Mapping[str, float]) -> Reference:
    """A subtype by the shares of those that are possible."""
    names = [name for name in REFERENCE_SHARES if Reference(name) in possible]
    weights = [max(shares.get(name, 0.0), 0.0) for name in names]
    if not sum(weights):
        weights = [REFERENCE_SHARES[name] for name in names]
    return Reference(state.draw.choices(names, weights)[0])


def _aimed(state: DialogueState, task: PlannedTask) -> PlannedTask:
    """A first task with the tool that it is made for, where that is one; a question with what is to be missing."""
    if task.kind == "single":
        return replace(task, chosen=state.draw.choice([tool.name for tool in state.tools]))
    own = askable(state.tools) if task.kind == "clarify" else {}
    if not own:
        return task
    chosen = state.draw.choice(list(own))
    missing = state.draw.sample(own[chosen], state.draw.randint(1, len(own[chosen])))
    return replace(task, chosen=chosen, missing=tuple(name for name in own[chosen] if name in missing))


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
