"""Every regular expression of the package itself ends soon, whatever the text is.

Replies, descriptions and data files come from anybody. The patterns are found by importing all modules and, where they
are written in place, by reading the source. Each is applied, in the ways in which its module applies it, to long texts
made of what it repeats.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from pathlib import Path
from re import _parser as sre  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest

import toolgauge
from toolgauge.data.patterns import _inner, _samples

LENGTH = 20_000
SECONDS = 0.5
"""Of processor time for one search in a text of LENGTH: linear ones take a hundredth, quadratic ones twice as much."""
SHORTER = 8
"""How many times shorter texts are at first: a whole one is only tried where its part may take too long."""
COMMON = (
    *("a", "1", " ", "\n", "中", "(", "[", "{", '"', "\\", "<", "`", ".", "-", "a ", "a1", "\r\n", '"\\'),
    *('\\""" ",', "\\''' ',"),  # three quotes that are never closed, and each time a short string instead
)
ONE_CHARACTER = {sre.IN, sre.LITERAL, sre.NOT_LITERAL, sre.ANY}
METHODS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"}
EXTRAS = ("toolgauge.integrations.inspect_ai",)
"""Packages that need an extra; what they lack is not installed everywhere."""
SLOW = (
    (r"a*b", "search"),
    (r"\s+$", "search"),
    (r'"[^"\\]*+(?:\\.[^"\\]*+)*"', "finditer"),
    (r'"""(?:\\.|[^\\])*?"""|"[^"]*"', "finditer"),
)
"""To see that the test finds such."""


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(toolgauge.__path__, "toolgauge."):
        if found.name.endswith("__main__"):
            continue
        try:
            yield importlib.import_module(found.name)
        except ImportError:
            assert found.name.startswith(EXTRAS), found.name


def held(value: Any, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    """The compiled patterns that a module's variable holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from held(one, depth - 1)
    elif depth and isinstance(value, dict):
        for pair in value.items():
            yield from held(pair, depth - 1)
    elif depth and (value if inspect.isclass(value) else type(value)).__module__.startswith("toolgauge."):
        fields = getattr(value, "__struct_fields__", ())
        inside = [getattr(value, name, None) for name in fields] if isinstance(fields, tuple) else []
        for one in [*inside, *getattr(value, "__dict__", {}).values()]:
            yield from held(one, min(depth - 1, 2))


def written(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """(pattern, method, line) of the calls of `re` with a literal pattern."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            base, first = node.func.value, node.args[0]
            text = first.value if isinstance(first, ast.Constant) else None
            if isinstance(text, str) and isinstance(base, ast.Name) and base.id == "re" and node.func.attr in METHODS:
                yield text, node.func.attr, node.lineno


@cache
def collected() -> dict[str, tuple[re.Pattern[Any], frozenset[str]]]:
    """Every pattern by its place, with the methods by which it is applied."""
    found: dict[str, tuple[re.Pattern[Any], frozenset[str]]] = {}
    for module in modules():
        tree = ast.parse(Path(str(module.__file__)).read_bytes())
        applied: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
                applied.setdefault(node.value.id, set()).add(node.attr)
        for name, value in list(vars(module).items()):
            if isinstance(value, ModuleType) or name.startswith("__"):
                continue
            for number, pattern in enumerate(held(value)):
                place = f"{module.__name__}.{name}" + (f"[{number}]" if number else "")
                found[place] = pattern, frozenset(applied.get(name, {"match"}))
        for text, method, line in written(tree):
            found[f"{module.__name__}:{line}"] = re.compile(text), frozenset({method})
    return {place: found[place] for place in sorted(found)}


def repeated(parts: Any) -> Iterator[str]:
    """Texts that the repetitions of a pattern go round on."""
    for op, av in parts:
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield from _samples(av[2])
            yield from repeated(av[2])
        for one in _inner(op, av):
            yield from repeated(one)


def samples(pattern: re.Pattern[Any]) -> list[str]:
    tree = parsed(pattern)
    own = list(dict.fromkeys([*_samples(tree), *repeated(tree)]))[:12]
    pairs = [first + second for first in own[:4] for second in own[:4] if first != second]
    return [sample for sample in dict.fromkeys([*own, *pairs, *COMMON]) if sample]


def parsed(pattern: re.Pattern[Any]) -> Any:
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    return sre.parse(text, pattern.flags & ~re.UNICODE)


def led(parts: Any, lead: str = "") -> Iterator[tuple[str, str]]:
    """(what stands before a repetition, what it goes round on): `your (?:\\w+ ?){3}` needs its "your"."""
    parts = list(parts)
    for place, (op, av) in enumerate(parts):
        before = lead + next(iter(_samples(parts[:place])), "")
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            yield from ((before, sample) for sample in list(_samples(av[2]))[:3] if sample)
        for one in _inner(op, av):
            yield from led(one, before)


def pumped(pattern: re.Pattern[Any]) -> Iterator[Callable[[int], Any]]:
    """What makes long texts, from their length."""
    parts = [("", sample) for sample in samples(pattern)]
    for lead, sample in dict.fromkeys([*parts, *led(parsed(pattern))]):
        for end in ("", "\0"):
            yield partial(long_text, lead, sample, end, isinstance(pattern.pattern, bytes))


def long_text(lead: str, sample: str, end: str, is_bytes: bool, length: int) -> Any:
    text = lead + (sample * (length // len(sample) + 1))[:length] + end
    return text.encode() if is_bytes else text


def seconds(pattern: re.Pattern[Any], method: str, text: Any) -> float:
    """Of processor time that a search takes."""
    started = time.thread_time()
    apply(pattern, method, text)
    return time.thread_time() - started


def is_suspect(pattern: re.Pattern[Any], method: str, text: Callable[[int], Any]) -> bool:
    """Might it take too long on a whole text? Were it cubic, a part would take this long."""
    return seconds(pattern, method, text(LENGTH // SHORTER)) > SECONDS / SHORTER**3


def apply(pattern: re.Pattern[Any], method: str, text: Any) -> None:
    if method in ("match", "fullmatch", "search"):
        getattr(pattern, method)(text)
    else:
        for _ in pattern.finditer(text):
            pass


def possessive_groups(parts: Any) -> Iterator[Any]:
    """Possessive repetitions of more than one kind of character."""
    for op, av in parts:
        if op == sre.POSSESSIVE_REPEAT and (len(av[2]) > 1 or av[2][0][0] not in ONE_CHARACTER):
            yield av[2]
        for one in _inner(op, av):
            yield from possessive_groups(one)


def test_only_characters_are_repeated_possessively() -> None:
    """Up to Python 3.11.4 a possessive repetition of a group that fails half way ends behind what it tried."""
    parts = {place: parsed(found) for place, (found, _) in collected().items()}
    assert [place for place, part in parts.items() if list(possessive_groups(part))] == []
    assert list(possessive_groups(sre.parse("(?:a|bc)*+")))


def test_every_pattern_ends_soon() -> None:
    slow: dict[str, str] = {}
    done: set[tuple[Any, int, frozenset[str]]] = set()
    for place, (pattern, methods) in collected().items():
        key = (pattern.pattern, pattern.flags, methods)
        if key in done:
            continue
        done.add(key)
        for text, method in product(pumped(pattern), methods):
            if is_suspect(pattern, method, text) and (spent := seconds(pattern, method, text(LENGTH))) > SECONDS:
                slow[place] = f"{spent:.1f} s: {method} {text(40)!r} by {pattern.pattern!r}"
                break
    assert slow == {}


@pytest.mark.parametrize(("pattern", "method"), SLOW)
def test_slow_patterns_are_seen(pattern: str, method: str) -> None:
    compiled = re.compile(pattern)
    assert any(is_suspect(compiled, method, text) for text in pumped(compiled))
