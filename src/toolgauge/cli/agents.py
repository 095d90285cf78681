"""`toolgauge agents ...`: what agents under test may need."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

app = typer.Typer(help="Agents under test: a session's tools over MCP.", no_args_is_help=True)


@app.command("mcp")
def mcp(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="Where the conversation's tools are: http://...")],
) -> None:
    """Be an MCP server over stdio with the tools of a conversation, for agents that start their servers."""
    from toolgauge.agents.bridge import Bridge

    Bridge(address, sys.stdout.fileno()).carry(sys.stdin.buffer)
