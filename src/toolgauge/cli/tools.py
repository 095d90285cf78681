"""`toolgauge tools ...`: tool lists from OpenAPI documents and MCP servers; list, show and check files of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import console, content, echo
from toolgauge.errors import UsageError
from toolgauge.locale import _

if TYPE_CHECKING:
    from toolgauge.tools.openapi import Imported
    from toolgauge.tools.toollist import ToolList

app = typer.Typer(help="Tool lists: import, list, show and check them.", no_args_is_help=True)
importing = typer.Typer(help="Make tool lists of an OpenAPI document or an MCP server.", no_args_is_help=True)
app.add_typer(importing, name="import")

SHOWN = 20
"""Notes of an import that are printed."""

File = Annotated[Path, typer.Argument(metavar="FILE", help="A file of tool lists, JSON or JSON lines.")]
Out = Annotated[Path | None, typer.Option(metavar="FILE", help="Where the lists go (default: standard output).")]
Shown = Annotated[Path, typer.Argument(metavar="FILE", help="A file of tool lists, or `library`: the embedded one.")]
Language = Annotated[str, typer.Option(help="en or zh: the library's language (default: the interface's).")]
Many = list[str] | None
LIBRARY = Path("library")
"""Stands for the embedded tool library, unless there is a file of that name."""


@importing.command("openapi")
def import_document(
    spec: Annotated[Path, typer.Argument(metavar="SPEC", help="OpenAPI 3.0 or 3.1, JSON or YAML.")],
    out: Out = None,
    tag: Annotated[Many, typer.Option(help="Only operations with this tag; may be repeated.")] = None,
    path: Annotated[Many, typer.Option(help="Only paths under /this, or like '/this/*'; may be repeated.")] = None,
    method: Annotated[Many, typer.Option(help="Only get, post, ...; may be repeated.")] = None,
    include: Annotated[Many, typer.Option(metavar="PATTERN", help="Only operation ids like 'list*'.")] = None,
    exclude: Annotated[Many, typer.Option(metavar="PATTERN", help="No operation ids like '*admin*'.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Only the first so many operations (0: all).")] = 0,
    overwrite: Overwrite = False,
) -> None:
    """Make tools of the operations of an API, in lists of 3 to 9 that belong together."""
    from toolgauge.tools.openapi import Selection, import_openapi

    tags, paths, methods, wanted, unwanted = (tuple(given or ()) for given in (tag, path, method, include, exclude))
    _deliver(import_openapi(spec, Selection(tags, paths, methods, wanted, unwanted, limit)), out, overwrite, spec)


@importing.command("mcp")
def import_server(
    command: Annotated[Many, typer.Argument(metavar="[-- COMMAND...]", help="What starts the server (stdio).")] = None,
    url: Annotated[str, typer.Option(help="The server's address (streamable HTTP).")] = "",
    out: Out = None,
    env: Annotated[
        Many, typer.Option(metavar="NAME", help="An environment variable that the command gets too.")
    ] = None,
    token_env: Annotated[str, typer.Option(metavar="NAME", help="The variable with the bearer token for --url.")] = "",
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Seconds that the server has.")] = 60.0,
    overwrite: Overwrite = False,
) -> None:
    """Ask an MCP server for its tools, and make lists of 3 to 9 of them. No tool is called."""
    from toolgauge.tools.mcp_servers import Server, import_mcp

    if token_env and not url:
        raise UsageError(_("--token-env goes with --url; a command gets variables with --env NAME"))
    if env and url:
        raise UsageError(_("--env goes with a command; --url takes a token with --token-env NAME"))
    _deliver(import_mcp(Server(tuple(command or ()), url, tuple(env or ()), token_env), timeout), out, overwrite)


@app.command("check")
def check_file(
    file: File,
    strict: Annotated[bool, typer.Option("--strict", help="Hints count as errors.")] = False,
    most: Annotated[int, typer.Option("--max", min=1, help="Findings that are printed.")] = 100,
) -> None:
    """List what is wrong with tool definitions, and what makes them hard to use (hint).

    Exit code 0: nothing is wrong; 1: something is; 2: the file cannot be used at all.
    """
    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say
    from toolgauge.tools.checking import MAX_FINDINGS, Severity, check_tools

    findings = sorted(check_tools(file), key=lambda finding: finding.severity is not Severity.ERROR)
    for finding in findings[:most]:
        echo(_plain(local(str(finding))))
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    if not findings:
        echo(say("no_problems", path=file))
        return
    key = "more_findings" if len(findings) >= MAX_FINDINGS else "findings"
    echo(say(key, errors=errors, hints=len(findings) - errors), err=True)
    if len(findings) > most:
        echo(say("not_shown", count=len(findings) - most), err=True)
    if errors or strict:
        raise typer.Exit(1)


@app.command("list")
def list_file(file: Shown = LIBRARY, language: Language = "") -> None:
    """Show the tool lists of a file, or of the embedded library."""
    from rich.text import Text

    from toolgauge.analysis.terminal import open_table
    from toolgauge.cli.words import say

    lists = _lists(file, language)
    table = open_table(*say("tool_lists").split("|"))
    table.columns[2].justify = "right"
    for one in lists:
        names = ", ".join(tool.name for tool in one.tools)
        cells = (one.id, one.name, str(len(one.tools)), names)
        table.add_row(*(Text(_plain(cell), overflow="fold") for cell in cells))
    console().print(table)
    echo(say("tool_totals", lists=len(lists), tools=sum(len(one.tools) for one in lists)))


@app.command("show")
def show_lists(
    file: Shown,
    ids: Annotated[Many, typer.Argument(metavar="[ID...]", help="Lists to show (default: all).")] = None,
    language: Language = "",
) -> None:
    """Show tools with their parameters. Required ones are marked with *."""
    lists = _lists(file, language)
    unknown = set(ids or ()) - {one.id for one in lists}
    if unknown:
        raise UsageError(
            _(
                "{file}: has no list {unknown!r}; `toolgauge tools list {file}` names them",
                file=file,
                unknown=sorted(unknown)[0],
            )
        )
    for one in lists:
        if not ids or one.id in ids:
            _show(one)


def _lists(file: Path, language: str) -> Sequence[ToolList]:
    """The lists of a file or of the embedded library; UsageError for a language that means nothing here."""
    if file == LIBRARY and not file.exists():
        from toolgauge.cli.words import interface_language
        from toolgauge.tools.library import tool_library

        return tool_library(language or interface_language())
    if language:
        raise UsageError(_("--language is for the embedded library; a file has the language it is in"))
    from toolgauge.tools.toollist import read_tool_lists

    return read_tool_lists(file)


def _show(one: ToolList) -> None:
    from rich.text import Text

    shown = console()
    name = f"  {_plain(one.name)}" if one.name else ""
    shown.print(Text.assemble((_plain(one.id), "bold"), name), soft_wrap=True)
    for tool in one.tools:
        heading = Text.assemble("  ", (_plain(tool.name), "cyan"), f": {_plain(tool.description)}")
        shown.print()
        shown.print(heading, soft_wrap=True)
        for line in _parameters(tool.parameters, 2):
            shown.print(line, soft_wrap=True)
    shown.print()


def _parameters(schema: Any, depth: int) -> list[str]:
    """A line per property of a schema and of those inside it, indented."""
    properties = schema.get("properties") if type(schema) is dict else None
    if type(properties) is not dict or depth > 10:
        return []
    required = schema.get("required")
    lines = []
    for name, part in properties.items():
        part = part if type(part) is dict else {}  # noqa: PLW2901
        mark = "*" if type(required) is list and name in required else ""
        text = part.get("description")
        words = f"  {_plain(text, 200)}" if type(text) is str else ""
        lines.append("  " * depth + _plain(f"{name[:100]}{mark} ({_kind(part)})") + words)
        inner = part.get("items") if type(part.get("items")) is dict else part
        lines += _parameters(inner, depth + 1)
    return lines


def _kind(schema: dict[str, Any]) -> str:
    """A schema's type in a word: `string`, `string or null`, `list of integer`, `a | b` for few allowed values."""
    from toolgauge.cli.words import say

    values, kind = schema.get("enum"), schema.get("type")
    if type(values) is list and values:
        return " | ".join(str(value)[:30] for value in values[:8]) + (" | …" if len(values) > 8 else "")
    if kind == "array":
        items = schema.get("items")
        if type(items) is dict and items.get("type") != "array":
            return say("list_of", what=_kind(items))
        return say("list")
    options = next((schema[key] for key in ("anyOf", "oneOf") if type(schema.get(key)) is list), None)
    if kind is None and options:
        return say("or").join(dict.fromkeys(_kind(one) for one in options[:8] if type(one) is dict))
    return say("or").join(map(str, kind)) if type(kind) is list else str(kind or say("any"))


def _deliver(imported: Imported, out: Path | None, overwrite: bool, spec: Path | None = None) -> None:
    """Lists to the file or to standard output, words about them to standard error. spec: the file they come from."""
    import msgspec

    from toolgauge.cli.chinese import local
    from toolgauge.cli.words import say
    from toolgauge.tools.toollist import write_tool_lists
    from toolgauge.written import replacing_one, require_apart

    for note in imported.notes[:SHOWN]:
        echo(say("note", what=_plain(local(note))), err=True)
    if len(imported.notes) > SHOWN:
        echo(say("not_shown", count=len(imported.notes) - SHOWN), err=True)
    if out is not None:
        require_apart([out], [spec])
        with replacing_one(out, overwrite):
            write_tool_lists(out, imported.lists)
        echo(say("imported", lists=len(imported.lists), tools=imported.tools, file=out), err=True)
        return
    with content() as file:
        for one in imported.lists:
            file.write(msgspec.json.encode(one.wire()) + b"\n")


def _plain(text: str, limit: int = 500) -> str:
    """Somebody's words on a terminal: one line of bounded length, nothing that moves the cursor."""
    from toolgauge.tools.texts import tidy

    return " ".join(tidy(text, limit).split())
