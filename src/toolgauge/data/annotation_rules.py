"""Do annotations say something, and do they agree with the rest? Rules that yield (path, message).

Source: docs/data-format.md#annotations. What is needed to read them at all is checked where they are read
(annotation_fields.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from toolgauge.data.acceptance import SET_LIMIT, Acceptance
from toolgauge.data.meaning import Comparison, meaning
from toolgauge.data.mentioning import Said
from toolgauge.data.pointers import find, parse_pointer, put
from toolgauge.data.record import shown, step
from toolgauge.data.session import FINAL, Call, Task

Broken = Iterator[tuple[str, str]]


def broken_annotations(task: Task, path: str) -> Broken:
    """What is wrong with a task's annotations, apart from values that do not fit the tool (`variants`)."""
    for call in task.calls:
        place = f"{path}[{call.index}]"
        if call.acceptance is not None:
            yield from _acceptance(call.acceptance, call.arguments, place)
        if call.optional:
            yield from _optional(task, call, place)
        said = Said(str(call.observation)) if call.facts else None
        for position, fact in enumerate(call.facts):
            if said is not None and not said.mentions(fact):
                yield f"{place}.must_mention[{position}]", f"the annotated reply does not mention {shown(fact[0])}"
        if call.unservable and len(task.calls) > 1:
            yield f"{place}.unservable", "marked unservable, but the annotation has nodes besides the closing reply"
    if all(call.optional for call in task.calls if call.is_tool) and any(call.is_tool for call in task.calls):
        yield path, "every call is optional, so doing nothing would be correct; mark at least one as required"


def variants(call: Call) -> Iterator[tuple[str, dict[str, object]]]:
    """Every other form of a call's arguments that its annotations make right, each with the path of what says so."""
    taken = call.acceptance
    if taken is None:
        return
    for pointer, values in taken.accept.items():
        for position, value in enumerate(values):
            yield f".accept{step(pointer)}[{position}]", put(call.arguments, parse_pointer(pointer), value)
    for pointer, value in taken.defaults.items():
        steps = parse_pointer(pointer)
        yield f".defaults{step(pointer)}", put(call.arguments, steps, value)
        holder = find(call.arguments, steps[:-1])
        rest = {key: member for key, member in holder.items() if key != steps[-1]}
        yield f".defaults{step(pointer)}", put(call.arguments, steps[:-1], rest)


def _acceptance(taken: Acceptance, arguments: Mapping[str, object], place: str) -> Broken:
    for pointer, values in taken.accept.items():
        gold = find(arguments, parse_pointer(pointer))
        for position, value in enumerate(values):
            if type(value) is type(gold) and value == gold:
                yield f"{place}.accept{step(pointer)}[{position}]", "same as the annotated value; remove it"
    for pointer, comparison in taken.compare.items():
        compared = [*taken.accept.get(pointer, ())]
        with suppress(LookupError):  # a default's place, where nothing is annotated
            compared.append(find(arguments, parse_pointer(pointer)))
        if pointer in taken.defaults:
            compared.append(taken.defaults[pointer])
        for value in compared:
            if what := _misread(comparison, value):
                yield f"{place}.compare{step(pointer)}", what


def _misread(comparison: Comparison, value: object) -> str | None:
    if comparison is Comparison.EQUAL:
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
