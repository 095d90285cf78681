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
from toolgauge.tools.grouping import resource_route, split, together
from toolgauge.tools.schemas import Budget, Inliner, OverBudget, SourceDocument, flattened
from toolgauge.tools.texts import StderrTail, calls_itself_deprecated, language_of, tidy, unmarked
from toolgauge.tools.toollist import Imported, ToolList, slug

if TYPE_CHECKING:
    from mcp.client import Transport
    from mcp.types import Tool as Offered

TIMEOUT = 60.0
"""Seconds that a server has for everything."""
MAX_PAGES, MAX_TOOLS, MAX_SIZE = 200, 2000, 32 << 20
"""Pages of the list, tools, and bytes: of all definitions, and of what arrives over HTTP."""
WHOLE = 20
"""Tools of a server that are one list, as those who use it have them: what reads a file stays beside what lists it."""
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
    """The tools of a server, up to WHOLE in one list, more in lists of 3 to 9 that belong together.

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
    cursor, size = None, 0
    for _page in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += page.tools
        size += sum(len(tool.model_dump_json()) for tool in page.tools)
        if len(tools) > MAX_TOOLS or size > MAX_SIZE:
            raise ServerError(f"{server.name}: more than {MAX_TOOLS:,} tools or {MAX_SIZE >> 20} MB of definitions")
        cursor = page.next_cursor
        if cursor is None:
            return [_without_secrets(tool, server) for tool in tools]
    raise ServerError(f"{server.name}: its tool list has more than {MAX_PAGES} pages")


def _without_secrets(tool: Offered, server: Server) -> Offered:
    """A definition without the server's secrets: it becomes part of a file."""
    secrets = [secret for secret in server.secrets if len(secret) >= LONG_SECRET]
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
    """Over streamable HTTP; at most MAX_SIZE bytes arrive in all, none of them compressed."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    left, host = MAX_SIZE, urlsplit(server.url).hostname

    class Counted(httpx2.AsyncByteStream):
        def __init__(self, stream: httpx2.AsyncByteStream) -> None:
            self.stream, self.aclose = stream, stream.aclose  # type: ignore[method-assign]

        async def __aiter__(self) -> AsyncIterator[bytes]:
            nonlocal left
            async for chunk in self.stream:
                left -= len(chunk)
                if left < 0:
                    raise ServerError(f"{host}: response larger than {MAX_SIZE >> 20} MB")
                yield chunk

    async def bounded(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ServerError(f"{host}: compressed responses are not supported")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = Counted(response.stream)

    headers = {"Accept-Encoding": "identity"}
    if server.token:
        token = _variable(server.token).strip()
        if not (token.isascii() and token.isprintable()):
            raise UsageError(
                f"environment variable {server.token} contains characters that cannot be sent; copy it again"
            )
        headers["Authorization"] = f"Bearer {token}"
    async with (
        httpx2.AsyncClient(headers=headers, timeout=seconds, event_hooks={"response": [bounded]}) as client,
        streamable_http_client(server.url, http_client=client, max_sse_event_size=MAX_SIZE) as streams,
    ):
        yield streams


def _variable(name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise UsageError(f"environment variable {name} is not set")
    return value


def _wanted(server: Server, offered: list[Offered], include: Sequence[str], exclude: Sequence[str]) -> list[Offered]:
    if not offered:
        raise ServerError(f"{server.name}: no tools")
    tools = [
        tool
        for tool in offered
        if any(fnmatchcase(tool.name, pattern) for pattern in include or ("*",))
        and not any(fnmatchcase(tool.name, pattern) for pattern in exclude)
    ]
    if not tools:
        raise UsageError(f"{server.name}: no tool selected (of {len(offered)}); check --include and --exclude")
    return tools


def _imported(server: Server, title: str, offered: list[Offered]) -> Imported:
    title = title or server.name
    budget = Budget()
    tools: list[Tool] = []
    notes: list[str] = []
    renamed: list[str] = []
    try:
        for tool, name in zip(offered, legal_names([tool.name for tool in offered]), strict=True):
            inliner = Inliner(SourceDocument(tool.input_schema, server.name), budget)
            tools.append(_tool(tool, name, inliner, budget))
            budget.add(tools[-1])
            notes += [f"{name}: {note}" for note in inliner.take_notes()]
            if name != tool.name:
                renamed.append(f"renamed {shown(tool.name)} to {name}: APIs reject such names")
    except DataError as error:
        raise ServerError(error.text) from error
    except OverBudget as error:
        raise ServerError(f"{server.name}: {error}") from error
    if old := [tool.name for tool in tools if tool.facts and tool.facts.deprecated]:
        renamed.append(
            f"deprecated: {', '.join(old[:10])}{', ...' if len(old) > 10 else ''}; --exclude leaves tools out"
        )
    groups = [tools]
    if len(tools) > WHOLE:
        groups = together(split(tools, lambda tool: resource_route(tool.name)), lambda tool: tool)
    key = slug(title) or "mcp"
    lists = [
        ToolList(
            f"{key}-{number}",
            tuple(group),
            name=title if len(groups) == 1 else f"{title} ({number})",
            category=title,
            language=language_of(" ".join(tool.description for tool in group)),
        )
        for number, group in enumerate(groups, 1)
    ]
    return Imported(tuple(lists), (*notes, *renamed))


def _tool(offered: Offered, name: str, inliner: Inliner, budget: Budget) -> Tool:
    """The tool with a schema that is an object without references and without alternatives at its top, and what the
    server says of it besides; a description of results that cannot be understood is left out."""
    schema = flattened(inliner.inline(offered.input_schema, name))
    text = tidy(offered.description or offered.title or "", MAX_TEXT)
    tool = Tool(name, text, {**schema, "type": "object", "properties": schema.get("properties", {})})
    result: Json = {}
    if offered.output_schema:
        with suppress(DataError):
            source = SourceDocument(offered.output_schema, name)
            result = Inliner(source, budget, is_result=True).inline(offered.output_schema, name)
    annotations = offered.annotations
    hints = (
        ToolHints(annotations.read_only_hint, annotations.destructive_hint, annotations.idempotent_hint)
        if annotations
        else ToolHints()
    )
    deprecated = calls_itself_deprecated(f"{offered.title or ''}\n{text}")
    return tool.noting(ToolFacts(result or None, hints if hints != ToolHints() else None, deprecated))


def _explained(error: BaseException, server: Server, timeout: float, tail: StderrTail) -> ToolgaugeError:
    """One line for whatever went wrong between us and the server."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, ToolgaugeError):
        return error
    if isinstance(error, FileNotFoundError | PermissionError) and server.command:
        return UsageError(f"cannot start {server.name}: {os_cause(error)}")
    what = f"MCP error: {type(error).__name__}: {unmarked(masked(str(error), server.secrets), 200)}"
    if isinstance(error, TimeoutError):
        what = f"no tool list within {timeout:g} s; raise --timeout"
    elif str(error) == "Connection closed":
        what = "exited before listing its tools"
    elif type(error).__name__ in ("ConnectError", "ConnectTimeout"):
        what = "cannot connect; check the URL and that the server is running"
    return ServerError(f"{server.name}: {tail.after(what)}")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps the SDK's log of a bad server off the terminal: our error reports it."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
