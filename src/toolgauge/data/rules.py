"""What holds for every task of a sound session beyond being readable: rules that yield (path, message).

Source: docs/files.md#nodes, docs/files.md#annotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from toolgauge.data.meaning import Comparison, Said, meaning
from toolgauge.data.record import find, parse_pointer, put, shown, step
from toolgauge.data.session import ASK, FINAL, SET_LIMIT, Acceptance, Call, Session, Task, TaskType

Broken = Iterator[tuple[str, str]]


def broken(task: Task, path: str) -> Broken:
    """The rules that a task's graph breaks, apart from calls that do not fit their tool (tool_rules.py)."""
    for call in task.calls:
        place = f"{path}[{call.index}]"
        if "idx" in call.extra:
            yield f"{place}.idx", f"is {call.extra['idx']}, but this is node {call.index}"
        for position, before in enumerate(call.after):
            if before > call.index:
                yield f"{place}.dependency_list[{position}]", f"depends on the later node {before}"
        if call.name == ASK and not (call.user_input or "").strip():
            yield f"{place}.user_input", "is empty; the user must answer the question"
        if not call.is_tool and not str(call.observation).strip():
            yield f"{place}.observation", "is empty; the assistant must say something"
    yield from _annotations(task, path)
    yield from _final(task, path)
    yield from _questions(task, path)
    yield from _type(task, path)


def differences(english: Session, chinese: Session) -> Broken:
    """Where the two languages of a record are not the same session."""
    if {tool.name for tool in english.tools} != {tool.name for tool in chinese.tools}:
        yield "tools", "its tools differ from the English side"
    if len(english.tasks) != len(chinese.tasks):
        count = len(chinese.tasks)
        message = f"has {count} task{'' if count == 1 else 's'}, the English side has {len(english.tasks)}"
        yield "answer_list", message
        return
    for first, second in zip(english.tasks, chinese.tasks, strict=True):
        path, calls = f"answer_list[{first.index}]", list(zip(first.calls, second.calls, strict=False))
        same_size = len(first.calls) == len(second.calls)
        if not same_size or any(a.name != b.name or sorted(a.after) != sorted(b.after) for a, b in calls):
            yield path, "its graph differs from the English side"
        if not same_size or any(
            (a.optional, len(a.facts), a.unservable) != (b.optional, len(b.facts), b.unservable) for a, b in calls
        ):
            yield path, "its optional calls or facts differ from the English side"
        if (first.type, first.reference) != (second.type, second.reference):
            yield path, "its type or reference differs from the English side"


def variants(call: Call) -> Iterator[tuple[str, dict[str, object]]]:
    """Every other form of a call's arguments that its annotations make right, each with the path of what says so."""
    acceptance = call.acceptance
    if acceptance is None:
        return
    for pointer, values in acceptance.accept.items():
        for position, value in enumerate(values):
            yield f".accept{step(pointer)}[{position}]", put(call.arguments, parse_pointer(pointer), value)
    for pointer, value in acceptance.defaults.items():
        steps = parse_pointer(pointer)
        yield f".defaults{step(pointer)}", put(call.arguments, steps, value)
        holder = find(call.arguments, steps[:-1])
        rest = {key: member for key, member in holder.items() if key != steps[-1]}
        yield f".defaults{step(pointer)}", put(call.arguments, steps[:-1], rest)


def _annotations(task: Task, path: str) -> Broken:
    """What is wrong with what else is right, apart from values that do not fit the tool (`variants`)."""
    for call in task.calls:
        place = f"{path}[{call.index}]"
        if call.acceptance is not None:
            yield from _acceptance(call.acceptance, call.arguments, place)
        if call.optional:
            yield from _optional(task, call, place)
        reply = Said(str(call.observation)) if call.facts else None
        for position, fact in enumerate(call.facts):
            if reply is not None and not reply.mentions(fact):
                yield f"{place}.must_mention[{position}]", f"the annotated reply does not mention {shown(fact[0])}"
        if call.unservable and len(task.calls) > 1:
            yield f"{place}.unservable", "marked unservable, but the annotation has nodes besides the closing reply"
    if all(call.optional for call in task.calls if call.is_tool) and any(call.is_tool for call in task.calls):
        yield path, "every call is optional, so doing nothing would be correct; mark at least one as required"


def _acceptance(acceptance: Acceptance, arguments: Mapping[str, object], place: str) -> Broken:
    for pointer, values in acceptance.accept.items():
        gold = find(arguments, parse_pointer(pointer))
        for position, value in enumerate(values):
            if type(value) is type(gold) and value == gold:
                yield f"{place}.accept{step(pointer)}[{position}]", "same as the annotated value; remove it"
    for pointer, comparison in acceptance.compare.items():
        compared = [*acceptance.accept.get(pointer, ())]
        with suppress(LookupError):  # a default's place, where nothing is annotated
            compared.append(find(arguments, parse_pointer(pointer)))
        if pointer in acceptance.defaults:
            compared.append(acceptance.defaults[pointer])
        for value in compared:
            if what := _misread(comparison, value):
                yield f"{place}.compare{step(pointer)}", what


def _misread(comparison: Comparison, value: object) -> str | None:
    if comparison in (Comparison.EQUAL, Comparison.ANY):
        return None
    if comparison is Comparison.TEXT:
        return None if isinstance(value, str) else f"must be a string to be compared as text, not {shown(value)}"
    if comparison is not Comparison.SET:
        if meaning(comparison, value) is not None:
            return None
        return f"cannot parse {shown(value)} as {comparison.value}"
    if not isinstance(value, list):
        return f"must be an array to be compared as a set, not {shown(value)}"
    if len(value) <= SET_LIMIT:
        return None
    return f"a set has at most {SET_LIMIT} items, not {len(value)}"


def _optional(task: Task, call: Call, place: str) -> Broken:
    waiting = [other.index for other in task.calls if call.index in other.after and other.name != FINAL]
    if waiting:
        nodes = ", ".join(map(str, waiting))
        yield f"{place}.optional", f"only the closing reply may depend on an optional call, but so does node {nodes}"


def _final(task: Task, path: str) -> Broken:
    """The closing reply: one, last, after everything else."""
    finals = [call.index for call in task.calls if call.name == FINAL]
    last = len(task.calls) - 1
    if finals != [last]:
        yield path, f"the closing reply must be the last node and the only one, found at {_listed(finals)}"
        return
    used = {before for call in task.calls for before in call.after}
    forgotten = [call.index for call in task.calls[:-1] if call.index not in used]
    if forgotten:
        yield f"{path}[{last}].dependency_list", f"the closing reply must also depend on node {_listed(forgotten)}"


def _questions(task: Task, path: str) -> Broken:
    """A question stands alone in its step: every other node comes before or after it."""
    asks = [call.index for call in task.calls if call.name == ASK]
    if not asks:
        return
    before = _ancestors(task.calls)
    for index in asks:
        beside = [
            call.index
            for call in task.calls
            if call.index != index and index not in before[call.index] and call.index not in before[index]
        ]
        if beside:
            yield f"{path}[{index}]", f"a question must stand alone, but node {_listed(beside)} does not depend on it"


def _type(task: Task, path: str) -> Broken:
    """The type that the task claims agrees with its graph."""
    tools = sum(call.is_tool for call in task.calls)
    asks = any(call.name == ASK for call in task.calls)
    seen = f"the graph has {tools} tool call{'' if tools == 1 else 's'}"
    if task.type is TaskType.CLARIFY:
        if not asks:
            yield path, "the task has the type clarify, but the assistant asks nothing"
        return
    if asks:
        yield path, f"the task has the type {task.type.value}, but the assistant asks a question"
    if task.type is TaskType.CHAT and tools:
        yield path, f"the task has the type chat, but {seen}"
    elif task.type is TaskType.SINGLE_TOOL and tools != 1:
        yield path, f"the task has the type single_tool, but {seen}"
    elif task.type.kind == "multi" and task.shape is not task.type:
        shape = task.shape.value.removesuffix("_tools") if task.shape else "not several"
        yield path, f"the task has the type {task.type.value}, but {seen} and is {shape}"


def _ancestors(calls: tuple[Call, ...]) -> list[set[int]]:
    """For every node all nodes that must come before it; the graph has no circle (data/nodes.py)."""
    before = [set(call.after) for call in calls]
    while True:
        grown = [ancestors.union(*(before[index] for index in ancestors)) for ancestors in before]
        if grown == before:
            return before
        before = grown


def _listed(indexes: list[int]) -> str:
    return str(", ".join(map(str, indexes))) if indexes else "no place"
