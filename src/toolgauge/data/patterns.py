"""Patterns out of tool definitions, applied to texts in bounded time.

A pattern from outside can take Python's engine forever (`^(a+)+$` and 60 letters), and nothing interrupts it. So
the steps that a search may take at worst are computed first, from the parsed pattern and the length of the text. Where
they are few, Python's engine searches; that is nearly always so. Otherwise the `regex` library does, which means the
same, remembers what failed and keeps to a limit of processor time. What neither decides is `Undecided`.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator
from functools import lru_cache
from re import _parser as sre  # type: ignore[attr-defined]  # no public name, and the only one that parses as `re` does
from typing import Any

from msgspec import Struct

from toolgauge.data.allowance import ALLOWANCE

MAX_PATTERN = 5000
"""Characters of a pattern; longer ones are not compiled."""
MAX_FOLDED = 3_000_000
"""Characters in the sets of a pattern that ignores case: compiling visits each."""
MAX_STEPS, FEW_STEPS = 5_000_000, 20_000
"""Steps of Python's engine for one search, at most (some 50 ms); and once the process's allowance is used up."""
MAX_SECONDS = 0.2
"""Processor time of the other engine for one search."""
MAX_TEXT, MAX_EXPANDED = 100_000, 10_000
"""Characters of a text, and nodes of a pattern with its repetitions written out, for the other engine (it does)."""
_PROBED, _PUMPED, _MOST_PROBES = 1000, 100, 40
_SLOW = 0.001
"""Seconds; shorter searches are free."""
_OTHER_MEANING = re.compile(r"\[:|\{[^{}]*[<>][^{}]*\}|\{[ids]")
"""What the other engine reads as a class or as a fuzzy match, and Python's as it is written."""


class Undecided(Exception):
    """What is asked cannot be found out within the limits; the text says what took too long."""


class Cost(Struct, frozen=True):
    """Of a part of a pattern on a text, at most. ways: to match from one place; steps: for trying
    all of them; both may be infinite."""

    ways: float
    steps: float


class _Form(Struct, frozen=True):
    """A pattern, parsed and compiled."""

    text: str
    tree: Any
    compiled: re.Pattern[str]
    anchored: bool


def search(pattern: str, text: str) -> bool:
    """`re.search`, as a truth value. Raises Undecided, and re.error for an invalid pattern."""
    form = _form(pattern)
    steps = _steps(pattern, _rounded(len(text)))
    if steps <= FEW_STEPS:
        return form.compiled.search(text) is not None
    if not ALLOWANCE.left():
        raise _too_long(pattern)
    started = time.thread_time()
    try:
        return form.compiled.search(text) is not None if steps <= MAX_STEPS else _other_search(form, text)
    finally:
        spent = time.thread_time() - started
        if spent > _SLOW:
            ALLOWANCE.charge(spent)


def check_plain(pattern: str, text: str) -> None:
    """Raise Undecided where a search by Python's engine may take long, and re.error for an invalid pattern."""
    _form(pattern)
    steps = _steps(pattern, _rounded(len(text)))
    if steps > (MAX_STEPS if ALLOWANCE.left() else FEW_STEPS):
        raise _too_long(pattern)


def compilable(pattern: object) -> bool:
    """Whether a pattern is valid (or too large to tell). Raises re.error for one that is not."""
    if isinstance(pattern, str):
        try:
            _form(pattern)
        except Undecided:
            return True
    return True


@lru_cache(maxsize=1024)
def is_risky(pattern: str) -> bool:
    """Whether there are texts of 1,000 characters or less that are found to take too long. Raises re.error."""
    try:
        form = _form(pattern)
        if _steps(pattern, _PROBED) <= MAX_STEPS:
            return False
        for number, probe in enumerate(_pumped(form.tree, "", "")):
            if number == _MOST_PROBES:
                break
            search(pattern, probe[:_PROBED])
    except (Undecided, RecursionError):
        return True
    return False


def _too_long(pattern: str) -> Undecided:
    shown = pattern if len(pattern) <= 80 else pattern[:79] + "…"
    return Undecided(f"the pattern {shown!r} takes too long to match")


def _rounded(length: int) -> int:
    """The next power of two, so that few bounds are computed for texts of all lengths."""
    return 1 << length.bit_length()


@lru_cache(maxsize=2048)
def _form(pattern: str) -> _Form:
    if len(pattern) > MAX_PATTERN:
        raise _too_long(pattern)
    tree = sre.parse(pattern)
    if tree.state.flags & re.IGNORECASE or "(?" in pattern:
        folded = sum(av[1] - av[0] for op, av in _everything(tree) if op is sre.RANGE)
        if folded > MAX_FOLDED:
            raise _too_long(pattern)
    first = tree[0] if len(tree) else (None, None)
    anchored = first in ((sre.AT, sre.AT_BEGINNING), (sre.AT, sre.AT_BEGINNING_STRING))
    return _Form(pattern, tree, re.compile(pattern), anchored and not tree.state.flags & re.MULTILINE)


@lru_cache(maxsize=8192)
def _steps(pattern: str, length: int) -> float:
    """What a search in a text of so many characters takes at most."""
    form = _form(pattern)
    cost = _sequence(form.tree, length)
    return length + cost.steps if form.anchored else (length + 1) * (1 + cost.steps)


def _sequence(parts: Iterable[Any], length: int) -> Cost:
    """One part after another: each is tried once for every way of matching those before it."""
    ways = steps = 1.0
    for op, av in parts:
        cost = _part(op, av, length)
        steps += ways * cost.steps
        ways *= cost.ways
    return Cost(ways, steps)


def _part(op: object, av: Any, length: int) -> Cost:
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        return _repeat(av, length)
    if op is sre.POSSESSIVE_REPEAT:
        return Cost(1.0, _repeat(av, length).steps)
    if op is sre.SUBPATTERN:
        return _sequence(av[3], length)
    if op is sre.BRANCH:
        costs = [_sequence(one, length) for one in av[1]]
        return Cost(sum(cost.ways for cost in costs), 1 + sum(cost.steps for cost in costs))
    if op is sre.ATOMIC_GROUP:
        return Cost(1.0, _sequence(av, length).steps)
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return Cost(1.0, _sequence(av[1], length).steps)
    if op is sre.GROUPREF_EXISTS:
        costs = [_sequence(one, length) for one in av[1:] if one is not None]
        return Cost(1 + sum(cost.ways for cost in costs), 1 + sum(cost.steps for cost in costs))
    if op in (sre.GROUPREF, *_PLAIN):
        return Cost(1.0, length + 1.0 if op is sre.GROUPREF else 1.0)
    return Cost(math.inf, math.inf)  # a part of a later Python's


_PLAIN = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.AT, sre.FAILURE)


def _repeat(av: Any, length: int) -> Cost:
    least, most, body = av
    inner = _sequence(body, length)
    width = body.getwidth()[0]
    if not width and least > length + 1:
        return Cost(math.inf, math.inf)  # required rounds are gone, however many match nothing
    rounds = min(int(most), length // width if width else length + 1)
    if inner.ways == 1 and width:
        return Cost(max(1.0, rounds - int(least) + 1.0), 1 + (rounds + 1) * inner.steps)
    ways = max(inner.ways, 2.0 if rounds > 1 else 1.0)
    tried = ways ** (rounds + 1) if (rounds + 1) * math.log(ways) < 60 else math.inf
    return Cost(tried, 1 + tried * inner.steps)


def _everything(tree: object) -> Iterator[tuple[object, Any]]:
    pending = [tree]
    while pending:
        one = pending.pop()
        if isinstance(one, tuple) and len(one) == 2 and type(one[0]) is type(sre.LITERAL):
            yield one
            pending.append(one[1])
        elif isinstance(one, list | tuple | sre.SubPattern):
            pending.extend(one)


def _other_search(form: _Form, text: str) -> bool:
    """With the engine that can be stopped."""
    if len(text) > MAX_TEXT or _OTHER_MEANING.search(form.text) or _expanded(form.tree) > MAX_EXPANDED:
        raise _too_long(form.text)
    import regex

    try:
        compiled = regex.compile(form.text, regex.V0)
        return compiled.search(text, timeout=MAX_SECONDS) is not None
    except (TimeoutError, regex.error, MemoryError, RecursionError) as error:
        raise _too_long(form.text) from error


def _expanded(parts: Any) -> float:
    """The nodes of a pattern whose required repetitions are written out."""
    total = 0.0
    for op, av in parts:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            total += 1 + max(1, av[0]) * _expanded(av[2])
        else:
            total += 1 + sum(_expanded(one) for one in _inner(op, av))
    return total


def _inner(op: object, av: Any) -> list[object]:
    """The sequences inside a part that is no repetition."""
    if op is sre.SUBPATTERN:
        return [av[3]]
    if op is sre.BRANCH:
        return list(av[1])
    if op is sre.ATOMIC_GROUP:
        return [av]
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [av[1]]
    return [one for one in av[1:] if one is not None] if op is sre.GROUPREF_EXISTS else []


def _pumped(parts: Any, before: str, after: str) -> Iterator[str]:
    """Texts that match a pattern up to a repetition, go round it often, and then do not fit, whatever follows."""
    listed = list(parts)
    for number, (op, av) in enumerate(listed):
        behind = (_samples(listed[number + 1 :])[0] + after)[:_PUMPED]
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            for sample in _samples(av[2]):
                yield before + sample * _PUMPED + "\0" + behind + "\0"
                yield before + sample * 24 + "\0"
            yield from _pumped(av[2], before, behind)
        for one in _inner(op, av):
            yield from _pumped(one, before, behind)
        before = (before + _samples([(op, av)])[0])[:_PROBED]


def _samples(parts: Any) -> list[str]:
    """A few short texts that a sequence matches, by and large."""
    texts = [""]
    for op, av in parts:
        if op is sre.LITERAL:
            found = [chr(av)]
        elif op is sre.IN:
            found = [_member(av)]
        elif op in (sre.ANY, sre.NOT_LITERAL):
            found = ["x"]
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            found = [one * max(1, min(av[0], 8)) for one in _samples(av[2])]
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            found = [""]
        else:
            found = [text for one in _inner(op, av) for text in _samples(one)] or [""]
        texts = [text + one for text in texts for one in found][:4] or [""]
    return texts


def _member(members: Any) -> str:
    """A character of a set."""
    classes = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_NOT_WORD: "-"}
    op, av = members[0]
    if op is sre.CATEGORY:
        return classes.get(av, "a")
    if op is sre.NEGATE:
        taken = {value for kind, value in members if kind is sre.LITERAL}
        return next(one for one in "xyzabc019-_. ~" if ord(one) not in taken)
    return chr(av[0] if op is sre.RANGE else av)
