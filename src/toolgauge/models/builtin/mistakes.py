"""Every mistake that the noisy model can make at a request, with the class it belongs to.

The names are those of judge/mistakes.py, and a reply is offered under a name only where the published procedure (the
first condition that holds decides, actions before arguments) leads to that class and no other. A wrong argument is
offered where the published checks (WildToolBench: first the schema, then the comparison with the annotation) reach it:
a wrong value fits its schema, a wrong type does not, and nothing else is changed. Tool definitions may be anything;
where one is not understood, nothing is planted.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.chat import GoldHint, Reply, Request, Tool, ToolCall
from toolgauge.languages import has_han
from toolgauge.models.replies import read_json

Plan = tuple[str, Reply]


class _Scene(Struct, frozen=True):
    """A request with what the rules below ask of it."""

    gold_hint: GoldHint
    step: int
    due: tuple[ToolCall, ...]
    offered: tuple[Tool, ...]
    chinese: bool

    @property
    def first(self) -> bool:
        return self.step == 0

    def names(self, calls: tuple[ToolCall, ...]) -> frozenset[str | None]:
        return frozenset(call.name for call in calls)

    def unrelated(self) -> Iterator[ToolCall]:
        """Calls of offered tools that the task needs at no point."""
        needed = self.names(self.due) | self.names(self.gold_hint.done) | self.names(self.gold_hint.later)
        return (call_of(tool) for tool in self.offered if tool.name not in needed)


def plan_mistakes(request: Request) -> list[Plan]:
    """All plans for this request as (name of the mistake, reply with `planted` set); several per name are variants.

    A request without a cue has none.
    """
    gold_hint = request.gold_hint
    if gold_hint is None:
        return []
    if gold_hint.mistakes is not None:
        return [(name, replace(reply, planted=name)) for name, reply in gold_hint.mistakes()]
    due = gold_hint.reply.tool_calls if gold_hint.due == "calls" else ()
    scene = _Scene(gold_hint, request.step, due, request.tools, is_chinese(request))
    plans = [*_anywhere(scene), *_instead_of_text(scene)]
    if due:
        plans += [*_instead_of_calls(scene), *_wrong_arguments(scene)]
    return [(name, replace(reply, planted=name)) for name, reply in plans]


def is_chinese(request: Request) -> bool:
    """Whether the last user message has Chinese characters."""
    utterance = next((message.content or "" for message in reversed(request.messages) if message.role == "user"), "")
    return has_han(utterance)


def _anywhere(scene: _Scene) -> Iterator[Plan]:
    yield "empty_output", Reply()
    yield "empty_output", Reply(content="")
    calls = scene.due or (ToolCall("planted_0", "search", "{}"),)
    yield "malformed_call", _say(replace(calls[0], id=None), *calls[1:])
    yield "malformed_call", _say(replace(calls[0], name=None), *calls[1:])
    yield "malformed_call", _say(replace(calls[0], name=None, arguments=None), *calls[1:])
    existing = scene.names(scene.due) | {tool.name for tool in scene.offered}
    stem = calls[0].name or "search"
    names = (f"{stem}_v{number}" if number > 1 else f"{stem}_pro" for number in itertools.count(1))
    unknown = next(name for name in names if name not in existing)
    yield "unknown_tool", _say(replace(calls[0], name=unknown), *calls[1:])


def _instead_of_text(scene: _Scene) -> Iterator[Plan]:
    """A call where a question or the closing reply is due."""
    offered = {tool.name for tool in scene.offered}
    if scene.gold_hint.due == "ask":
        guesses = [call for call in scene.gold_hint.later[:1] if call.name in offered]
        for call in guesses or [call_of(tool) for tool in scene.offered[:1]]:
            yield "missed_clarification", _say(call)
    elif scene.gold_hint.due == "final" and scene.first:
        for tool in scene.offered:
            yield "needless_tool", _say(call_of(tool))
    elif scene.gold_hint.due == "final":
        yield from (("wrong_tool", _say(call)) for call in scene.unrelated())
        yield from (("redundant_call", _say(_again(call))) for call in scene.gold_hint.done if call.name in offered)


def _instead_of_calls(scene: _Scene) -> Iterator[Plan]:
    """Text, or other calls, where calls are due."""
    no = "抱歉，这件事我帮不上忙。" if scene.chinese else "I am sorry, but I cannot do that."
    yield ("refusal" if scene.first else "early_termination"), Reply(content=no)
    due, done, later = scene.names(scene.due), scene.names(scene.gold_hint.done), scene.names(scene.gold_hint.later)
    offered = {tool.name for tool in scene.offered}
    for call in scene.gold_hint.later:
        if call.name in offered and call.name not in due | done:
            yield "order_violation", _say(call)
            yield "order_violation", _say(*scene.due, call)
    yield from (("wrong_tool", _say(call)) for call in scene.unrelated())
    for call in scene.due:
        if call.name in offered and call.name not in later:
            yield "redundant_call", _say(*scene.due, _again(call))
    for call in scene.gold_hint.done:
        if call.name in offered and call.name not in due | later:
            yield "redundant_call", _say(_again(call))


def _wrong_arguments(scene: _Scene) -> Iterator[Plan]:
    """The due calls, one of them with one wrong argument."""
    tools = {tool.name: tool for tool in scene.offered}
    for position, call in enumerate(scene.due):
        tool = tools.get(call.name or "")
        if tool is None:
            continue
        before, after = scene.due[:position], scene.due[position + 1 :]
        for name, text in spoil(call.arguments, tool.parameters):
            yield name, _say(*before, replace(call, arguments=text), *after)


def _say(*calls: ToolCall) -> Reply:
    return Reply(tool_calls=calls)


def _again(call: ToolCall) -> ToolCall:
    """The same call under an id of its own."""
    return replace(call, id=f"{call.id}_again")


def call_of(tool: Tool) -> ToolCall:
    """A call of a tool with plausible arguments."""
    arguments = sample({**tool.parameters, "type": "object"})
    return ToolCall(f"planted_{tool.name}", tool.name, as_text(arguments if isinstance(arguments, dict) else {}))


# Wrong arguments.

DEEPEST = 16
"""Levels of a schema or a value that are looked at."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "float": (float,), "number": (int, float), "boolean": (bool,),
    "array": (list,), "object": (dict,), "null": (type(None),),
}  # fmt: skip


NOTHING = object()
"""No value can be given."""


def spoil(arguments: object, parameters: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """(mistake, arguments as text) for every mistake possible in a right call of a tool with these parameters."""
    gold = _object_of(arguments)
    if gold is None:
        return
    properties, required = _dict(parameters.get("properties")), _required(parameters)
    yield "bad_json", as_text(gold)[:-1]
    if _object_of(str(gold)) is None:  # Python's notation, as some models write it
        yield "bad_json", str(gold)
    undefined = "verbose"
    while undefined in properties:
        undefined += "_mode"
    yield "undefined_param", as_text({**gold, undefined: True})
    for key in gold:
        rest = {other: value for other, value in gold.items() if other != key}
        if key in required:
            yield "missing_required", as_text(rest)
        elif key in properties:
            yield "missing_value", as_text(rest)
    for key, value in gold.items():
        schema = properties.get(key)
        changes = (("wrong_type", _other_type(value, schema)), ("wrong_value", _other_value(value, schema)))
        for name, changed in changes:
            if changed is not NOTHING:
                yield name, as_text({**gold, key: changed})
    for key, schema in properties.items():
        if key not in gold and key not in required:
            extra = sample(schema)
            if extra is not NOTHING:
                yield "extra_value", as_text({**gold, key: extra})


def as_text(arguments: Mapping[str, object] | list[object]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _object_of(arguments: object) -> dict[str, object] | None:
    if isinstance(arguments, str):
        try:
            arguments = read_json(arguments.encode("utf-8", "replace"))
        except ValueError:
            return None
    return arguments if isinstance(arguments, dict) else None


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _required(schema: Mapping[str, object]) -> list[str]:
    return [key for key in _list(schema.get("required")) if isinstance(key, str)]


def _type_fits(value: object, kind: object) -> bool | None:
    """Whether a value has a schema's type; None where the type is none that is checked. No type means text."""
    types = _TYPES.get("string" if kind is None else str(kind))
    return None if types is None else isinstance(value, types)


def fits(value: object, schema: object, depth: int = DEEPEST) -> bool:
    """Whether the published schema check certainly accepts a value."""
    if depth <= 0 or value is NOTHING or not isinstance(schema, dict):
        return False
    if "anyOf" in schema:
        return any(fits(value, branch, depth - 1) for branch in _list(schema["anyOf"]))
    if _type_fits(value, schema.get("type")) is False or ("enum" in schema and value not in _list(schema["enum"])):
        return False
    if isinstance(value, dict):
        properties = _dict(schema.get("properties"))
        present = all(key in value for key in _required(schema))
        return present and all(
            fits(item, properties[key], depth - 1) if key in properties else schema.get("additionalProperties") is True
            for key, item in value.items()
        )
    if isinstance(value, list) and "items" in schema:
        return all(fits(item, schema["items"], depth - 1) for item in value)
    return True


def sample(schema: object, depth: int = DEEPEST) -> Any:
    """A value that fits the schema, with required properties only; NOTHING if none is found."""
    if depth <= 0 or not isinstance(schema, dict):
        return NOTHING
    if "anyOf" in schema:
        candidates = [sample(branch, depth - 1) for branch in _list(schema["anyOf"])]
    else:
        candidates = [schema["default"]] if "default" in schema else []
        candidates += _list(schema.get("enum")) or [_simple(schema, depth)]
    return next((value for value in candidates if value is not NOTHING and fits(value, schema)), NOTHING)


def _simple(schema: Mapping[str, object], depth: int) -> Any:
    kind = schema.get("type", "string")
    if kind == "array":
        item = sample(schema.get("items"), depth - 1)
        return [] if item is NOTHING else [item]
    if kind == "object":
        properties = _dict(schema.get("properties"))
        return {key: sample(properties.get(key), depth - 1) for key in _required(schema)}
    plain = {"string": "sample", "integer": 3, "float": 1.5, "number": 2, "boolean": True, "null": None}
    return plain.get(kind, NOTHING) if isinstance(kind, str) else NOTHING


def _other_type(value: object, schema: object) -> object:
    """A value of a type that the schema does not allow, as models make them: a number as text, a text as number."""
    if not isinstance(schema, dict) or "anyOf" in schema or _type_fits(value, schema.get("type")) is not True:
        return NOTHING
    return 7 if isinstance(value, str) else as_text(value) if isinstance(value, (dict, list)) else str(value)


def _other_value(value: object, schema: object) -> object:
    """A value that fits the schema as `value` does but that no comparison takes for it."""
    if not fits(value, schema):
        return NOTHING
    return next((other for other in _neighbours(value, schema, DEEPEST) if fits(other, schema)), NOTHING)


def _neighbours(value: Any, schema: object, depth: int) -> Iterator[object]:
    """Values of the same type that the comparison rejects; whether they fit is for the caller to see."""
    if depth <= 0 or not isinstance(schema, dict):
        return
    for branch in _list(schema.get("anyOf")):
        yield from _neighbours(value, branch, depth - 1)
    members = (other for other in _list(schema.get("enum")) if type(other) is type(value))
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, (int, float)):
        yield from (other for other in (value + 1, *members, 0 * value) if other != value)
    elif isinstance(value, str):
        yield from (other for other in (*members, *_OTHER_TEXTS) if surely_differs(other, value))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            for other in _neighbours(item, schema.get("items"), depth - 1):
                yield [*value[:position], other, *value[position + 1 :]]
        extra = sample(schema.get("items"))
        if extra is not NOTHING:
            yield [*value, extra]
    elif isinstance(value, dict):
        for key, item in value.items():
            for other in _neighbours(item, _dict(schema.get("properties")).get(key), depth - 1):
                yield {**value, key: other}


_OTHER_TEXTS = ("zebra crossing", "quite another matter", "完全无关内容")


def surely_differs(first: str, second: str) -> bool:
    """Whether two texts are so different that the published text rule cannot accept one for the other.

    That rule needs ROUGE-L of at least 0.7, and ROUGE-L cannot exceed 2c / (n + m) for n and m distinct words of which
    c are shared. How Chinese is cut into words is not known here: there, up to two shared pieces beside others that
    are not shared stay below 0.7 however they are joined. Blanks and letter case alone make no difference at all.
    """
    if "".join(first.split()).lower() == "".join(second.split()).lower():
        return False
    chinese = has_han(first + second)  # single characters and runs of letters; else blanks and dots divide words
    mine, theirs = (set(re.findall(r"[0-9A-Za-z]+|\S" if chinese else r"[^\s.]+", text)) for text in (first, second))
    shared = len(mine & theirs)
    if shared == 0:
        return bool(mine or theirs)
    if chinese:
        return shared <= 2 and len(mine) > shared and len(theirs) > shared
    return 2 * shared < 0.69 * (len(mine) + len(theirs))
