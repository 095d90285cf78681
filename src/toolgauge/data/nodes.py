"""What the layouts of records share: tool definitions, and the annotated nodes of a task with what else is right
(docs/files.md#nodes, docs/files.md#annotations)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import DecodeError, ValidationError, convert, to_builtins
from msgspec.json import decode

from toolgauge.chat import Json, Tool, ToolFacts
from toolgauge.data.lines import within_depth
from toolgauge.data.meaning import Comparison, Fact
from toolgauge.data.record import DataLine, Steps, find, must_be, parse_pointer, shown, step
from toolgauge.data.schemas import PLAIN, Flavour, normalise_schema
from toolgauge.data.session import ASK, FINAL, MAX_ENTRIES, Acceptance, Call

CALL_FIELDS = ("accept", "compare", "defaults", "optional")
REPLY_FIELDS = ("must_mention", "unservable")
FIELDS = frozenset({*CALL_FIELDS, *REPLY_FIELDS})
_COMPARISONS = tuple(Comparison)
_NODE = frozenset({"idx", "action", "dependency_list", "observation", "user_input", "argument_sources"})
_ANNOTATED = _NODE | FIELDS
_FACTS = ToolFacts.__struct_encode_fields__


def read_tools(
    record: DataLine, key: str, flavour: Flavour = PLAIN
) -> tuple[tuple[Tool, ...], tuple[dict[str, object], ...]]:
    """The tools of a session as they are sent and as the file has them.

    Of tools with the same name only the first is sent, since no endpoint takes a name twice; the public tool lists hold
    such a repetition. `check` reports it.
    """
    definitions = record.take(record.value, key, list)
    tools: dict[str, Tool] = {}
    for position, definition in enumerate(definitions):
        path = f"{key}[{position}]"
        if type(definition) is not dict:
            raise record.error(must_be(dict, definition), path)
        tool = _tool(record, record.take(definition, "function", dict, path), f"{path}.function", flavour)
        tools.setdefault(tool.name, tool.noting(_facts(definition)))
    return tuple(tools.values()), tuple(definitions)


def _tool(record: DataLine, function: Mapping[str, object], path: str, flavour: Flavour) -> Tool:
    name = record.take(function, "name", str, path)
    description = function.get("description") or ""
    if type(description) is not str:
        raise record.error(must_be(str, description), f"{path}.description")
    parameters = function.get("parameters")
    if parameters is not None and type(parameters) is not dict:
        raise record.error(must_be(dict, parameters), f"{path}.parameters")
    return Tool(name, description, normalise_schema(parameters, flavour))


def _facts(definition: Json) -> ToolFacts:
    """What stands beside a definition; nothing where that is not as MCP has it."""
    try:
        return convert({name: definition[name] for name in _FACTS if definition.get(name) is not None}, ToolFacts)
    except ValidationError:
        return ToolFacts()


def read_calls(record: DataLine, nodes: object, path: str, annotated: bool = False) -> tuple[Call, ...]:
    """The annotated graph of one task. annotated: the format has the fields of docs/files.md#annotations.

    Every dependency is a position in the list and the graph has no circle; the list holds a closing reply. Whether it
    also has the usual form (predecessors first, the reply last) is left to `check`.
    """
    if type(nodes) is not list:
        raise record.error(must_be(list, nodes), path)
    places = ((node, index, f"{path}[{index}]") for index, node in enumerate(nodes))
    calls = tuple([_call(record, node, index, len(nodes), place, annotated) for node, index, place in places])
    if not any(call.name == FINAL for call in calls):
        raise record.error(f"closing reply ({FINAL}) missing", path)
    if any(before > call.index for call in calls for before in call.after) and _has_circle(calls):
        raise record.error("circular dependencies", path)
    return calls


def _call(record: DataLine, node: object, index: int, count: int, path: str, annotated: bool) -> Call:
    if type(node) is not dict:
        raise record.error(must_be(dict, node), path)
    idx = record.take(node, "idx", int, path)
    action = record.take(node, "action", dict, path)
    name = record.take(action, "name", str, f"{path}.action")
    if "observation" not in node:
        raise record.error("missing", f"{path}.observation")
    if name in (ASK, FINAL):
        record.take(node, "observation", str, path)
    fields = _ANNOTATED if annotated else _NODE
    extra = {} if node.keys() <= fields else {key: value for key, value in node.items() if key not in fields}
    arguments = _arguments(record, action, f"{path}.action")
    right = _annotations(record, node, name, arguments, path) if annotated else {}
    if idx != index:
        extra["idx"] = idx
    return Call(
        index=index,
        name=name,
        arguments=arguments,
        after=_after(record, node, index, count, path),
        observation=node["observation"],
        user_input=record.take(node, "user_input", str, path) if name == ASK else node.get("user_input"),
        sources=_sources(record, node, path),
        extra=extra,
        **right,
    )


def _arguments(record: DataLine, action: Mapping[str, object], path: str) -> dict[str, object]:
    """An object, or the JSON text of one."""
    arguments = action.get("arguments")
    if type(arguments) is dict:
        return arguments
    if type(arguments) is str:
        try:
            arguments = decode(arguments)
        except (DecodeError, RecursionError) as error:
            raise record.error("must be an object or the JSON of one", f"{path}.arguments") from error
        if not within_depth(arguments):
            raise record.error("nested too deeply", f"{path}.arguments")
    return record.take({**action, "arguments": arguments} if "arguments" in action else action, "arguments", dict, path)


def _after(record: DataLine, node: Mapping[str, object], index: int, count: int, path: str) -> tuple[int, ...]:
    after = record.take(node, "dependency_list", list, path)
    for position, before in enumerate(after):
        place = f"{path}.dependency_list[{position}]"
        if type(before) is not int:
            raise record.error(must_be(int, before), place)
        if before == index:
            raise record.error("a node cannot depend on itself", place)
        if not 0 <= before < count:
            raise record.error(f"unknown node {before}; the task has nodes 0 to {count - 1}", place)
    return tuple(after) if len(after) < 2 else tuple(dict.fromkeys(after))


def _sources(record: DataLine, node: Mapping[str, object], path: str) -> dict[str, list[dict[str, object]]]:
    if "argument_sources" not in node:
        return {}
    sources = record.take(node, "argument_sources", dict, path)
    for name, listed in sources.items():
        place = f"{path}.argument_sources{step(name)}"
        if type(listed) is not list:
            raise record.error(must_be(list, listed), place)
        for position, source in enumerate(listed):
            if type(source) is not dict:
                raise record.error(must_be(dict, source), f"{place}[{position}]")
    return sources


def _has_circle(calls: tuple[Call, ...]) -> bool:
    done: set[int] = set()
    while True:
        ready = {call.index for call in calls if call.index not in done and done.issuperset(call.after)}
        if not ready:
            return len(done) < len(calls)
        done |= ready


def _annotations(record: DataLine, node: Json, name: str, arguments: Json, path: str) -> dict[str, Any]:
    """What else is right, by the names of a `Call`: of a tool call what it takes besides its arguments and whether it
    may be left out, of the closing reply what it must mention and whether no tool can do what is wanted."""
    fields = node.keys() & FIELDS
    for field in fields:
        if field in CALL_FIELDS and name in (ASK, FINAL):
            raise record.error("only tool calls have this field", f"{path}.{field}")
        if field in REPLY_FIELDS and name != FINAL:
            raise record.error("only the closing reply has this field", f"{path}.{field}")
    right: dict[str, Any] = {
        flag: record.take(node, flag, bool, path) for flag in ("optional", "unservable") if flag in fields
    }
    if "must_mention" in fields:
        right["facts"] = _facts_due(record, node, path)
    if not fields.isdisjoint(("accept", "compare", "defaults")):
        right["acceptance"] = _acceptance(record, node, arguments, path)
    return right


def written_annotations(call: Call) -> dict[str, object]:
    """The fields of a node as they are read; those that say nothing are left out."""
    fields: dict[str, object] = {}
    if (acceptance := call.acceptance) is not None:
        parts = (("accept", acceptance.accept), ("compare", acceptance.compare), ("defaults", acceptance.defaults))
        fields = {name: to_builtins(part) for name, part in parts if part}
    if call.optional:
        fields["optional"] = True
    if call.facts:
        fields["must_mention"] = [fact[0] if len(fact) == 1 else list(fact) for fact in call.facts]
    if call.unservable:
        fields["unservable"] = True
    return fields


def _acceptance(record: DataLine, node: Json, arguments: Json, path: str) -> Acceptance | None:
    accept, compare, defaults = (_by_place(record, node, name, path) for name in ("accept", "compare", "defaults"))
    for pointer, values in accept.items():
        place = f"{path}.accept{step(pointer)}"
        if type(values) is not list or not values:
            raise record.error("must not be empty" if values == [] else must_be(list, values), place)
        _find(record, arguments, parse_pointer(pointer), place)
    _bounded(record, [value for values in accept.values() for value in values], f"{path}.accept")
    for pointer in defaults:
        place = f"{path}.defaults{step(pointer)}"
        steps = parse_pointer(pointer)
        if not steps or type(_find(record, arguments, steps[:-1], place)) is not dict:
            raise record.error("must point to a member of an object", place)
    for pointer, word in compare.items():
        place = f"{path}.compare{step(pointer)}"
        if word not in _COMPARISONS:
            choices = ", ".join(_COMPARISONS)
            raise record.error(f"invalid comparison {shown(word)}; choose one of {choices}", place)
        if pointer not in defaults:
            _find(record, arguments, parse_pointer(pointer), place)
    sets = [f"{pointer}/" for pointer, word in compare.items() if word == Comparison.SET]
    for pointer in compare:
        if compare[pointer] == Comparison.SET and any(pointer.startswith(outer) for outer in sets):
            raise record.error("a set inside a set is not supported", f"{path}.compare{step(pointer)}")
    if not (accept or compare or defaults):
        return None
    return Acceptance(
        {pointer: tuple(values) for pointer, values in accept.items()},
        {pointer: Comparison(word) for pointer, word in compare.items()},
        defaults,
    )


def _by_place(record: DataLine, node: Mapping[str, object], name: str, path: str) -> Json:
    """A field whose keys are JSON Pointers."""
    if name not in node:
        return {}
    entries = record.take(node, name, dict, path)
    _bounded(record, entries, f"{path}.{name}")
    for pointer in entries:
        try:
            parse_pointer(pointer)
        except ValueError as error:
            message = f"invalid JSON Pointer {shown(pointer)}; write for example /items/0/name"
            raise record.error(message, f"{path}.{name}") from error
    return entries


def _find(record: DataLine, arguments: Mapping[str, object], steps: Steps, place: str) -> object:
    try:
        return find(arguments, steps)
    except LookupError as error:
        raise record.error("not found in the annotated arguments", place) from error


def _facts_due(record: DataLine, node: Mapping[str, object], path: str) -> tuple[Fact, ...]:
    facts = record.take(node, "must_mention", list, path)
    _bounded(record, facts, f"{path}.must_mention")
    due = []
    for position, fact in enumerate(facts):
        place = f"{path}.must_mention[{position}]"
        values = fact if type(fact) is list else [fact]
        _bounded(record, values, place)
        if not values:
            raise record.error("must not be empty", place)
        for value in values:
            if type(value) not in (str, int, float):
                raise record.error(f"invalid fact {shown(value)}: must be a string, a number or a list of them", place)
            if type(value) is str and not value.strip():
                raise record.error("must not be empty", place)
        due.append(tuple(values))
    return tuple(due)


def _bounded(record: DataLine, entries: Mapping[str, object] | list[object], place: str) -> None:
    if len(entries) > MAX_ENTRIES:
        raise record.error(f"has {len(entries)} entries, at most {MAX_ENTRIES} are allowed", place)
