"""Nothing is said in bare strings: what the types cannot hold, for people without a type checker."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import toolgauge

ROOT = Path(toolgauge.__file__).parent
SINKS = {
    "UsageError": 0,
    "DataError": 0,
    "StoreError": 0,
    "ProviderError": 0,
    "ServerError": 0,
    "ToolgaugeError": 0,
    "FetchError": 0,
    "EngineEnded": 0,
    "BudgetSpent": 0,
    "AttemptFailure": 0,
    "Problem": 1,
    "ToolFinding": 1,
    "warn": 0,
    "local": 0,
}
"""What says something, and at which place of its arguments."""


ENGLISH = ("agents/",)
"""Rooms whose errors are plain English."""
MESSAGES = ("_", "N_", "pgettext")
Functions = ast.FunctionDef | ast.AsyncFunctionDef


class Found(NamedTuple):
    """Of all sources: places, names and arguments of calls that say something; messages inside f-strings; functions
    that say something and use `_` for something else."""

    calls: list[tuple[str, str, list[ast.expr]]]
    hidden: list[str]
    shadowed: list[str]


@cache
def found() -> Found:
    """In one pass; the trees, which take much memory, are not kept."""
    told = Found([], [], [])
    for path in sorted(ROOT.rglob("*.py")):
        file = path.relative_to(ROOT)
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in SINKS or name in MESSAGES:
                    told.calls.append((f"{file}:{node.lineno}", name, node.args))
            elif isinstance(node, ast.JoinedStr):
                told.hidden.extend(f"{file}:{node.lineno}" for call in ast.walk(node) if is_message(call))
            elif isinstance(node, Functions) and is_shadowing(node):
                told.shadowed.append(f"{file}: {node.name}")
    return told


def is_message(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MESSAGES


def is_shadowing(function: Functions) -> bool:
    inside = list(ast.walk(function))
    if not any(isinstance(one, ast.Call) and getattr(one.func, "id", "") == "_" for one in inside):
        return False
    comprehended = {id(name) for one in inside if isinstance(one, ast.comprehension) for name in ast.walk(one)}
    names = [one for one in inside if isinstance(one, ast.Name) and one.id == "_" and isinstance(one.ctx, ast.Store)]
    return any(id(one) not in comprehended for one in names) or any(one.arg == "_" for one in function.args.args)


def test_nothing_is_said_in_a_bare_string() -> None:
    bare = [
        place
        for place, name, args in found().calls
        if name in SINKS
        and not place.startswith(ENGLISH)
        and len(args) > SINKS[name]
        and isinstance(args[SINKS[name]], ast.Constant | ast.JoinedStr | ast.BinOp)
    ]
    assert bare == []


def test_messages_are_literals_so_that_they_are_collected() -> None:
    own = ("locale/__init__.py", "report/wording.py")
    collected = [(at, args) for at, name, args in found().calls if name in MESSAGES and not at.startswith(own)]
    assert len(collected) > 500
    assert [at for at, args in collected if not all(isinstance(one, ast.Constant) for one in args)] == []


def test_no_message_stands_inside_an_f_string_where_it_is_not_collected() -> None:
    assert found().hidden == []


def test_the_library_speaks_of_fields_and_the_command_line_of_options() -> None:
    """Options stand in messages as fields; commands, in backticks, and what belongs to others may have them."""
    speaking = [
        f"{place}: {text}"
        for place, name, args in found().calls
        if name == "_" and args and not place.startswith(("cli/", "locale/"))
        for text in [str(getattr(args[0], "value", ""))]
        if any(re.search(r"(^|[ (])--[a-z]", part) for part in text.split("`")[::2])
    ]
    assert [one for one in speaking if "npx swagger2openapi --outfile" not in one] == []


def test_no_function_that_says_something_uses_the_name_for_a_value_of_no_interest() -> None:
    """`_` assigned in a function is local there, and calling it fails only when that message is due."""
    assert found().shadowed == []
