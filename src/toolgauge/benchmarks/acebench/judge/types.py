"""The released type test: which Python type a declared type means, and whether a value passes for it.

Source: docs/acebench.md#types; keys such as Q05: docs/acebench.md#scorings.
"""

from __future__ import annotations

from typing import Any

from toolgauge.benchmarks.acebench.judge.reasons import AceCode
from toolgauge.benchmarks.acebench.judge.verdict import AceError, CallFault, ReferenceCrash, differs
from toolgauge.reasons import reason

PYTHON_TYPES: dict[str, type | None] = {
    "string": str,
    "any": str,
    "integer": int,
    "int": int,
    "number": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "objectArray": list,
    "list": list,
    "list(string)": list,
    "list(enum)": list,
    "object": dict,
    "dict": dict,
    "enum": None,
}
"""Types are compared exactly, `number` means a whole number, and no value is of the type that `enum` means."""
_WITH_INNER = frozenset({"array", "tuple", "objectArray", "list(string)", "list(enum)", "object"})
TRUTH = {"true": True, "false": False}


class Declared:
    """A parameter's declared type. Raises ReferenceCrash for one that the reference does not know."""

    def __init__(self, schema: object) -> None:
        schema = schema if isinstance(schema, dict) else {}
        self.name = schema.get("type")
        self.kind = _python_type(self.name)
        self.has_inner = self.name in _WITH_INNER
        self.inner = self._inner(schema) if self.has_inner else None

    def _inner(self, schema: dict[str, object]) -> type | None:
        items = schema.get("items")
        if isinstance(items, dict) and "type" in items:
            return _python_type(items["type"])
        if "string" in str(self.name):
            return str
        return None if "enum" in str(self.name) else dict

    def prepare(self, value: object) -> object:
        """The value as the type test and the value test see it."""
        if self.name == "tuple" and type(value) is tuple:
            return list(value)
        if self.name == "float" and type(value) is int:
            return float(value)
        return value


def _python_type(name: object) -> type | None:
    if not isinstance(name, str) or name not in PYTHON_TYPES:
        raise ReferenceCrash(CallFault(AceError.TYPE_ERROR, reason(AceCode.UNKNOWN_TYPE, name=repr(name))))
    return PYTHON_TYPES[name]


def type_test(value: object, expected: object, declared: Declared) -> tuple[bool, bool]:
    """(passes, unchecked): whether the type is right, and whether the value is then left alone (Q05).

    value: prepared. The texts "true" and "false" count as booleans here (Q16).
    """
    if type(value) is str:
        value = TRUTH.get(value, value)
    kind, empty_text = declared.kind, isinstance(expected, str) and not expected
    unchecked = not empty_text and type(expected) is not kind
    if type(value) is kind:
        return not declared.has_inner or _inner_passes(value, expected, declared.inner), unchecked
    passes = not empty_text and (type(value) is type(expected) or value == expected)
    return passes, passes


def _inner_passes(value: Any, expected: Any, inner: type | None) -> bool:
    """Whether a list or object has members of the inner type; one expected member that is no list settles it.

    Nothing expected: never (Q13). An `array` without an item type is one of objects (Q14).
    """
    try:
        members = iter(expected)
    except TypeError:
        raise ReferenceCrash(CallFault(AceError.TYPE_ERROR, differs(value, expected))) from None
    for one in members:
        if not isinstance(one, list):
            return True
        if all(type(item) is inner or isinstance(item, list) or item == one for item in value):
            return True
    return False
