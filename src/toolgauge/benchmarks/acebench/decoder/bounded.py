"""Python expressions written by a model, parsed and never run.

The text is measured before it is parsed: its length, how deep its brackets go, and how long its chains of operators,
dots and calls are. So the syntax tree that the standard library builds of it has a bounded depth, whatever the text.
"""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

from toolgauge.benchmarks.acebench.decoder.refusals import RefusalCode, Refused
from toolgauge.limits import PYTHON_PARSER

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
