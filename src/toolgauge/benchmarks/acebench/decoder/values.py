"""From the syntax tree of a call to its name and the values of its arguments (docs/acebench.md#values)."""

from __future__ import annotations

import ast
from typing import Any

from msgspec import Struct

from toolgauge.benchmarks.acebench.decoder.arithmetic import compute
from toolgauge.benchmarks.acebench.decoder.bounded import node_name
from toolgauge.benchmarks.acebench.decoder.refusals import RefusalCode, Refused

MAX_LITERAL_BITS = 1000
"""Of a whole number written out; longer ones cannot be printed or turned into a float everywhere."""


class AceCall(Struct, frozen=True):
    """One call as it was written.

    name: the dotted name, "" if the called thing is no name; arguments: by keyword, in order, of a repeated keyword
    the last; positional: positional and `*` arguments, which have no name to go by; repeated: keywords given more than
    once. Values are str, int, float, bool, None, bytes, complex, list, tuple and dict.
    """

    name: str
    arguments: dict[str, Any]
    positional: int = 0
    repeated: tuple[str, ...] = ()


class ReadingRules(Struct, frozen=True):
    """How calls are read.

    exact: signs mean what they say, a keyword stands once, `**` counts as positional (Q22); message: the released
    executor's limits, no object or call as an argument's value, a call elsewhere is its source text.
    """

    exact: bool = False
    message: bool = False


def call_of(node: ast.expr, rules: ReadingRules) -> AceCall:
    """The call that an element of the list is. Raises Refused with not_a_call, value, too_big or repeated_keyword."""
    if not isinstance(node, ast.Call):
        raise Refused(RefusalCode.NOT_A_CALL, kind=node_name(node))
    arguments: dict[str, Any] = {}
    repeated: list[str] = []
    positional = len(node.args)
    for keyword in node.keywords:
        if keyword.arg is None and rules.exact:
            positional += 1
            continue
        name = keyword.arg or "none"
        if name in arguments:
            repeated.append(name)
        arguments[name] = _argument(keyword.value, rules)
    if repeated and rules.exact:
        raise Refused(RefusalCode.REPEATED_KEYWORD, name=repeated[0][:60])
    return AceCall(dotted_name(node.func), arguments, positional, tuple(repeated))


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` as written; what stands before a dot and is no plain name is dropped; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    return ".".join(reversed(parts))


def _argument(node: ast.expr, rules: ReadingRules) -> object:
    if rules.message and isinstance(node, ast.Dict | ast.Call):
        raise Refused(RefusalCode.NO_ARGUMENT, kind=node_name(node))
    return _value(node, rules)


def _value(node: ast.expr, rules: ReadingRules) -> object:
    match node:
        case ast.Constant():
            return _literal(node.value)
        case ast.List():
            return [_value(item, rules) for item in node.elts]
        case ast.Dict():
            return _object(node, rules)
        case ast.UnaryOp():
            return _signed(node, rules)
        case ast.Tuple():
            return tuple(_value(item, rules) for item in node.elts)
        case ast.Name():
            return node.id
        case ast.BinOp():
            return compute(node)
        case ast.Call():
            if rules.message and not node.keywords:
                return _source(node)
            call = call_of(node, rules)
            return {call.name: call.arguments}
        case ast.Subscript():
            return _source(node)
    raise Refused(RefusalCode.NO_VALUE, kind=node_name(node))


def _literal(value: object) -> object:
    if isinstance(value, int) and value.bit_length() > MAX_LITERAL_BITS:
        raise Refused(RefusalCode.BIG_NUMBER, count=MAX_LITERAL_BITS)
    return "..." if value is Ellipsis else value


def _signed(node: ast.UnaryOp, rules: ReadingRules) -> object:
    """A literal with a sign. The released decoder takes every unary operator for a minus."""
    value = _literal(node.operand.value) if isinstance(node.operand, ast.Constant) else None
    if not isinstance(value, (int, float, complex)):
        raise Refused(RefusalCode.SIGNED_NOTHING)
    if not rules.exact:
        return -value
    if isinstance(value, bool) or not isinstance(node.op, ast.UAdd | ast.USub):
        raise Refused(RefusalCode.NO_SIGN, kind=node_name(node.op))
    return value if isinstance(node.op, ast.UAdd) else -value


def _object(node: ast.Dict, rules: ReadingRules) -> dict[object, object]:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise Refused(RefusalCode.UNPACKING)
        try:
            found[_value(key, rules)] = _value(value, rules)
        except TypeError:
            raise Refused(RefusalCode.BAD_KEY) from None
    return found


def _source(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except ValueError:  # a number too long to be printed
        raise Refused(RefusalCode.LONG_NUMBER) from None
