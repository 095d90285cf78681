"""No function of the package is too long to read at once, and none takes more parameters than one can keep in mind."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.docs.pages import ROOT

PACKAGE = ROOT / "src" / "toolgauge"
MOST_LINES = 60
MOST_PARAMETERS = 10
"""Not counting `self` and `cls`."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(text: str) -> list[Function]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, Function)]


def is_command(file: Path, function: Function) -> bool:
    """Is this a verb of the command line? Its signature is the list of its options, with the help text of each."""
    annotations = [argument.annotation for argument in function.args.args + function.args.kwonlyargs]
    return file.is_relative_to(PACKAGE / "cli") and any(
        isinstance(one, ast.Subscript) and ast.unparse(one.value) == "Annotated" for one in annotations
    )


def too_large(file: Path, function: Function) -> str | None:
    """What is wrong with a function's size, None if nothing. Of a verb, the signature does not count."""
    command = is_command(file, function)
    first = function.body[0].lineno if command else function.lineno
    lines = (function.end_lineno or first) - first + 1
    if lines > MOST_LINES:
        return f"{function.name}: {lines} lines"
    given = function.args
    names = [one.arg for one in given.posonlyargs + given.args + given.kwonlyargs if one.arg not in ("self", "cls")]
    if len(names) > MOST_PARAMETERS and not command:
        return f"{function.name}: {len(names)} parameters"
    return None


def test_functions_are_of_a_readable_size() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {problem}"
        for file in sorted(PACKAGE.rglob("*.py"))
        for function in functions(file.read_text(encoding="utf-8"))
        if (problem := too_large(file, function))
    ]
    assert found == []


def test_what_is_too_large_is_found(tmp_path: Path) -> None:
    verb = "def run(\n" + "    a: Annotated[str, 'help'],\n" * 70 + "): pass"
    texts = {
        "def f():\n" + "    pass\n" * 60: "f: 61 lines",
        "async def f():\n" + "    pass\n" * 59: None,
        f"def f({', '.join(f'a{n}' for n in range(10))}, *, b): pass": "f: 11 parameters",
        f"class A:\n    def f(self, {', '.join(f'a{n}' for n in range(10))}): pass": None,
        verb: "run: 72 lines",
    }
    for text, problem in texts.items():
        (function,) = functions(text)
        assert too_large(tmp_path / "f.py", function) == problem
    (function,) = functions(verb)
    assert too_large(PACKAGE / "cli" / "run.py", function) is None
