"""From the text of a call to its name and the values of its arguments; and why a text is not read, as codes.

Expressions are parsed and never run (docs/acebench.md#values). The text is measured before: its length, how deep its
brackets go, and how long its chains of operators, dots and calls are; so the syntax tree that the standard library
builds of it has a bounded depth. Arithmetic on literals (`1+2`, `'a'+'b'`, `2**10`), which the public scorer runs as
code, is computed from the tree, with limits on what goes in and what comes out.
"""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from msgspec import Struct

from toolgauge.limits import PYTHON_PARSER
from toolgauge.reasons import N_, Parameter, Reason, ReasonCode


class RefusalCode(ReasonCode):
    """The English texts begin with the kind, as ACEBench's verdicts have them."""

    NOT_TEXT = "not_text", N_("not_text: {kind} is no text")
    NO_LIST = "no_list", N_("no_list: no complete bracket list")
    NOT_A_LIST = "not_a_list", N_("not_a_list: {kind} is no list of calls")
    NOT_A_CALL = "not_a_call", N_("not_a_call: {kind} stands where a call is expected")
    REPEATED_KEYWORD = "repeated_keyword", N_("repeated_keyword: {name} is given more than once")
    SYNTAX = "syntax", N_("syntax: no Python expression")
    OPEN_STRING = "syntax.open_string", N_("syntax: a string is not closed")
    OPEN_BRACKET = "syntax.open_bracket", N_("syntax: {bracket} is not closed")
    STRAY_BRACKET = "syntax.stray_bracket", N_("syntax: {bracket} closes nothing")
    TOO_DEEP = "too_deep", N_("too_deep: nested too deeply to be parsed")
    DEEP_BRACKETS = "too_deep.brackets", N_("too_deep: more than {count} brackets inside one another")
    LONG_CHAIN = "too_deep.chain", N_("too_deep: more than {count} words and operators without a comma")
    TOO_LONG = "too_long", N_("too_long: {length} characters, at most {most} are read")
    BIG_NUMBER = "too_big.number", N_("too_big: a whole number of more than {count} bits")
    BIG_TEXT = "too_big.text", N_("too_big: a text of more than {count} characters")
    LONG_NUMBER = "too_big.digits", N_("too_big: a number too long to be written out")
    NO_VALUE = "value", N_("value: {kind} is no value")
    FORMATTED_STRING = "value.formatted_string", N_("value: a formatted string is no value")
    LAMBDA = "value.lambda", N_("value: a lambda is no value")
    BAD_KEY = "value.key", N_("value: a list or object as a key")
    SIGNED_NOTHING = "value.signed", N_("value: a sign before something that is no number")
    NO_SIGN = "value.sign", N_("value: {kind} is no sign of a number")
    UNPACKING = "value.unpacking", N_("value: ** inside an object")
    NOT_COMPUTED = "value.arithmetic", N_("value: cannot be computed: {why}")
    NO_ARGUMENT = "value.argument", N_("value: {kind} cannot be an argument of a message")
    NO_LITERALS = "value.literals", N_("value: {kind} cannot be computed from literals")
    NO_OPERATION = "value.operation", N_("value: {kind} of these literals is not computed")

    @property
    def kind(self) -> str:
        """not_text, no_list, not_a_list (another expression), not_a_call (an element), value (an argument that is
        none), repeated_keyword, syntax, too_long, too_deep or too_big."""
        return self.value.partition(".")[0]


class Refused(Exception):
    """A text that is not read as calls."""

    def __init__(self, code: RefusalCode, **parameters: Parameter) -> None:
        super().__init__(code, parameters)
        self.why = Reason(code, parameters)


MAX_LENGTH = 100_000
"""Characters of an expression."""
MAX_DEPTH = 64
"""Brackets of all three kinds inside one another. The public data need 8."""
MAX_CHAIN = 200
"""Words, dots, operators and closed brackets between two commas, summed over the open brackets."""

STRING = (
    r'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*"""'
    r"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*'''"
    r'|"(?!"")[^"\\\n\r]*+(?:\\.[^"\\\n\r]*+)*"|'
    r"'(?!'')[^'\\\n\r]*+(?:\\.[^'\\\n\r]*+)*'"
)
"""A whole string literal without its prefix. Three quotes never begin an empty one, as in Python."""
OPEN_STRING = r"[\"'].*"
"""What follows STRING as an alternative wherever a text is gone through: a literal that is never closed takes all the
rest. Else every quote behind it would be tried as well, each to the end of the text."""

_TOKEN = re.compile(
    rf"(?P<prefix>[A-Za-z]{{0,2}})(?P<string>{STRING})|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<comma>,)"
    rf"|(?P<comment>\#[^\n\r]*)|(?P<word>\w+)|(?P<quote>{OPEN_STRING})|(?P<other>\S)",
    re.DOTALL,
)
_PREFIXES = frozenset(("", "r", "u", "b", "br", "rb"))
_PAIRS = {")": "(", "]": "[", "}": "{"}


@lru_cache(maxsize=2)  # two readings of one output mostly parse the same list
def parse_expression(text: str) -> ast.expr:
    """The syntax tree of one Python expression; nothing of it is run or looked up. The tree is not to be changed.

    Raises Refused with too_long, too_deep, syntax or value (an f-string or a lambda, which no rule of ours reads).
    """
    if len(text) > MAX_LENGTH:
        raise Refused(RefusalCode.TOO_LONG, length=len(text), most=MAX_LENGTH)
    _measure(text)
    try:
        with PYTHON_PARSER, warnings.catch_warnings():  # of strange escapes: under -W error they would decide
            warnings.simplefilter("ignore")
            return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):  # ValueError: characters that no program can hold
        raise Refused(RefusalCode.SYNTAX) from None
    except (RecursionError, MemoryError):
        raise Refused(RefusalCode.TOO_DEEP) from None


class _Open:
    """The brackets that are open, and how long the chain is that leads to the present token."""

    def __init__(self) -> None:
        self.brackets: list[tuple[str, int]] = []
        self.outside = self.here = 0

    def open(self, bracket: str) -> None:
        self.brackets.append((bracket, self.here))
        self.outside += self.here
        self.here = 0
        if len(self.brackets) > MAX_DEPTH:
            raise Refused(RefusalCode.DEEP_BRACKETS, count=MAX_DEPTH)

    def close(self, bracket: str) -> None:
        if not self.brackets or self.brackets[-1][0] != _PAIRS[bracket]:
            raise Refused(RefusalCode.STRAY_BRACKET, bracket=repr(bracket))
        _, before = self.brackets.pop()
        self.outside -= before
        self.here = before
        self.lengthen()

    def lengthen(self) -> None:
        self.here += 1
        if self.here + self.outside > MAX_CHAIN:
            raise Refused(RefusalCode.LONG_CHAIN, count=MAX_CHAIN)


def _measure(text: str) -> None:
    state = _Open()
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "string":
            if token["prefix"].lower() not in _PREFIXES:
                raise Refused(RefusalCode.FORMATTED_STRING)
        elif kind == "comma":
            state.here = 0
        elif kind == "open":
            state.open(token[0])
        elif kind == "close":
            state.close(token[0])
        elif kind == "quote":
            raise Refused(RefusalCode.OPEN_STRING)
        elif kind != "comment":
            if token[0] == "lambda":  # its commas would hide how deep a chain of them goes
                raise Refused(RefusalCode.LAMBDA)
            state.lengthen()
    if state.brackets:
        raise Refused(RefusalCode.OPEN_BRACKET, bracket=repr(state.brackets[-1][0]))


def node_name(node: object) -> str:
    """What a node is, for messages: "Compare", "Lambda"."""
    return type(node).__name__


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
