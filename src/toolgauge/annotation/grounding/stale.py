"""Ids of another task's list, where the task has a list of such things of its own."""

from __future__ import annotations

import re

from toolgauge.annotation.grounding.context import Context, ContextItem, ValueSource
from toolgauge.annotation.grounding.values import folded, is_short, quote_of

_INDEX = re.compile(r"\[\d+\]")
_BACK = re.compile(
    r"\b(?:earlier|before|previous|previously|first|original|originally|former|other|instead|both|again|back|old"
    r"|last time|just"
    r" (?:now|found|listed))\b|刚才|之前|先前|前面|原来|上次|上回|最初|一开始|那边|两个都|都|还是|第一",
    re.IGNORECASE,
)
"""Words that lead back to what was there before."""
_SIGNS = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_ANY = re.compile(r"(?:ids?|code|number|no|key|ref|reference|编号|)", re.IGNORECASE)
"""Keys that do not say of what."""


def is_stale(source: ValueSource, value: object, context: Context) -> bool:
    """Does an id stand in a list of an earlier task only, while the results of this one have others in the same place?

    Not where the user leads back to the earlier ones, by words or by what that list says of the thing.
    """
    task = max((one.task for one in context.items), default=0)
    if source.origin != "result" or source.task is None or source.task >= task or not _is_id(value):
        return False
    shape = _INDEX.sub("[]", source.path or "")
    own = [one for one in context.results if one.task == task]
    if "[]" not in shape or any(True for one in own for _ in one.holding(value)):
        return False
    places = [(path, leaf) for one in own for path, leaf in one.leaves if _INDEX.sub("[]", path) == shape]
    key = _INDEX.sub("", shape).rpartition(".")[2]
    if not places or not any(_alike(str(leaf), str(value), key) for _, leaf in places):
        return False
    said = [one for one in context.said if one.task == task]
    return not any(_BACK.search(one.text) or _names(one, source, context) for one in said)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and any(char.isdigit() for char in str(value))


def _alike(one: str, other: str, key: str) -> bool:
    """Are two ids made alike: the same but for their digits? Under a key that says of what (`product_id`) letters may
    differ as well."""
    one, other = (_SIGNS.sub("0", text) for text in (one, other))
    if _ANY.fullmatch(key):
        return one == other
    return _LETTERS.sub("a", one) == _LETTERS.sub("a", other)


def _names(one: ContextItem, source: ValueSource, context: Context) -> bool:
    """Does the user name the thing by something else that its list says of it?"""
    place = (source.path or "").rpartition("]")[0]
    found = next((item for item in context.results if (item.task, item.step) == (source.task, source.step)), None)
    for path, leaf in found.leaves if found else ():
        called = leaf if path.startswith(f"{place}]") and isinstance(leaf, str) and not is_short(leaf) else ""
        if called and (folded(called) in one.folded or quote_of(called.split()[0], one.text)):
            return True
    return False
