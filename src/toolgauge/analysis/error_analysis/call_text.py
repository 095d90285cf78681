"""A call as one short line that still shows what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgauge.data.lines import as_json
from toolgauge.judge.wrong_arguments import cut_pair
from toolgauge.visible import one_line

LINE = 160
"""Characters of a line."""
VALUE = 60
"""Characters of a value where the whole call is longer than a line."""
_NAME = 60
_LEFT_OUT = "…"


def call_text(name: object, arguments: object, beside: object = None) -> str:
    """Name and arguments in JSON.

    beside: the arguments that it is compared with. Where the call is longer than a line, values are cut around the
    place that differs, and of what does not fit whole arguments are left out, those first that do not differ.
    """
    called = one_line(str(name or "?"), _NAME)
    if not isinstance(arguments, dict):
        text = arguments if isinstance(arguments, str) else as_json(arguments)
        return f"{called}({one_line(text, LINE)})"
    other = beside if isinstance(beside, dict) else {}
    texts = {str(key): as_json(value) for key, value in arguments.items()}
    members = {key: _member(key, text) for key, text in texts.items()}
    if sum(len(text) + 2 for text in members.values()) > LINE:
        others = {key: as_json(in_order(other[key], arguments[key])) if key in other else None for key in texts}
        differing = [key for key in texts if texts[key] != others[key]]
        cut = {key: _member(key, cut_pair(text, others[key], VALUE)[0] or "") for key, text in texts.items()}
        members = _fitting(cut, [*differing, *(key for key in texts if key not in differing)])
    return f"{called}({{{', '.join(members.values())}}})"


def _member(key: str, text: str) -> str:
    return f"{one_line(as_json(key), _NAME)}: {one_line(text, LINE)}"


def _fitting(members: Mapping[str, str], by_weight: list[str]) -> dict[str, str]:
    """As many of the weightiest members as fit a line, at least one, in their order; a mark for those left out."""
    kept: set[str] = set()
    room = LINE
    for key in by_weight:
        if kept and len(members[key]) + 2 > room:
            break
        kept.add(key)
        room -= len(members[key]) + 2
    found: dict[str, str] = {}
    gap = False
    for key, text in members.items():
        if key in kept or not gap:
            found[key] = text if key in kept else _LEFT_OUT
        gap = key not in kept
    return found


def in_order(value: Any, like: object) -> Any:
    """The same value, members of its objects in the order of another one's, those that only it has behind them."""
    if isinstance(value, dict) and isinstance(like, dict):
        keys = [*(key for key in like if key in value), *(key for key in value if key not in like)]
        return {key: in_order(value[key], like.get(key)) for key in keys}
    if isinstance(value, list) and isinstance(like, list):
        return [in_order(item, like[place] if place < len(like) else None) for place, item in enumerate(value)]
    return value
