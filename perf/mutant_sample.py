"""A small random sample of mutants, and which tests kill them: does a change of the tests lose protection?

    pytest --cov=src/toolgauge --cov-context=test --cov-report=    # which test runs which line (needs pytest-cov)
    python perf/mutant_sample.py --out before.json                  # the same seed draws the same mutants
    ... change the tests, and measure the coverage anew ...
    python perf/mutant_sample.py --again before.json --out after.json

A mutant is one changed expression or statement. It meets the tests that run its line, those that run the fewest lines
first, until one fails. `--again` tries only the mutants that died, and lists those that live now.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import copy
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).parent.parent
ROOMS = (
    "judge",
    "models/dialects",
    "models",
    "runs",
    "benchmarks/dialogues",
    "benchmarks/acebench",
    "data",
    "logs",
    "tools",
    "generation",
)
MOST_TESTS = 150
"""So many tests are tried on a mutant."""

SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


def changed(node: ast.AST) -> ast.AST | None:
    """The node with one thing changed; None where nothing is to be changed."""
    made: Any = copy.deepcopy(node)
    match made:
        case ast.Compare(ops=[operator]) if type(operator) in SWAPPED:
            made.ops = [SWAPPED[type(operator)]()]
        case ast.BoolOp():
            made.op = ast.And() if isinstance(made.op, ast.Or) else ast.Or()
        case ast.UnaryOp(op=ast.Not()):
            return made.operand
        case ast.BinOp(op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
            made.op = ast.Sub() if isinstance(made.op, ast.Add) else ast.Add()
        case ast.Constant(value=bool(flag)):
            made.value = not flag
        case ast.Constant(value=int(number)):
            made.value = number + 1
        case ast.Constant(value=str(word)) if word.isidentifier():
            made.value = f"x{word}"
        case ast.IfExp():
            made.body, made.orelse = made.orelse, made.body
        case ast.If() | ast.While():
            made.test = ast.UnaryOp(ast.Not(), made.test)
        case ast.Return(value=ast.expr()) if not isinstance(made.value, ast.Constant):
            made.value = ast.Constant(None)
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            return ast.Pass()
        case _:
            return None
    return cast(ast.AST, made)


def candidates(tree: ast.Module) -> Iterator[ast.AST]:
    """What may be changed: everything in functions but annotations, decorators and the texts of f-strings."""

    def walk(node: ast.AST) -> Iterator[ast.AST]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "args") and not isinstance(node, ast.Call):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                    yield child
                    yield from walk(child)

    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from walk(function)


def mutants(room: str) -> Iterator[dict[str, Any]]:
    """Every mutant of a room, without those of the rooms inside it that are listed themselves."""
    folder = ROOT / "src/toolgauge" / room
    inside = [folder.parent / Path(other).name for other in ROOMS if other.startswith(f"{room}/")]
    for path in sorted(folder.rglob("*.py")):
        if any(path.is_relative_to(other) for other in inside):
            continue
        for node in {id(node): node for node in candidates(ast.parse(path.read_text()))}.values():
            made = changed(node)
            if made is not None:
                yield {"room": room, "file": str(path.relative_to(ROOT / "src")), "line": node.lineno,  # type: ignore[attr-defined]
                       "column": node.col_offset, "kind": type(node).__name__}  # type: ignore[attr-defined]  # fmt: skip


def mutated(mutant: dict[str, Any]) -> str:
    """The text of the file with this change in it."""
    tree = ast.parse((ROOT / "src" / mutant["file"]).read_text())
    place = (mutant["line"], mutant["column"], mutant["kind"])

    class Change(ast.NodeTransformer):
        done = False

        def visit(self, node: ast.AST) -> ast.AST:
            here = (getattr(node, "lineno", None), getattr(node, "col_offset", None), type(node).__name__)
            if here == place and not self.done and (made := changed(node)) is not None:
                self.done = True
                mutant["was"], mutant["is"] = (ast.unparse(one).splitlines()[0] for one in (node, made))
                return ast.copy_location(made, node)
            return self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Change().visit(tree)))


@cache
def _is_there(test: str) -> bool:
    """Is there still such a test? Coverage may be older than the tests."""
    file, _, name = test.partition("::")
    return (ROOT / file).exists() and f"def {name}(" in (ROOT / file).read_text()


class Tests:
    """Which tests run a line: out of coverage's file."""

    def __init__(self, file: Path) -> None:
        database = sqlite3.connect(file)
        files = {number: path.split("/src/")[-1] for number, path in database.execute("select id, path from file")}
        names = dict(database.execute("select id, context from context"))
        self.of: dict[tuple[str, int], set[str]] = {}
        self.lines = Counter[str]()
        for number, context, bits in database.execute("select file_id, context_id, numbits from line_bits"):
            test = names[context].partition("|")[0].partition("[")[0]
            if test and _is_there(test):
                for line in (8 * at + bit for at, byte in enumerate(bits) for bit in range(8) if byte >> bit & 1):
                    self.of.setdefault((files[number], line), set()).add(test)
                    self.lines[test] += 1

    def on(self, mutant: dict[str, Any]) -> list[str]:
        found = self.of.get((mutant["file"], mutant["line"]), set())
        return sorted(found, key=lambda test: (self.lines[test], test))[:MOST_TESTS]


def attempt(mutant: dict[str, Any]) -> dict[str, Any]:
    """Try the mutant's tests in a copy of the source: `killer` is the test that failed, None where it lives."""
    copied = Path(tempfile.gettempdir()) / f"toolgauge-mutant-{os.getpid()}"
    if not copied.exists():
        shutil.copytree(ROOT / "src", copied)
        compileall.compile_dir(copied, quiet=1)
    path = copied / mutant["file"]
    _replace(path, mutated(mutant))
    result = copied / "result"
    result.unlink(missing_ok=True)
    child = os.fork() if mutant["tests"] else 0
    if mutant["tests"] and child == 0:
        _run(copied, mutant["tests"], result)
    if mutant["tests"]:
        os.waitpid(child, 0)
        mutant["killer"] = result.read_text() if result.exists() else "the process ended"
    mutant["killer"] = mutant.get("killer") or None
    _replace(path, (ROOT / "src" / mutant["file"]).read_text())
    print(json.dumps({name: mutant[name] for name in ("file", "line", "was", "is", "killer")}), flush=True)
    return mutant


def _replace(path: Path, text: str) -> None:
    """Write a module, and forget what was compiled of it: the same size in the same second looks unchanged."""
    path.write_text(text)
    for cached in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        cached.unlink()


def _run(source: Path, tests: list[str], result: Path) -> None:
    os.environ["PYTHONPATH"] = str(source)
    sys.path.insert(0, str(source))
    os.chdir(ROOT)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    import pytest

    class Note:
        @staticmethod
        def pytest_runtest_logreport(report: Any) -> None:
            if report.failed:
                result.write_text(report.nodeid)

        @staticmethod
        def pytest_collectreport(report: Any) -> None:
            if report.failed:
                result.write_text(f"{report.nodeid} (not imported)")

    result.write_text("")
    for part in (tests[:1], tests[1:12], tests[12:]):  # a few first: to collect many files takes the most time
        if part and not result.read_text():
            pytest.main(["-x", "-n", "0", "-p", "no:cacheprovider", "--timeout", "120", *part], plugins=[Note])
    os._exit(0)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--coverage", type=Path, default=ROOT / ".coverage")
    options.add_argument("--seed", type=int, default=38)
    options.add_argument("--each", type=int, default=12, help="mutants per room")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--again", type=Path, help="results of an earlier sample: try those that died there")
    options.add_argument("--also", type=Path, nargs="*", default=[], help="test files that the coverage does not know")
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    tests = Tests(given.coverage)
    if given.again:
        sample = [mutant for mutant in json.loads(given.again.read_bytes()) if mutant["killer"]]
    else:
        draw = random.Random(given.seed)
        sample = [mutant for room in ROOMS for mutant in draw.sample([*mutants(room)], given.each)]
    for mutant in sample:
        killer = (mutant.pop("killer", None) or "").partition("[")[0]
        found = [*tests.on(mutant), *(str(file) for file in given.also)]
        mutant["tests"] = [killer] * (killer in found) + [test for test in found if test != killer]
    with Pool(given.processes, maxtasksperchild=None) as pool:
        done = pool.map(attempt, sample, chunksize=1)
    given.out.write_text(json.dumps(done, indent=1))
    died = Counter(mutant["room"] for mutant in done if mutant["killer"])
    for room, count in Counter(mutant["room"] for mutant in done).items():
        print(f"{room}: {died[room]} of {count} died")
    for mutant in done:
        if not mutant["killer"]:
            print(f"lives: {mutant['file']}:{mutant['line']}: {mutant['was']} -> {mutant['is']}")
    print(f"{sum(died.values())} of {len(done)} mutants died")


if __name__ == "__main__":
    main()
