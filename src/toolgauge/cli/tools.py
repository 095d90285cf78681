"""`toolgauge tools ...`: tool lists from OpenAPI documents and MCP servers; list, show and check files of them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolgauge.cli.benchmark_options import RunCommand
from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import console, content, echo
from toolgauge.cli.trial import trial
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.chat import Tool
    from toolgauge.tools.toollist import Imported, ToolList

app = typer.Typer(help="Tool lists: import, list, show and check them.", no_args_is_help=True)
importing = typer.Typer(help="Make tool lists of an OpenAPI document or an MCP server.", no_args_is_help=True)
app.add_typer(importing, name="import")

DEEPEST = 10
"""Levels of parameters that are shown."""
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
    deprecated: Annotated[bool, typer.Option("--deprecated", help="Also operations that are deprecated.")] = False,
    overwrite: Overwrite = False,
) -> None:
    """Make tools of the operations of an API, in lists of 3 to 9 that belong together."""
    from toolgauge.files import require_new
    from toolgauge.tools.openapi import Selection, import_openapi

    if out is not None:
        require_new(out, overwrite, [spec])
    tags, paths, methods, wanted, unwanted = (tuple(given or ()) for given in (tag, path, method, include, exclude))
    selection = Selection(tags, paths, methods, wanted, unwanted, limit, deprecated)
    _deliver(import_openapi(spec, selection), out)


@importing.command("mcp")
def import_server(
    command: Annotated[Many, typer.Argument(metavar="[-- COMMAND...]", help="What starts the server (stdio).")] = None,
    url: Annotated[str, typer.Option(help="The server's address (streamable HTTP).")] = "",
    out: Out = None,
    env: Annotated[
        Many, typer.Option(metavar="NAME", help="An environment variable that the command gets too.")
    ] = None,
    token_env: Annotated[str, typer.Option(metavar="NAME", help="The variable with the bearer token for --url.")] = "",
    include: Annotated[Many, typer.Option(metavar="PATTERN", help="Only tools like 'list_*'.")] = None,
    exclude: Annotated[Many, typer.Option(metavar="PATTERN", help="No tools like '*_admin_*'.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="Time limit.")] = 60.0,
    overwrite: Overwrite = False,
) -> None:
    """Ask an MCP server for its tools: up to 20 are one list, more become lists of 3 to 9. No tool is called."""
    from toolgauge.files import require_new
    from toolgauge.tools.mcp_servers import Server, import_mcp

    if token_env and not url:
        raise UsageError("--token-env goes with --url; a command gets variables with --env NAME")
    if env and url:
        raise UsageError("--env goes with a command; --url takes a token with --token-env NAME")
    if out is not None:
        require_new(out, overwrite)
    words = shlex.split(command[0]) if command and len(command) == 1 else command or ()  # also given as one text
    server = Server(tuple(words), url, tuple(env or ()), token_env)
    _deliver(import_mcp(server, timeout, include or (), exclude or ()), out)


@app.command("check")
def check_file(
    file: File,
    strict: Annotated[bool, typer.Option("--strict", help="Hints count as errors.")] = False,
    most: Annotated[int, typer.Option("--max", min=1, help="Findings that are printed.")] = 100,
) -> None:
    """List what is wrong with tool definitions, and what makes them hard to use (hint).

    Exit code 0: nothing is wrong; 1: something is; 2: the file cannot be used at all.
    """
    from toolgauge.tools.checking import MAX_FINDINGS, Severity, check_tools

    findings = sorted(check_tools(file), key=lambda finding: finding.severity is not Severity.ERROR)
    for finding in findings[:most]:
        echo(_plain(finding.text))
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    if not findings:
        echo(f"{file}: no problems")
        return
    summary = f"errors: {errors:,}, hints: {len(findings) - errors:,}"
    if len(findings) >= MAX_FINDINGS:
        summary = f"errors: {errors:,}, hints: {len(findings) - errors:,}, or more"
    echo(summary, err=True)
    if len(findings) > most:
        echo(f"not shown: {len(findings) - most:,} more", err=True)
    if errors or strict:
        raise typer.Exit(1)


@app.command("list")
def list_file(file: Shown = LIBRARY, language: Language = "") -> None:
    """Show the tool lists of a file, or of the embedded library."""
    from rich.text import Text

    from toolgauge.analysis.terminal import open_table

    lists = _lists(file, language)
    table = open_table("list", "name", "tools", "their names")
    table.columns[2].justify = "right"
    for tool_list in lists:
        names = ", ".join(tool.name for tool in tool_list.tools)
        cells = (tool_list.id, tool_list.name, str(len(tool_list.tools)), names)
        table.add_row(*(Text(_plain(cell), overflow="fold") for cell in cells))
    console().print(table)
    echo(f"lists: {len(lists):,}, tools: {sum(len(tool_list.tools) for tool_list in lists):,}")


@app.command("show")
def show_lists(
    file: Shown,
    ids: Annotated[Many, typer.Argument(metavar="[ID...]", help="Lists to show (default: all).")] = None,
    language: Language = "",
) -> None:
    """Show tools with their parameters. Required ones are marked with *."""
    lists = _lists(file, language)
    unknown = set(ids or ()) - {tool_list.id for tool_list in lists}
    if unknown:
        raise UsageError(f"{file}: unknown list {sorted(unknown)[0]!r}; `toolgauge tools list {file}` shows them")
    for tool_list in lists:
        if not ids or tool_list.id in ids:
            _show(tool_list)


def _lists(file: Path, language: str) -> Sequence[ToolList]:
    """The lists of a file or of the embedded library; UsageError for a language that means nothing here."""
    if file == LIBRARY and not file.exists():
        from toolgauge.cli.terminal import interface_language
        from toolgauge.tools.toollist import tool_library

        return tool_library(language or interface_language())
    if language:
        raise UsageError("--language is for the embedded library only")
    from toolgauge.tools.toollist import read_tool_lists

    return read_tool_lists(file)


def _show(tool_list: ToolList) -> None:
    from rich.text import Text

    terminal = console()
    name = f"  {_plain(tool_list.name)}" if tool_list.name else ""
    terminal.print(Text.assemble((_plain(tool_list.id), "bold"), name), soft_wrap=True)
    for tool in tool_list.tools:
        heading = Text.assemble("  ", (_plain(tool.name), "cyan"), f"{_marks(tool)}: {_plain(tool.description)}")
        terminal.print()
        terminal.print(heading, soft_wrap=True)
        for line in _parameters(tool.parameters, 2):
            terminal.print(line, soft_wrap=True)
        for line in _result(tool):
            terminal.print(line, soft_wrap=True)
    terminal.print()


def _marks(tool: Tool) -> str:
    """What is known of a tool in words: ` (read-only, deprecated)`."""
    from toolgauge.chat import ToolHints

    facts = tool.facts or None
    hints = (facts and facts.annotations) or ToolHints()
    marks = (
        (hints.read_only_hint, "read-only"),
        (hints.destructive_hint, "destructive"),
        (facts and facts.deprecated, "deprecated"),
    )
    words = [word for holds, word in marks if holds]
    return f" ({', '.join(words)})" if words else ""


def _result(tool: Tool) -> list[str]:
    """The declared shape of its results, indented like a parameter."""

    schema = tool.facts.output_schema if tool.facts else None
    if schema is None:
        return []
    return ["    " + f"result: {_plain(_kind(schema))}", *_inside(schema, 2)]


def _parameters(schema: Any, depth: int) -> list[str]:
    """A line per property of a schema and of those inside it, indented."""
    properties = schema.get("properties") if type(schema) is dict else None
    if type(properties) is not dict or depth > DEEPEST:
        return []
    required = schema.get("required")
    lines = []
    for name, part in properties.items():
        part = part if type(part) is dict else {}  # noqa: PLW2901
        mark = "*" if type(required) is list and name in required else ""
        text = part.get("description")
        words = f"  {_plain(text, 200)}" if type(text) is str else ""
        lines.append("  " * depth + _plain(f"{name[:100]}{mark} ({_kind(part)}{_default(part)})") + words)
        lines += _inside(part, depth)
    return lines


def _inside(part: dict[str, Any], depth: int) -> list[str]:
    """The properties of what a schema holds; of several alternatives those of each."""

    inner = part.get("items") if type(part.get("items")) is dict else part
    options = [_inside(option, depth + 1) for option in _options(inner)] if depth <= DEEPEST else []
    if sum(bool(option) for option in options) < 2:
        return _parameters(inner, depth + 1) + [line[2:] for option in options for line in option]
    lines = _parameters(inner, depth + 1)
    for number, option in enumerate(options, 1):
        if option:
            lines += ["  " * (depth + 1) + f"alternative {number}:", *option]
    return lines


def _options(schema: Any) -> list[dict[str, Any]]:
    """The alternatives of a schema, at most eight."""
    holder = schema if type(schema) is dict else {}
    listed: list[Any] = next((holder[key] for key in ("anyOf", "oneOf") if type(holder.get(key)) is list), [])
    return [part for part in listed[:8] if type(part) is dict]


def _default(schema: dict[str, Any]) -> str:
    from toolgauge.data.record import shown

    if "default" not in schema:
        return ""
    return f", default {shown(schema['default'])}"


def _kind(schema: dict[str, Any]) -> str:
    """A schema's type in a word: `string`, `string or null`, `list of integer`, `a | b` for few allowed values."""

    values, kind = schema.get("enum"), schema.get("type")
    if type(values) is list and values:
        return " | ".join(str(value)[:30] for value in values[:20]) + (" | …" if len(values) > 20 else "")
    if kind == "array":
        items = schema.get("items")
        if type(items) is dict and items.get("type") != "array":
            return f"list of {_kind(items)}"
        return "list"
    options = _options(schema)
    if kind is None and options:
        return " or ".join(dict.fromkeys(map(_kind, options)))
    return " or ".join(map(str, kind)) if type(kind) is list else str(kind or "any")


def _deliver(imported: Imported, out: Path | None) -> None:
    """Lists to the file or to standard output, words about them to standard error."""
    import msgspec

    from toolgauge.tools.toollist import write_tool_lists

    for note in imported.notes[:SHOWN]:
        echo(f"Note: {note}", err=True)
    if len(imported.notes) > SHOWN:
        echo(f"not shown: {len(imported.notes) - SHOWN:,} more", err=True)
    if out is not None:
        write_tool_lists(out, imported.lists)
        echo(
            f"{out} (lists: {len(imported.lists)}, tools: {imported.tools})",
            err=True,
        )
        return
    with content() as file:
        for tool_list in imported.lists:
            file.write(msgspec.json.encode(tool_list.wire()) + b"\n")


def _plain(text: str, limit: int = 500) -> str:
    """Somebody's words on a terminal: one line of bounded length, nothing that moves the cursor."""
    from toolgauge.tools.texts import tidy

    return " ".join(tidy(text, limit).split())


app.command("trial", cls=RunCommand)(trial)
