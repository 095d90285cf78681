"""ACEBench's way of writing calls: `[Api(key='value', n=3), Other()]`, read and written.

One decoder per rule of the benchmark (docs/acebench.md#how-a-text-is-read; keys such as Q02:
docs/acebench.md#scorings). Each takes anything and
gives calls or a classified refusal, in bounded time; nothing of the text is ever run.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.benchmarks.acebench.decoder.text import complete_groups, first_group, looks_like_calls, strip_reasoning
from toolgauge.benchmarks.acebench.decoder.values import (
    AceCall,
    ReadingRules,
    RefusalCode,
    Refused,
    call_of,
    parse_expression,
)
from toolgauge.reasons import Reason, reason

__all__ = [
    "NO_LIST",
    "AceCall",
    "Decoded",
    "Undecodable",
    "decode_exact",
    "decode_message",
    "decode_message_exact",
    "decode_multi",
    "decode_single",
    "looks_like_calls",
    "render_calls",
    "strip_reasoning",
]

RELEASED, EXACT, MESSAGE = ReadingRules(), ReadingRules(exact=True), ReadingRules(message=True)


class Undecodable(Struct, frozen=True):
    """A text that is no list of calls. why: its code is a `RefusalCode`."""

    why: Reason

    @property
    def reason(self) -> str:
        """The kind of refusal (`RefusalCode.kind`)."""
        code = self.why.code
        assert isinstance(code, RefusalCode)
        return code.kind


NO_LIST = Undecodable(Reason(RefusalCode.NO_LIST))


Decoded = tuple[AceCall, ...] | Undecodable


def decode_single(text: object) -> Decoded:
    """Released rule of the single-turn categories: the first bracket group, quotes not honoured (3.1)."""
    if not isinstance(text, str):
        return _no_text(text)
    group = first_group(text)
    return NO_LIST if group is None else _decode_list(group, RELEASED)


def decode_multi(text: object) -> Decoded:
    """Released rule of the multi-turn categories: all whitespace removed, the rest is the expression (Q02)."""
    if not isinstance(text, str):
        return _no_text(text)
    return _decode_list("".join(text.split()), RELEASED, (ast.List, ast.Tuple, ast.Set))


def decode_exact(text: object) -> Decoded:
    """The last complete bracket group that is calls, quotes honoured (Q02, Q03, Q22).

    A group of no calls at all counts only where no other group has any. Where none can be read, the refusal is that of
    the last group.
    """
    if not isinstance(text, str):
        return _no_text(text)
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        whole = _decode_list(text, EXACT)
        if isinstance(whole, tuple):
            return whole
    return _last_group(text)


def decode_message(text: object) -> Decoded:
    """Released rule of the executor: brackets completed and cut off, then a call or several (environments 2.1).

    An expression of another kind, as a bare word, gives zero calls (Q30).
    """
    if not isinstance(text, str):
        return _no_text(text)
    text = text.removeprefix(" ")
    text = f"{'' if text.startswith('[') else '['}{text}{'' if text.endswith(']') else ']'}"
    try:
        expression = parse_expression(text.strip("[]'"))
        if isinstance(expression, ast.Call):
            return (call_of(expression, MESSAGE),)
        if not isinstance(expression, ast.Tuple | ast.List):
            return ()
        return tuple(call_of(element, MESSAGE) for element in expression.elts)
    except Refused as refused:
        return Undecodable(refused.why)


def decode_message_exact(text: object) -> Decoded:
    """Exact rule of the executor: as `decode_exact`; calls without their bracket are read too (Q30)."""
    if not isinstance(text, str):
        return _no_text(text)
    bare = text.strip()
    if bare.endswith(")") and not bare.startswith("["):
        whole = _decode_list(f"[{bare}]", EXACT)
        if isinstance(whole, tuple):
            return whole
    return decode_exact(bare)


def _no_text(value: object) -> Undecodable:
    return Undecodable(reason(RefusalCode.NOT_TEXT, kind=type(value).__name__))


def _last_group(text: str) -> Decoded:
    failure: Undecodable | None = None
    empty = False
    for group in reversed(complete_groups(text)):
        decoded = _decode_list(group, EXACT)
        if isinstance(decoded, Undecodable):
            failure = failure or decoded
        elif decoded:
            return decoded
        else:
            empty = True
    if empty:
        return ()
    return failure or NO_LIST


def _decode_list(text: str, rules: ReadingRules, displays: tuple[type[ast.expr], ...] = (ast.List,)) -> Decoded:
    """The calls of a list display (or of another of the `displays`)."""
    try:
        expression = parse_expression(text)
        if not isinstance(expression, displays):
            return Undecodable(reason(RefusalCode.NOT_A_LIST, kind=type(expression).__name__))
        elements: list[ast.expr] = expression.elts  # type: ignore[attr-defined]
        return tuple(call_of(element, rules) for element in elements)
    except Refused as refused:
        return Undecodable(refused.why)


def render_calls(calls: Sequence[AceCall]) -> str:
    """Calls as a model should write them, so that every decoder reads the same calls back.

    Blanks inside strings are lost to `decode_multi`, objects as arguments are refused by `decode_message`. Names must
    be dotted identifiers, keywords identifiers, values what `AceCall` holds.
    """
    return f"[{', '.join(_written(call) for call in calls)}]"


def _written(call: AceCall) -> str:
    return f"{call.name}({', '.join(f'{key}={_source(value)}' for key, value in call.arguments.items())})"


def _source(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_source, value))}]"
    if isinstance(value, tuple):
        return f"({''.join(_source(item) + ', ' for item in value)})" if value else "()"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_source(key)}: {_source(item)}' for key, item in value.items())}}}"
    if isinstance(value, float) and not math.isfinite(value):
        return "1e999-1e999" if math.isnan(value) else f"{'-' if value < 0 else ''}1e999"
    return repr(value)


def _quoted(text: str) -> str:
    """A string literal; brackets that do not pair up are escaped, for the decoders that do not honour quotes."""
    literal = repr(text)
    depth = 0
    for mark in text:
        depth += (mark == "[") - (mark == "]")
        if depth < 0:
            break
    return literal.replace("[", "\\x5b").replace("]", "\\x5d") if depth else literal
