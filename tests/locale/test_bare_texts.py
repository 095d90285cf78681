"""Nothing is said in bare strings: what the types cannot hold, for people without a type checker."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

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


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                yield f"{path.relative_to(ROOT)}:{node.lineno}", name, node


def test_nothing_is_said_in_a_bare_string() -> None:
    bare = [
        place
        for place, name, call in calls()
        if name in SINKS
        and len(call.args) > SINKS[name]
        and isinstance(call.args[SINKS[name]], ast.Constant | ast.JoinedStr | ast.BinOp)
    ]
    assert bare == []


def test_messages_are_literals_so_that_they_are_collected() -> None:
    collected = [(place, call) for place, name, call in calls() if name in ("_", "N_", "pgettext")]
    collected = [
        (place, call) for place, call in collected if not place.startswith(("locale/__init__.py", "report/wording.py"))
    ]
    assert len(collected) > 500
    assert [place for place, call in collected if not all(isinstance(one, ast.Constant) for one in call.args)] == []


def test_no_message_stands_inside_an_f_string_where_it_is_not_collected() -> None:
    hidden = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.JoinedStr)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("_", "N_", "pgettext")
    ]
    assert hidden == []


def test_the_library_speaks_of_fields_and_the_command_line_of_options() -> None:
    """Options stand in messages as fields; commands, in backticks, and what belongs to others may have them."""
    speaking = [
        f"{place}: {text}"
        for place, name, call in calls()
        if name == "_" and call.args and not place.startswith(("cli/", "locale/"))
        for text in [str(getattr(call.args[0], "value", ""))]
        if any(re.search(r"(^|[ (])--[a-z]", part) for part in text.split("`")[::2])
    ]
    assert [one for one in speaking if "npx swagger2openapi --outfile" not in one] == []


def test_no_function_that_says_something_uses_the_name_for_a_value_of_no_interest() -> None:
    """`_` assigned in a function is local there, and calling it fails only when that message is due."""
    shadowed = []
    for path in sorted(ROOT.rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = list(ast.walk(function))
                comprehended = {
                    id(name) for one in inside if isinstance(one, ast.comprehension) for name in ast.walk(one)
                }
                names = [one for one in inside if isinstance(one, ast.Name) and one.id == "_"]
                stored = [one for one in names if isinstance(one.ctx, ast.Store) and id(one) not in comprehended]
                called = any(isinstance(one, ast.Call) and getattr(one.func, "id", "") == "_" for one in inside)
                if called and (stored or any(argument.arg == "_" for argument in function.args.args)):
                    shadowed.append(f"{path.relative_to(ROOT)}: {function.name}")
    assert shadowed == []
