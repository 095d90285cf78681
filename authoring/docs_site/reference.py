"""The reference pages, generated from the code: the command line, and the functions of the library."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import typer.main

import toolgauge
from toolgauge.benchmarks.registry import OURS
from toolgauge.cli.benchmark_options import RunCommand
from toolgauge.cli.main import app

from .pages import Language

WORDS: dict[str, dict[Language, str]] = {
    "cli": {"en": "Command line", "zh": "命令行"},
    "cli_lead": {
        "en": "Every command with its options, as `--help` prints them; `--help-all` adds the rare ones for `--set`.",
        "zh": "所有命令及其选项（英文），与 `--help` 的内容一致；`--help-all` 还列出用 `--set` 设置的少用选项。",
    },
    "python": {"en": "Python functions", "zh": "Python 函数"},
    "python_lead": {
        "en": "Signatures and docstrings of what `import toolgauge` gives; [Python](../python.md) has examples.",
        "zh": "`import toolgauge` 提供的函数的签名和文档字符串（英文）；[Python](../python.md) 一页有说明和示例。",
    },
    "option": {"en": "Option", "zh": "选项"},
    "argument": {"en": "Argument", "zh": "参数"},
    "meaning": {"en": "Meaning", "zh": "说明"},
    "default": {"en": "default", "zh": "默认"},
    "required": {"en": "required", "zh": "必填"},
}


def generated(name: str, language: Language) -> str:
    """The text of a generated page, by its name in nav.yaml."""
    makers: dict[str, Callable[[Language], str]] = {"reference/cli": _cli, "reference/python": _python}
    return makers[name](language)


def _cli(language: Language) -> str:
    root: Any = typer.main.get_command(app)
    lines = [f"# {WORDS['cli'][language]}", "", WORDS["cli_lead"][language]]
    for path, command in _commands(root, "toolgauge"):
        lines += ["", *_command(path, command, language)]
    return "\n".join(lines) + "\n"


def _commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """A command and all below it, with their paths."""
    if isinstance(command, RunCommand):
        command.offer(OURS)
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _commands(inner, f"{path} {name}")


def _command(path: str, command: Any, language: Language) -> Iterator[str]:
    yield from (f"## {path}", "")
    if command.help:
        yield from _help(inspect.cleandoc(command.help))
    for kind in ("argument", "option"):
        rows = [one for one in command.params if one.param_type_name == kind and not one.hidden]
        if rows:
            yield f"| {WORDS[kind][language]} | {WORDS['meaning'][language]} |"
            yield "|---|---|"
            yield from (_row(one, typer.Context(command), language) for one in rows)
            yield ""


def _help(text: str) -> Iterator[str]:
    """What a verb does, its examples (a block that begins with a backspace, for typer) behind it."""
    examples, _, rest = text.partition("\n\n") if text.startswith("\b") else ("", "", text)
    yield from (rest, "")
    if examples:
        yield from ("```console", *(f"$ {line.strip()}" for line in examples.splitlines()[1:]), "```", "")


def _row(parameter: Any, context: typer.Context, language: Language) -> str:
    """A row of the table of options. What typer puts in brackets behind a help text is told in the language, too."""
    help_text, parameter.help = parameter.help or "", ""
    names, extra = parameter.get_help_record(context)
    if parameter.param_type_name == "argument":
        names = parameter.metavar or parameter.name.upper()
    for word in ("default", "required"):
        extra = extra.replace(word, WORDS[word][language])
    return f"| `{_cell(names)}` | {_cell(f'{help_text} {extra}')} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _python(language: Language) -> str:
    lines = [f"# {WORDS['python'][language]}", "", WORDS["python_lead"][language]]
    for name in toolgauge.__all__:
        value = getattr(toolgauge, name)
        if callable(value):
            lines += ["", *_function(name, value)]
    return "\n".join(lines) + "\n"


def _function(name: str, function: Callable[..., object]) -> Iterator[str]:
    signature = inspect.signature(function)
    yield from (f"## toolgauge.{name}", "", "```python", f"{name}(")
    starred = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            yield "    *,"
            starred = True
        yield f"    {_parameter(parameter)},"
    yield from (f") -> {_type(signature.return_annotation)}", "```", "", inspect.getdoc(function) or "")


def _parameter(parameter: inspect.Parameter) -> str:
    star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    said = star + parameter.name
    if parameter.annotation is not parameter.empty:
        said += f": {_type(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return said
    default = getattr(parameter.default, "__name__", None) or repr(parameter.default)
    return f"{said} = {default}"


def _type(annotation: object) -> str:
    """A type without the modules it comes from; one that stands for a function is called so."""
    said = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    if said.startswith("collections.abc.Callable"):
        return "Callable"
    return re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", said)
