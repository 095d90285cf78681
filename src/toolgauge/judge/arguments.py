"""The arguments of a call: read from what a model sent, checked against the tool's schema, and what can be wrong.

Whether they are what was annotated is a benchmark's rule (`ArgumentRule`); the one of `exact` is in values.py.
Everything is judged to a bounded depth, so neither a reply nor a tool definition can exhaust the stack.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from toolgauge.data.session import Call
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.reasons import Parameter, Reason, ReasonCode, printable

MAX_DEPTH = 100
"""Arguments nested deeper are unreadable; schemas nested deeper check nothing below."""

_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "float": float,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
"""As WildToolBench's evaluator has them: booleans pass as integers and numbers (they are in the host language)."""
_SCALARS = (str, int, float, type(None))
_decode = msgspec.json.Decoder().decode


class ArgumentFault(Struct, frozen=True):
    """Something that is wrong with a call's arguments.

    path: the argument, "" for the arguments as a whole, then `key`, `a.b`, `a[0]`; message: the reason in words;
    mistake: the class of the taxonomy. made, expected: the two values, UNSET where there is none or the rule did not
    look at it (of missing and extra keys: their object); score: how alike two texts are, from 0 to 1, where that
    decides.
    """

    path: str
    reason: Reason
    mistake: Mistake
    made: object = UNSET
    expected: object = UNSET
    score: float | None = None

    @property
    def message(self) -> str:
        return printable(self.reason.text)


Faults: TypeAlias = Iterator[ArgumentFault]
ArgumentRule: TypeAlias = Callable[[Mapping[str, object], object, Call], Faults]
"""rule(schema, predicted, call): everything that is wrong with arguments made for an annotated call, nothing where they
are right; the first fault is the one that the verdict tells. schema: the tool's parameters as they are sent; predicted:
what `read_arguments` gave."""


class BadJson(Struct, frozen=True):
    """Stands for arguments that could not be read."""


def read_arguments(raw: object) -> Any:
    """The arguments of a call as a model sent them: JSON text, or an object, which is taken as it is (K3).

    Python's reader decides what JSON is: `NaN` is accepted, of equal keys the last one counts, the empty text is not
    JSON (Q1). Text it cannot read, nesting deeper than MAX_DEPTH and anything else give `BadJson`.
    """
    if isinstance(raw, dict):
        return raw if _is_readable(raw) else BadJson()
    if not isinstance(raw, str):
        return BadJson()
    try:
        value = _decode(raw)
    except (ValueError, RecursionError):
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            return BadJson()
    may_be_deep = raw.count("{") + raw.count("[") > MAX_DEPTH
    return BadJson() if may_be_deep and not _is_readable(value) else value


def _is_readable(value: object) -> bool:
    """Whether a value is made of JSON's types alone and nested at most MAX_DEPTH deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for node in level:
            if isinstance(node, dict):
                if not all(isinstance(key, str) for key in node):
                    return False
                inner += node.values()
            elif isinstance(node, list):
                inner += node
            elif not isinstance(node, _SCALARS):
                return False
        if not inner:
            return True
        level = inner
    return False


def fault(
    code: ReasonCode,
    path: str,
    mistake: Mistake,
    *,
    made: object = UNSET,
    expected: object = UNSET,
    score: float | None = None,
    **parameters: Parameter,
) -> ArgumentFault:
    """A fault whose texts can be written to a file: of bounded length and free of lone surrogates. A code whose text
    says where gets the path for it."""
    if "{where}" in code.text:
        parameters["at"] = path
    if score is not None:
        parameters["score"] = f"{score:.2f}"
    return ArgumentFault(printable(path), Reason(code, parameters), mistake, made, expected, score)


def join(path: str, key: str) -> str:
    """The path of an object's member."""
    return f"{path}.{key}" if path else key


def unreadable_faults(predicted: object) -> Faults:
    """What is wrong with arguments that are no JSON object; nothing of an object."""
    if isinstance(predicted, BadJson):
        yield fault(DialogueCode.NOT_JSON, "", Mistake.BAD_JSON)
    elif not isinstance(predicted, dict):
        yield fault(DialogueCode.SCHEMA_TYPE, "", Mistake.WRONG_TYPE, made=predicted)


def keys_fault(predicted: Mapping[str, object], gold: Mapping[str, object], path: str) -> ArgumentFault:
    """The fault of objects whose keys differ, at the first of these keys. made, expected: the objects."""
    missing, extra = sorted(gold.keys() - predicted.keys()), sorted(predicted.keys() - gold.keys())
    code, mistake = DialogueCode.KEYS_DIFFER, Mistake.EXTRA_VALUE
    if not extra:
        code, mistake = DialogueCode.KEYS_MISSING, Mistake.MISSING_VALUE
    elif not missing:
        code = DialogueCode.KEYS_EXTRA
    named: dict[str, Parameter] = {name: tuple(keys) for name, keys in (("missing", missing), ("extra", extra)) if keys}
    place = join(path, (extra or missing)[0])
    return ArgumentFault(printable(place), Reason(code, {"at": path, **named}), mistake, predicted, gold)


# Does a call fit its tool? WildToolBench's check, which knows required, properties, type, enum, items and anyOf.


def schema_faults(arguments: Mapping[str, object], schema: object) -> Faults:
    """Where the arguments of a call do not fit their tool. As a whole they are an object whatever the schema says, and
    never open to further members."""
    yield from _member_faults(arguments, schema if isinstance(schema, dict) else {})


def _value_faults(value: object, schema: object, path: str, depth: int) -> Faults:
    """Where a value inside the arguments does not fit a schema. Without a type, text is meant."""
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return
    branches = schema.get("anyOf")
    if isinstance(branches, list) and branches:
        yield from _branch_faults(value, branches, path, depth)
        return
    kind, choices = schema.get("type", "string"), schema.get("enum")
    expected = _TYPES.get(kind) if isinstance(kind, str) else None
    if expected is not None and not isinstance(value, expected):
        yield _schema_fault(DialogueCode.SCHEMA_TYPE, path, path, Mistake.WRONG_TYPE, value)
    elif isinstance(choices, list) and value not in choices:
        yield _schema_fault(DialogueCode.SCHEMA_CHOICE, path, path, Mistake.WRONG_VALUE, value)
    elif isinstance(value, dict):
        yield from _member_faults(value, schema, path, depth, is_open=schema.get("additionalProperties") is True)
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _value_faults(item, schema["items"], f"{path}[{index}]", depth + 1)


def _branch_faults(value: object, branches: list[object], path: str, depth: int) -> Faults:
    """None if any branch accepts, else the first branch's faults; each is asked once."""
    shortest: Faults | None = None
    for branch in branches:
        faults = _value_faults(value, branch, path, depth + 1)
        first = next(faults, None)
        if first is None:
            return
        shortest = shortest or chain((first,), faults)
    yield from shortest or ()


def _member_faults(
    value: Mapping[str, object], schema: Mapping[str, object], path: str = "", depth: int = 0, is_open: bool = False
) -> Faults:
    """Members missing, then members unknown or unfit in the order of the prediction."""
    required, properties = schema.get("required"), schema.get("properties")
    for key in required if isinstance(required, list) else ():
        if isinstance(key, str) and key not in value:
            yield _schema_fault(DialogueCode.SCHEMA_REQUIRED, path, join(path, key), Mistake.MISSING_REQUIRED)
    properties = properties if isinstance(properties, dict) else {}
    for key, member in value.items():
        if key in properties:
            yield from _value_faults(member, properties[key], join(path, key), depth + 1)
        elif not is_open:
            place = join(path, key)
            yield _schema_fault(DialogueCode.SCHEMA_UNDEFINED, path, place, Mistake.UNDEFINED_PARAM, member)


_NESTED = {
    DialogueCode.SCHEMA_TYPE: DialogueCode.SCHEMA_TYPE_NESTED,
    DialogueCode.SCHEMA_CHOICE: DialogueCode.SCHEMA_CHOICE_NESTED,
    DialogueCode.SCHEMA_REQUIRED: DialogueCode.SCHEMA_REQUIRED_NESTED,
    DialogueCode.SCHEMA_UNDEFINED: DialogueCode.SCHEMA_UNDEFINED_NESTED,
}


def _schema_fault(code: DialogueCode, judged: str, path: str, mistake: Mistake, made: object = UNSET) -> ArgumentFault:
    """`judged`: path of the value whose schema failed; below the top the released texts say "nested args"."""
    return fault(_NESTED[code] if judged else code, path, mistake, made=made)
