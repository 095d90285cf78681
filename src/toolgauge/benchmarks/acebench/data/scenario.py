"""The environments' initial tables, read out of the public project's scenario files.

There they stand as literals: attributes that a class sets in its body or in `__init__`, and three constants inside
methods of Travel. The files are parsed, and the literals taken from the syntax tree; nothing is imported or run. What
is a rule rather than a table is stated here (docs/acebench.md#the-worlds).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from toolgauge.benchmarks.acebench.data.table_form import TABLES, missing_fields, write_table
from toolgauge.chat import Json
from toolgauge.data.lines import LANGUAGES
from toolgauge.errors import DataError, os_cause
from toolgauge.files import read_whole

MAX_SOURCE = 1 << 20
"""Characters of a scenario file (the largest has 23,000)."""
_MAX_DEPTH = 32
_CLOCK = "%Y-%m-%d %H:%M:%S"
_FEE_PER_EXTRA_BAG = 50

_FILES = {
    "base": ("base_api.py", "BaseApi"),
    "message": ("message.py", "MessageApi"),
    "reminder": ("reminder.py", "ReminderApi"),
    "food": ("food_services.py", "FoodPlatform"),
    "travel": ("travel.py", "Travel"),
}
_SAVED = {
    "base": ["wifi", "logged_in"],
    "message": ["inbox"],
    "reminder": ["reminder_list"],
    "food": ["users", "logged_in_users", "orders"],
    "travel": ["users", "reservations"],
}


def write_tables(scenarios: Path, environments: Path) -> None:
    """Write environments/<language>/<table>.json out of scenarios/<language>/*.py, for both languages.

    Raises DataError where a scenario file has not the expected layout, OSError where a table cannot be written.
    """
    for language in LANGUAGES:
        for name in TABLES:
            path = scenarios / language / _FILES[name][0]
            write_table(environments / language / f"{name}.json", extract_table(name, language, path))


def extract_table(name: str, language: str, path: Path) -> dict[str, object]:
    """The table of that name (see TABLES) out of its scenario file; DataError where it does not hold it."""
    class_name = _FILES[name][1]
    scenario = _find_class(_parse(path), class_name, path)
    values = attributes(scenario)
    if name == "base":
        values = {f"{key}_default": value for key, value in values.items()}
    elif name == "food":
        values["balance_must_exceed_total"] = language == "zh"
    elif name == "travel":
        values |= _travel_rules(scenario)
    lack = missing_fields(values, TABLES[name])
    if lack:
        raise DataError(f"class {class_name}: {lack}; is it the published scenario file?", path)
    return {"class": class_name} | {key: values[key] for key in TABLES[name]} | {"saved": _SAVED[name]}


def attributes(scenario: ast.ClassDef) -> dict[str, object]:
    """The attributes that a class sets to literals, in its body or in `__init__`; the last value of each."""
    statements: list[ast.stmt] = list(scenario.body)
    for part in scenario.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            statements += part.body
    found: dict[str, object] = {}
    for name, value in _assignments(statements):
        try:
            found[name] = literal(value)
        except ValueError:
            found.pop(name, None)  # set to something that only running could tell
    return found


def literal(node: ast.expr, depth: int = _MAX_DEPTH) -> object:
    """The JSON value of a literal: text, number, truth value, None, list, tuple, dictionary, datetime(...).

    Keys become texts, as JSON has it; a datetime becomes "YYYY-MM-DD HH:MM:SS". Raises ValueError for anything else.
    """
    if depth <= 0:
        raise ValueError("nested too deeply")
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [literal(one, depth - 1) for one in elements]
        case ast.Dict(keys=keys, values=values):
            return {_key(key): literal(value, depth - 1) for key, value in zip(keys, values, strict=True)}
        case ast.Call(func=ast.Name("datetime") | ast.Attribute(attr="datetime"), args=parts, keywords=[]):
            return _clock([_whole(part) for part in parts])
    raise ValueError(f"no literal: {type(node).__name__}")


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and type(node.value) in (str, int):
        return str(node.value)
    raise ValueError("no literal key")


def _clock(parts: list[int]) -> str:
    if not 3 <= len(parts) <= 6 or max(parts) > 9999:
        raise ValueError("no point in time")
    return datetime(*parts).strftime(_CLOCK)  # type: ignore[arg-type]


def _whole(node: ast.expr) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    raise ValueError("no whole number")


def _assignments(statements: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """What `name = ...` and `self.name = ...` set, annotated or not."""
    for statement in statements:
        match statement:
            case ast.Assign(targets=targets, value=value):
                pass
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                targets = [target]
            case _:
                continue
        for one in targets:
            match one:
                case ast.Name(id=name) | ast.Attribute(value=ast.Name("self"), attr=name):
                    yield name, value


def _travel_rules(scenario: ast.ClassDef) -> dict[str, object]:
    """The constants inside methods: bags that are free, the clock, and the reason that makes a refund whole."""
    found: Json = {"fee_per_extra_bag": _FEE_PER_EXTRA_BAG}
    for node in ast.walk(scenario):
        if isinstance(node, ast.stmt):
            found |= {key: value for key, value in _constants(node) if key not in found}
        match node:
            case ast.Compare(
                left=ast.Name("reason"), ops=[ast.Eq()], comparators=[ast.Constant(value=str() as reason)]
            ):
                found.setdefault("airline_cancel_reason", reason)
    cabins = next((list(row) for row in found.get("free_baggage", {}).values() if isinstance(row, dict)), [])
    if len(cabins) == 2:  # economy first, in every row
        found |= {"cabin_economy": cabins[0], "cabin_business": cabins[1]}
    return found


def _constants(statement: ast.stmt) -> Iterator[tuple[str, object]]:
    names = {"free_baggage": "free_baggage", "current_time": "cancel_clock"}
    for name, value in _assignments([statement]):
        if name in names:
            try:
                yield names[name], literal(value)
            except ValueError:
                continue


def _find_class(module: ast.Module, name: str, path: Path) -> ast.ClassDef:
    for part in module.body:
        if isinstance(part, ast.ClassDef) and part.name == name:
            return part
    raise DataError(f"class {name} is missing; is it the published scenario file?", path)


def _parse(path: Path) -> ast.Module:
    try:
        text = read_whole(path).decode()
        if len(text) > MAX_SOURCE:
            raise DataError(f"has more than {MAX_SOURCE} characters; is it the published scenario file?", path)
        return ast.parse(text)
    except OSError as error:
        raise DataError(f"cannot be read: {os_cause(error)}", path) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"invalid Python source: {str(error) or 'nested too deeply'}", path) from error
