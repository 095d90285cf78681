"""The published files of ACEBench, the known errors of their entries, and the environments' tables made of them.

published.txt has the git blob id and the path in the public repository of each file. Of the scenario files, which hold
the environments' initial tables, those of `multi_turn` are taken: the tables of `multi_step` are the same
(docs/acebench.md#the-worlds). The tables stand there as literals: attributes that a class sets in its body or in
`__init__`, and three constants inside methods of Travel. The files are parsed, and the literals taken from the syntax
tree; nothing is imported or run. What is a rule rather than a table is stated here. known.csv says what is wrong with
entries; keys in it such as Q02: docs/acebench.md#scorings. What the released rules make of them:
docs/acebench.md#what-even-perfect-answers-cannot-pass.
"""

from __future__ import annotations

import ast
import csv
import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from toolgauge.benchmarks.acebench.data.tables import TABLES, copy_table, read_table
from toolgauge.chat import Json
from toolgauge.data.fetch import data_set_folder
from toolgauge.data.files import DataSource, RemoteFile
from toolgauge.data.lines import LANGUAGES, known_language
from toolgauge.errors import DataError, os_cause
from toolgauge.files import own_folder, read_own, read_whole, write_whole

REPOSITORY = "chenchen0103/ACEBench"
COMMIT = "56dd66cf6439b0d9655ee1b353e4cd745c6f664e"
_HERE = Path(__file__).parent


@cache
def published_files() -> tuple[RemoteFile, ...]:
    """Questions, answers and scenarios of both languages, with the place in the cache of each."""
    files = []
    for row in (_HERE / "published.txt").read_text(encoding="utf-8").splitlines():
        blob, path = row.split()
        place = path
        if not path.startswith("data_all/"):
            language = "zh" if "/scenarioszh/" in path else "en"
            place = f"scenarios/{language}/{path.rpartition('/')[2]}"
        files.append(RemoteFile(path, blob, place))
    return tuple(files)


@cache
def known_errors() -> dict[tuple[str, str], str]:
    """(language, id) -> what is wrong with the published entry, in words that follow its id."""
    found: dict[tuple[str, str], str] = {}
    with (_HERE / "known.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for language in row["languages"].split():
                for entry in row["entries"].split():
                    key, reason = (language, f"{row['category']}_{entry}"), row["what is wrong"]
                    found[key] = f"{found[key]}; {reason}" if key in found else reason
    return found


def _write_tables(folder: Path) -> None:
    """The environments' initial tables, read out of the scenario files."""
    write_tables(folder / "scenarios", folder / "environments")


ACEBENCH = DataSource(
    "acebench",
    "ACEBench: 17 categories, 1,023 entries in English and 1,017 in Chinese",
    REPOSITORY,
    COMMIT,
    published_files(),
    folder="data_all",
    finish=_write_tables,
)


def load_tables(language: str, folder: Path | str | None = None) -> dict[str, Json]:
    """The tables of one language ("en" or "zh") as plain JSON, by the names in TABLES.

    folder: a `data_all` folder, the folder that holds it, or an `environments` folder; where no tables lie beside it,
    or none is given, those that were fetched into the cache are taken. Raises DataError where there are none, or where
    one lacks something.
    """
    known_language(language)
    place = find_tables(language, folder)
    return {name: read_table(name, place / f"{name}.json") for name in TABLES}


def find_tables(language: str, folder: Path | str | None = None) -> Path:
    """The folder with the tables of one language; DataError where there is none."""
    candidates: list[Path] = []
    if folder is not None:
        given = Path(folder).absolute()
        candidates += [given / "environments" / language, given / language, given.parent / "environments" / language]
    candidates.append(data_set_folder(ACEBENCH) / "environments" / language)
    for candidate in candidates:
        if (candidate / "base.json").is_file():
            return candidate
    raise DataError(
        f"no environment tables (environments/{language}/*.json) beside it or in the cache; run "
        "`toolgauge data fetch acebench`",
        folder or "acebench",
    )


MAX_SOURCE = 1 << 20
"""Characters of a scenario file (the largest has 23,000)."""
_FEE_PER_EXTRA_BAG = 50

_SCENARIOS = {
    "base": ("base_api.py", "BaseApi", ["wifi", "logged_in"]),
    "message": ("message.py", "MessageApi", ["inbox"]),
    "reminder": ("reminder.py", "ReminderApi", ["reminder_list"]),
    "food": ("food_services.py", "FoodPlatform", ["users", "logged_in_users", "orders"]),
    "travel": ("travel.py", "Travel", ["users", "reservations"]),
}
"""By table: the file, its class, and the attributes that a result saves."""


def write_tables(scenarios: Path, environments: Path) -> None:
    """Write environments/<language>/<table>.json out of scenarios/<language>/*.py, for both languages.

    A file that says the same already is left alone. Raises DataError where a scenario file has not the expected layout,
    OSError where a table cannot be written.
    """
    for language in LANGUAGES:
        for name, (file, _, _) in _SCENARIOS.items():
            table = extract_table(name, language, scenarios / language / file)
            text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
            path = environments / language / f"{name}.json"
            for folder in (environments, path.parent):
                own_folder(folder)
            with suppress(FileNotFoundError):
                if read_own(path) == text.encode():
                    continue
            write_whole(path, text.encode())


def extract_table(name: str, language: str, path: Path) -> Json:
    """The table of that name (see TABLES) out of its scenario file; DataError where it does not hold it."""
    _, class_name, saved = _SCENARIOS[name]
    body = _parse(path).body
    scenario = next((part for part in body if isinstance(part, ast.ClassDef) and part.name == class_name), None)
    if scenario is None:
        raise DataError(f"class {class_name} is missing; is it the published scenario file?", path)
    values = _attributes(scenario)
    if name == "base":
        values = {f"{key}_default": value for key, value in values.items()}
    elif name == "food":
        values["balance_must_exceed_total"] = language == "zh"
    elif name == "travel":
        values |= _travel_rules(scenario)
    copy_table(name, values, path)
    return {"class": class_name} | {key: values[key] for key in TABLES[name].__annotations__} | {"saved": saved}


def literal(node: ast.expr) -> Any:
    """The JSON value of a literal, keys being texts and tuples lists; a `datetime(...)` is "YYYY-MM-DD HH:MM:SS".

    Raises ValueError for anything else.
    """
    match node:
        case ast.Call(func=ast.Name("datetime") | ast.Attribute(attr="datetime"), args=parts, keywords=[]):
            numbers = [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) is int]
            if len(numbers) != len(parts) or not 3 <= len(numbers) <= 6 or max(numbers) > 9999:
                raise ValueError("no point in time")
            return datetime(*numbers).strftime("%Y-%m-%d %H:%M:%S")  # type: ignore[arg-type]
    try:
        return json.loads(json.dumps(ast.literal_eval(node)))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"no literal: {type(node).__name__}") from error


def _attributes(scenario: ast.ClassDef) -> Json:
    """The attributes that a class sets to literals, in its body or in `__init__`; the last value of each."""
    statements = list(scenario.body)
    for part in scenario.body:
        if isinstance(part, ast.FunctionDef) and part.name == "__init__":
            statements += part.body
    found: Json = {}
    for statement in statements:
        for name, value in _assignments(statement):
            found.pop(name, None)  # where it is set to something that only running could tell
            with suppress(ValueError):
                found[name] = literal(value)
    return found


def _assignments(statement: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What `name = ...` and `self.name = ...` set, annotated or not."""
    match statement:
        case ast.Assign(targets=targets, value=value):
            pass
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            targets = [target]
        case _:
            return
    for place in targets:
        match place:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name("self"), attr=name):
                yield name, value


def _travel_rules(scenario: ast.ClassDef) -> Json:
    """The constants inside methods: bags that are free, the clock, and the reason that makes a refund whole."""
    found: Json = {"fee_per_extra_bag": _FEE_PER_EXTRA_BAG}
    constants = {"free_baggage": "free_baggage", "current_time": "cancel_clock"}
    for node in ast.walk(scenario):
        for name, value in _assignments(node):
            if name in constants:
                with suppress(ValueError):
                    found.setdefault(constants[name], literal(value))
        match node:
            case ast.Compare(
                left=ast.Name("reason"), ops=[ast.Eq()], comparators=[ast.Constant(value=str() as reason)]
            ):
                found.setdefault("airline_cancel_reason", reason)
    cabins = next((list(row) for row in found.get("free_baggage", {}).values() if isinstance(row, dict)), [])
    if len(cabins) == 2:  # economy first, in every row
        found |= {"cabin_economy": cabins[0], "cabin_business": cabins[1]}
    return found


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
