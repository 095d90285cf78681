"""What the reasons of failed tasks have in common: the most frequent one, or the most frequent form of one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.reasons import filled, taken_apart

GAP = "…"
_LONGEST = 400
_VALUES = re.compile(r"""'(?:[^'\\]|\\.){0,400}'|"(?:[^"\\]|\\.){0,400}"|\[[^\[\]]*\]|(?<![\w.])-?\d+(?:\.\d+)?""")
_AT_TOOL = re.compile(r"^[^\s(:]{1,120}(?:\([^()]{0,200}\))?: (?=\S)")
"""The tool and the path of the argument before what is wrong with it."""


class ReasonPattern(Struct, frozen=True):
    """text: a reason, gaps ("…") for what differs; tasks: how many of the loss's tasks have it."""

    text: str
    tasks: int


def common_pattern(details: Sequence[str]) -> ReasonPattern | None:
    """The reason that at least half of the tasks share word by word, else their most frequent form; None without any.

    Of two that are equally frequent the first to occur.
    """
    lines = [one_line(detail, _LONGEST) for detail in details if detail]
    if not lines:
        return None
    text, tasks = Counter(lines).most_common(1)[0]
    if 2 * tasks < len(lines) or tasks == 1:
        text, tasks = Counter(map(form_of, lines)).most_common(1)[0]
    return ReasonPattern(text, tasks)


def form_of(detail: str) -> str:
    """A reason without the names and values it is about."""
    if reason := taken_apart(detail):
        return filled(reason.form, {name: _gap(value) for name, value in reason.values.items()})
    return _VALUES.sub(GAP, _AT_TOOL.sub("", detail))


def _gap(value: str) -> str:
    if not value:
        return ""
    return f" at {GAP}" if value.startswith(" at ") else GAP
