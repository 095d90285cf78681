"""Arithmetic on literals (`1+2`, `'a'+'b'`, `2**10`) with limits on what goes in and what comes out.

The public scorer runs such expressions as code; here they are computed from the syntax tree
(docs/acebench.md#values).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from toolgauge.benchmarks.acebench.decoder.bounded import node_name
from toolgauge.benchmarks.acebench.decoder.refusals import RefusalCode, Refused

MAX_BITS = 64
"""Of whole numbers that take part in arithmetic or come out of it."""
MAX_TEXT = 10_000
"""Characters of a text that comes out of it."""

_OPERATIONS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_NUMBERS = (int, float, complex)


def compute(node: ast.expr) -> object:
    """The number or text that an operation on literals gives. Raises Refused with value or too_big."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (*_NUMBERS, str)):
        return _bounded(node.value)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        operand = compute(node.operand)
        if isinstance(operand, _NUMBERS):
            return _SIGNS[type(node.op)](operand)
    if isinstance(node, ast.BinOp):
        return _combined(node.op, compute(node.left), compute(node.right))
    raise Refused(RefusalCode.NO_LITERALS, kind=node_name(node))


def _combined(operation: ast.operator, left: object, right: object) -> object:
    numbers = isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS)
    if type(operation) not in _OPERATIONS or not (numbers or _is_text(operation, left, right)):
        raise Refused(RefusalCode.NO_OPERATION, kind=node_name(operation))
    if isinstance(operation, ast.Pow):
        _check_power(left, right)
    try:
        return _bounded(_OPERATIONS[type(operation)](left, right))
    except (ArithmeticError, TypeError, ValueError) as error:
        raise Refused(RefusalCode.NOT_COMPUTED, why=str(error)) from None


def _is_text(operation: ast.operator, left: object, right: object) -> bool:
    """Whether two texts are joined, or one repeated; too long a result is refused before it is made."""
    if isinstance(operation, ast.Add) and isinstance(left, str) and isinstance(right, str):
        return True
    text, times = (left, right) if isinstance(left, str) else (right, left)
    if not (isinstance(operation, ast.Mult) and isinstance(text, str) and isinstance(times, int)):
        return False
    if len(text) * times > MAX_TEXT or times > MAX_TEXT:
        raise Refused(RefusalCode.BIG_TEXT, count=MAX_TEXT)
    return True


def _check_power(base: object, exponent: object) -> None:
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * exponent > 2 * MAX_BITS:
        raise Refused(RefusalCode.BIG_NUMBER, count=MAX_BITS)


def _bounded(value: object) -> object:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Refused(RefusalCode.BIG_NUMBER, count=MAX_BITS)
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise Refused(RefusalCode.BIG_TEXT, count=MAX_TEXT)
    return value
