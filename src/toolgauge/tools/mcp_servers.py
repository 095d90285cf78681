"""Tool lists from an MCP server, over stdio or streamable HTTP, with the official SDK (extra `mcp`).

The server is asked for its tools and nothing else: none is ever called. A started server gets a handful of environment
variables (PATH, HOME and the like) and those that the user names. It has `timeout` seconds in all, which also bounds
what it can make this process read; pages, tools and bytes are bounded besides.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct

from toolgauge.chat import Json, Tool, ToolFacts, ToolHints
from toolgauge.data.record import shown
from toolgauge.data.toolnames import legal_names
from toolgauge.errors import DataError, MissingExtra, ServerError, ToolgaugeError, UsageError, os_cause
from toolgauge.models.providers import LONG_SECRET, masked
from toolgauge.tools.budget import Budget, OverBudget
from toolgauge.tools.feeding import together
from toolgauge.tools.inlining import RESULT, Inliner
from toolgauge.tools.merging import flattened
from toolgauge.tools.openapi import Imported, slug
from toolgauge.tools.references import SourceDocument
from toolgauge.tools.splitting import resource_route, split
from toolgauge.tools.texts import calls_itself_deprecated, language_of, tidy, unmarked
from toolgauge.tools.toollist import ToolList

if TYPE_CHECKING:
    from mcp.client import Transport
    from mcp.types import Tool as Offered

TIMEOUT = 60.0
"""Seconds that a server has for everything."""
MAX_PAGES, MAX_TOOLS, MAX_SIZE = 200, 2000, 32 << 20
"""Pages of the list, tools, and bytes: of all definitions, and of what arrives over HTTP."""
MAX_TEXT = 2000
"""Characters of a tool's description."""


class Server(Struct, frozen=True):
    """Where a server is: a command to start, or a URL.

    variables: names of environment variables that the command gets too; token: name of the variable with the bearer
    token for the URL. Their values are in no message, log or file, even where the server repeats them.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    variables: tuple[str, ...] = ()
    token: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Secrets given to the server: values of variables and of the URL."""
        values = [os.environ.get(name, "").strip() for name in (*self.variables, self.token) if name]
        values += [value for _, value in parse_qsl(urlsplit(self.url).query)]
        return tuple(value for value in values if len(value) > 3)

    @property
    def name(self) -> str:
        """How messages call it: without arguments and without what a URL may hold in secret."""
        if self.command:
            return tidy(self.command[0], 80)
        return tidy(self.url.partition("?")[0], 120)


def import_mcp(
    server: Server, timeout: float = TIMEOUT, include: Sequence[str] = (), exclude: Sequence[str] = ()
) -> Imported:
    """The tools of a server in lists of 3 to 9 that belong together.

    timeout: seconds. include, exclude: patterns of names (`list_*`); without the former all are wanted. Raises
    UsageError if the SDK, the command or a variable is missing or no tool is wanted, ServerError for its failures.
    """
    if find_spec("mcp") is None:
        raise MissingExtra("importing from an MCP server", "mcp", "mcp")
    if bool(server.command) == bool(server.url):
        raise UsageError("give either --url or a command after `--`")
    if "@" in server.url.partition("?")[0]:
        raise UsageError(
            "--url must not contain a login; set an environment variable to the token and give --token-env NAME"
        )
    import anyio

    from toolgauge.tools.stderr_tail import StderrTail

    with _quiet(), StderrTail(server.secrets) as tail:
        try:
            title, tools = anyio.run(_ask, server, timeout, tail.file)
        except Exception as error:
            raise _explained(error, server, timeout, tail) from error
    return _imported(server, title, _wanted(server, tools, include, exclude))


async def _ask(server: Server, seconds: float, errors: object) -> tuple[str, list[Offered]]:
    """What the server calls itself, and its tools."""
    import anyio
    from mcp import Client

    with anyio.fail_after(seconds):
        async with Client(_transport(server, seconds, errors), read_timeout_seconds=seconds) as client:
            info = client.server_info
            return tidy(info.title or info.name, 80) if info else "", await _all_tools(client, server)


async def _all_tools(client: Any, server: Server) -> list[Offered]:
    tools: list[Offered] = []
    cursor, seen, size = None, set(), 0
    for _page in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        size += sum(len(tool.model_dump_json()) for tool in page.tools)
        if len(tools) > MAX_TOOLS or size > MAX_SIZE:
            raise ServerError(f"{server.name}: more than {MAX_TOOLS:,} tools or {MAX_SIZE >> 20} MB of definitions")
        cursor = page.next_cursor
        if cursor is None:
            return [_without_secrets(tool, server) for tool in tools]
        if cursor in seen:
            raise ServerError(f"{server.name}: the pages of its tool list repeat")
        seen.add(cursor)
    raise ServerError(f"{server.name}: its tool list has more than {MAX_PAGES} pages")


def _without_secrets(tool: Offered, server: Server) -> Offered:
    """A definition without the server's secrets: it becomes part of a file."""
    secrets = [one for one in server.secrets if len(one) >= LONG_SECRET]
    written = tool.model_dump_json() if secrets else ""
    hidden = masked(written, secrets)
    return tool if hidden == written else type(tool).model_validate_json(hidden)


def _transport(server: Server, timeout: float, errors: Any) -> Transport:
    from mcp import StdioServerParameters, stdio_client

    if server.url:
        return _over_http(server, timeout)
    extra = {name: _variable(name) for name in server.variables}
    return stdio_client(
        StdioServerParameters(command=server.command[0], args=list(server.command[1:]), env=extra), errors
    )


@asynccontextmanager
async def _over_http(server: Server, seconds: float) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from toolgauge.tools.bounded_http import BoundedTransport

    headers = {"Accept-Encoding": "identity"}
    if server.token:
        headers["Authorization"] = f"Bearer {_sendable(server.token)}"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=seconds, transport=BoundedTransport(MAX_SIZE)) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=MAX_SIZE) as streams,
    ):
        yield streams


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise UsageError(f"environment variable {name} is not set")
    return value


def _sendable(name: str) -> str:
    """A variable's value for a header."""
    value = _variable(name).strip()
    if not (value.isascii() and value.isprintable()):
        raise UsageError(f"environment variable {name} contains characters that cannot be sent; copy it again")
    return value


def _wanted(server: Server, offered: list[Offered], include: Sequence[str], exclude: Sequence[str]) -> list[Offered]:
    if not offered:
        raise ServerError(f"{server.name}: no tools")
    wanted = [
        tool
        for tool in offered
        if (not include or any(fnmatchcase(tool.name, pattern) for pattern in include))
        and not any(fnmatchcase(tool.name, pattern) for pattern in exclude)
    ]
    if not wanted:
        raise UsageError(f"{server.name}: no tool selected (of {len(offered)}); check --include and --exclude")
    return wanted


def _imported(server: Server, title: str, offered: list[Offered]) -> Imported:
    title = title or server.name
    names = legal_names([tool.name for tool in offered])
    budget = Budget()
    inliners = [Inliner(SourceDocument(tool.input_schema, server.name), budget) for tool in offered]
    try:
        tools = [_tool(tool, name, inliner) for tool, name, inliner in zip(offered, names, inliners, strict=True)]
        for tool in tools:
            budget.made(tool)
        tools = [tool.noting(_facts(one, tool, budget)) for one, tool in zip(offered, tools, strict=True)]
    except DataError as error:
        raise ServerError(error.text) from error
    except OverBudget as error:
        raise ServerError(": ".join([server.name, error.text])) from error
    notes = [": ".join([tool.name, note]) for tool, one in zip(tools, inliners, strict=True) for note in one.notes]
    notes += [
        f"renamed {shown(tool.name)} to {name}: APIs reject such names"
        for tool, name in zip(offered, names, strict=True)
        if tool.name != name
    ]
    if old := [tool.name for tool in tools if tool.facts and tool.facts.deprecated]:
        notes.append(f"deprecated: {', '.join(old[:10])}{', ...' if len(old) > 10 else ''}; --exclude leaves tools out")
    groups = together(split(tools, lambda tool: resource_route(tool.name)), lambda tool: tool)
    key = slug(title) or "mcp"
    lists = tuple(
        ToolList(
            f"{key}-{number}",
            tuple(group),
            name=title if len(groups) == 1 else f"{title} ({number})",
            category=title,
            language=language_of(" ".join(tool.description for tool in group)),
        )
        for number, group in enumerate(groups, 1)
    )
    return Imported(lists, tuple(notes))


def _tool(offered: Offered, name: str, inliner: Inliner) -> Tool:
    """The tool with a schema that is an object without references and without alternatives at its top."""
    schema = flattened(inliner.inline(offered.input_schema, name))
    text = offered.description or offered.title or ""
    return Tool(name, tidy(text, MAX_TEXT), {**schema, "type": "object", "properties": schema.get("properties", {})})


def _facts(offered: Offered, tool: Tool, budget: Budget) -> ToolFacts:
    """What the server says of a tool besides; a description of results that cannot be understood is left out."""
    schema: Json = {}
    if offered.output_schema:
        with suppress(DataError):
            source = SourceDocument(offered.output_schema, tool.name)
            schema = Inliner(source, budget, RESULT).inline(offered.output_schema, tool.name)
    said = offered.annotations
    hints = ToolHints(said.read_only_hint, said.destructive_hint, said.idempotent_hint) if said else ToolHints()
    deprecated = calls_itself_deprecated(f"{offered.title or ''}\n{tool.description}")
    return ToolFacts(schema or None, hints if hints != ToolHints() else None, deprecated)


def _explained(error: BaseException, server: Server, timeout: float, tail: Any) -> ToolgaugeError:
    """One line for whatever went wrong between us and the server."""
    first = _first(error)
    if isinstance(first, ToolgaugeError):
        return first
    if isinstance(first, FileNotFoundError | PermissionError) and server.command:
        return UsageError(f"cannot start {server.name}: {os_cause(first)}")
    if isinstance(first, TimeoutError):
        what = f"no tool list within {timeout:g} s; raise --timeout"
        return ServerError(": ".join([server.name, tail.after(what)]))
    words = unmarked(masked(str(first), server.secrets), 200)
    what = f"MCP error: {type(first).__name__}: {words}"
    if str(first) == "Connection closed":
        what = "exited before listing its tools"
    if type(first).__name__ in ("ConnectError", "ConnectTimeout"):
        what = "cannot connect; check the URL and that the server is running"
    return ServerError(": ".join([server.name, tail.after(what)]))


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps the SDK's log of a bad server off the terminal: our error reports it."""
    loggers = [logging.getLogger(name) for name in ("mcp", "client", "httpx2", "asyncio")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
