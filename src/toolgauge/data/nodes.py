"""What both data formats share: tool definitions and the annotated nodes of a task (docs/data-format.md#nodes)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import DecodeError, ValidationError, convert
from msgspec.json import decode

from toolgauge.chat import Json, Tool, ToolFacts
from toolgauge.data.annotation_fields import FIELDS, NONE, read_annotations
from toolgauge.data.lines import within_depth
from toolgauge.data.record import DataLine, must_be, step
from toolgauge.data.schemas import Words, normalise_schema
from toolgauge.data.session import ASK, FINAL, Call

_NODE = frozenset({"idx", "action", "dependency_list", "observation", "user_input", "argument_sources"})
_ANNOTATED = _NODE | FIELDS
_FACTS = ToolFacts.__struct_encode_fields__


def read_tools(record: DataLine, key: str, flavour: Words) -> tuple[tuple[Tool, ...], tuple[dict[str, object], ...]]:
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


def _tool(record: DataLine, function: Mapping[str, object], path: str, flavour: Words) -> Tool:
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
    """The annotated graph of one task. annotated: the format has the fields of docs/data-format.md#annotations.

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
    known = _ANNOTATED if annotated else _NODE
    extra = {} if node.keys() <= known else {key: value for key, value in node.items() if key not in known}
    arguments = _arguments(record, action, f"{path}.action")
    more = read_annotations(record, node, name, arguments, path) if annotated else NONE
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
        acceptance=more.acceptance,
        optional=more.optional,
        facts=more.facts,
        unservable=more.unservable,
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
