"""How large the source is, how it is cut, who imports whom, and how much of it a command enters; each beside its goal.

    python perf/house.py [--json] [--longest N]
    python perf/house.py --entered FILE COMMAND ...

The second form runs `toolgauge COMMAND ...` and writes the functions that it entered into FILE, one a line.

A function is a `def` or `async def`, nested ones and methods too; its lines are counted from `def` to its end, without
decorators. A private function (`_name`, no dunder) is used once if its name stands exactly once in its own file, as a
name or as an attribute, beside its definition. A command enters a function if it calls it, in any thread; modules,
class bodies, lambdas and comprehensions are not counted.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from statistics import mean, median
from types import CodeType, FrameType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "toolgauge"
WEB = (".js", ".css", ".html", ".jinja", ".j2")
ROOT_FILES = "(root)"
ROOMS = {
    ROOT_FILES: 900,
    "models": 5_000,
    "tools": 1_900,
    "data": 1_900,
    "logs": 3_000,
    "judge": 1_500,
    "benchmarks": 8_100,
    "runs": 2_600,
    "analysis": 2_600,
    "report": 3_600,
    "generation": 6_000,
    "review": 3_500,
    "agents": 1_000,
    "integrations": 1_200,
    "cli": 2_200,
}
"""Folders of the package that the design names, and the lines of Python it gives them."""
COMMANDS = (
    ("run mini -m builtin/noisy --limit 1 --out {folder}/first", 350, 65),
    ("generate --demo --paths single --out {folder}/demo", 380, 75),
    ("report {folder}/run --out {folder}/site", 450, 80),
)
"""Commands that are followed, and how many functions of how many files they should enter."""
PREPARED = "run mini -m builtin/noisy --out {folder}/run"
"""What is run before, for the report."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: its name, its value today, and the goal where there is one."""

    name: str
    now: float
    goal: str = ""
    is_share: bool = False
    """Between 0 and 1, shown as a percentage."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method: where it is defined, and its number of lines."""

    name: str
    file: str
    line: int
    lines: int


@dataclass(slots=True)
class Source:
    """What is counted in the Python files of a folder."""

    lines: dict[str, int] = field(default_factory=dict)
    """By file, relative to the folder."""
    import_lines: int = 0
    private_used_once: int = 0
    functions: list[Function] = field(default_factory=list)


def read_source(folder: Path) -> Source:
    """Count lines, imports and functions of every Python file below a folder."""
    source = Source()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        file = path.relative_to(folder).as_posix()
        nodes = list(ast.walk(ast.parse(text)))
        functions = list(functions_of(nodes, file))
        source.lines[file] = len(text.splitlines())
        source.import_lines += count_import_lines(nodes)
        source.private_used_once += count_private_used_once(nodes, functions)
        source.functions += functions
    return source


def functions_of(nodes: Iterable[ast.AST], file: str) -> Iterator[Function]:
    """The functions of a parsed file."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            end = node.end_lineno or node.lineno
            yield Function(node.name, file, node.lineno, end - node.lineno + 1)


def count_import_lines(nodes: Iterable[ast.AST]) -> int:
    """Lines that import statements take up, wherever they stand."""
    lines: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            lines.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_private_used_once(nodes: Iterable[ast.AST], functions: Iterable[Function]) -> int:
    """Private functions whose name stands once in their file beside the definition."""
    uses = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    )
    private = [function.name for function in functions if re.match(r"_(?!_)", function.name)]
    return sum(uses[name] == 1 for name in private)


def lines_of_web_files(folder: Path) -> int:
    """Lines of scripts, styles and templates below a folder."""
    files = [path for path in folder.rglob("*") if path.suffix in WEB]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def size_rows(source: Source, tests: Source, web_lines: int) -> list[Row]:
    """The whole: lines and files."""
    lines = list(source.lines.values())
    return [
        Row("lines of Python in src", sum(lines), "45,000"),
        Row("files", len(lines), "220"),
        Row("lines per file", mean(lines), "150 to 450"),
        Row("files below 60 lines", sum(count < 60 for count in lines)),
        Row("files above 450 lines", sum(count > 450 for count in lines)),
        Row("scripts, styles, templates", web_lines, "6,000"),
        Row("lines of Python in tests", sum(tests.lines.values()), "30,000"),
    ]


def room_rows(source: Source) -> list[Row]:
    """Lines of every room: those of the design in its order, then those that it does not name."""
    lines: Counter[str] = Counter()
    for file, count in source.lines.items():
        room, _, rest = file.partition("/")
        lines[room if rest else ROOT_FILES] += count
    others = sorted(lines.keys() - ROOMS.keys())
    return [
        *(Row(room, lines[room], f"{budget:,}") for room, budget in ROOMS.items()),
        *(Row(room, lines[room], "-") for room in others),
    ]


def function_rows(source: Source) -> list[Row]:
    """How the source is cut into functions."""
    sizes = [function.lines for function in source.functions]
    return [
        Row("functions", len(sizes)),
        Row("lines per function, mean", mean(sizes)),
        Row("lines per function, median", median(sizes), "10 to 25"),
        Row("of at most 4 lines", sum(size <= 4 for size in sizes) / len(sizes), is_share=True),
        Row("of more than 60 lines", sum(size > 60 for size in sizes)),
        Row("private and used once", source.private_used_once),
        Row("their share of all functions", source.private_used_once / len(sizes), is_share=True),
        Row("import lines", source.import_lines / sum(source.lines.values()), is_share=True),
    ]


def read_imports(package: str) -> dict[str, set[str]]:
    """Modules of an importable package, and those of it that each imports directly, lazily or for types alone too."""
    import grimp

    graph = grimp.build_graph(package, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def imports_of_rooms(imports: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The same between folders of the package; its root files are left out."""
    rooms: dict[str, set[str]] = {module.split(".")[1]: set() for module in imports if module.count(".") > 1}
    for module, imported in imports.items():
        room, *others = (".".join(name.split(".")[1:2]) for name in (module, *imported))
        if room in rooms:
            rooms[room].update(other for other in others if other in rooms and other != room)
    return rooms


def in_cycles(imports: Mapping[str, set[str]]) -> set[str]:
    """What is part of a cycle of imports, or lies between two cycles.

    Whatever imports none of the rest, or is imported by none of it, is taken away until nothing more can be.
    """
    rest = set(imports)
    while True:
        imported = set().union(*(imports[one] & rest for one in rest))
        inner = {one for one in rest if one in imported and imports[one] & rest}
        if inner == rest:
            return rest
        rest = inner


def import_rows(imports: Mapping[str, set[str]], most: int = 4) -> list[Row]:
    """The import graph: edges, cycles, and the files that most others import."""
    rooms = imports_of_rooms(imports)
    importers = Counter(module for imported in imports.values() for module in imported)
    return [
        Row("imports between files", importers.total()),
        Row("imports between rooms", sum(map(len, rooms.values()))),
        Row("files in cycles", len(in_cycles(imports)), "0"),
        Row("rooms in cycles", len(in_cycles(rooms)), "0"),
        *(Row(f"importers of {module.partition('.')[2]}", count) for module, count in importers.most_common(most)),
    ]


def record_entered(file: Path, command: list[str]) -> None:
    """Run a command of toolgauge in this process; write `path:line name` of every function of ours that it enters."""
    entered: dict[int, CodeType] = {}

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            entered[id(frame.f_code)] = frame.f_code

    sys.argv = ["toolgauge", *command]
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        from toolgauge.__main__ import main

        main()
    finally:
        sys.setprofile(None)
        ours = [code for code in list(entered.values()) if is_function_below(PACKAGE, code)]
        lines = {f"{code.co_filename}:{code.co_firstlineno} {code.co_qualname}" for code in ours}
        file.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def is_function_below(folder: Path, code: CodeType) -> bool:
    """Is this code a function in a file below the folder: no module, class body, lambda or comprehension?"""
    is_function = bool(code.co_flags & inspect.CO_OPTIMIZED) and not code.co_name.startswith("<")
    return is_function and Path(code.co_filename).is_relative_to(folder)


def command_rows() -> list[Row]:
    """How many functions of how many files the commands enter, each in a new process."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        entered_by(PREPARED, folder)
        for command, most_functions, most_files in COMMANDS:
            entered = entered_by(command, folder)
            files = {line.split(":")[0] for line in entered}
            name = re.sub(r" --out \S+| \{folder\}/\S+", "", command)
            rows.append(Row(name, len(entered), str(most_functions)))
            rows.append(Row(f"files of {name.split()[0]}", len(files), str(most_files)))
    return rows


def entered_by(command: str, folder: str) -> list[str]:
    """The functions that a command enters, as `record_entered` writes them; the command works in the folder."""
    file = Path(folder) / "entered.txt"
    words = command.format(folder=folder).split()
    start = [sys.executable, __file__, "--entered", str(file), *words]
    environment = os.environ | {"TOOLGAUGE_LANG": "en"}
    done = subprocess.run(start, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"toolgauge {' '.join(words)} failed:\n{done.stderr}")
    return file.read_text(encoding="utf-8").splitlines()


def show(sections: Mapping[str, list[Row]]) -> str:
    """Two columns of sections: rooms and commands stand on the right."""
    columns: tuple[list[str], list[str]] = ([], [])
    for title, rows in sections.items():
        column = columns[title in ("rooms", "functions that a command enters")]
        column.append(f"{title:36}{'now':>8}  {'goal':10}")
        column += [f"  {row.name:34}{shown(row):>8}  {row.goal:10}" for row in rows]
        column.append("")
    return "\n".join(f"{left:60}{right}".rstrip() for left, right in zip_longest(*columns, fillvalue=""))


def shown(row: Row) -> str:
    """The value of a row as a person reads it."""
    if row.is_share:
        return f"{row.now:.0%}"
    return f"{row.now:,.1f}" if isinstance(row.now, float) and row.now != int(row.now) else f"{row.now:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    parser.add_argument("--longest", type=int, default=0, metavar="N", help="list the N longest functions too")
    parser.add_argument("--entered", type=Path, metavar="FILE", help="where to write the functions a command enters")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a command of toolgauge, for --entered")
    chosen = parser.parse_args()
    if chosen.entered:
        record_entered(chosen.entered, chosen.command)
        return
    source = read_source(PACKAGE)
    sections = {
        "size": size_rows(source, read_source(ROOT / "tests"), lines_of_web_files(PACKAGE)),
        "rooms": room_rows(source),
        "functions": function_rows(source),
        "imports": import_rows(read_imports("toolgauge")),
        "functions that a command enters": command_rows(),
    }
    longest = sorted(source.functions, key=lambda function: -function.lines)[: chosen.longest]
    rows = [Row(f"{function.file}:{function.line} {function.name}", function.lines) for function in longest]
    if chosen.json:
        every = sections | {"longest": rows} if rows else sections
        print(json.dumps({title: {row.name: row.now for row in rows} for title, rows in every.items()}, indent=2))
        return
    print(show(sections))
    print(*(f"{row.now:6} lines  {row.name}" for row in rows), sep="\n")


if __name__ == "__main__":
    main()
