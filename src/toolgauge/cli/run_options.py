"""The options that say what a benchmark's model is asked, as `run` and `verify` take them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple, TypedDict

import typer

from toolgauge.cli.output import Corrections

Offline = Annotated[bool, typer.Option("--offline", help="Never fetch data.")]
Batch = Annotated[
    bool, typer.Option("--batch", help="Ask through the provider's batch API: half the price, hours to wait.")
]


class _DataKeywords(TypedDict):
    language: str
    data: Path | None
    corrections: str | None


class _SelectionKeywords(TypedDict):
    limit: int | None
    ids: tuple[str, ...]


class _UserKeywords(TypedDict):
    user_model: str | None
    user_base_url: str | None
    user_max_tokens: int | None
    user_timeout: float | None


class DataFlags(NamedTuple):
    """Which data."""

    language: Annotated[str, typer.Option(help="en or zh.")] = "en"
    data: Annotated[
        Path | None,
        typer.Option(help="Data of your own, as the benchmark has them: a file or a folder (default: fetched once)."),
    ] = None
    corrections: Corrections = None

    def keywords(self) -> _DataKeywords:
        """As keyword arguments of `RunOptions`."""
        return {"language": self.language, "data": self.data, "corrections": self.corrections}


class SelectionFlags(NamedTuple):
    """Which part of them."""

    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the first N sessions (of each category, if there are any)."),
    ] = None
    ids: Annotated[str, typer.Option(help="Only these sessions or tasks, separated by commas: mini_3, mini_5/2.")] = ""

    def keywords(self) -> _SelectionKeywords:
        """As keyword arguments of `RunOptions`."""
        return {"limit": self.limit, "ids": tuple(part.strip() for part in self.ids.split(",") if part.strip())}


class UserFlags(NamedTuple):
    """Who simulates the user."""

    user_model: Annotated[
        str | None,
        typer.Option(
            help="Who plays the user where one is simulated (default: openai/gpt-4o, a script for built-in models)."
        ),
    ] = None
    user_base_url: Annotated[
        str | None, typer.Option(help="Where that model is served, if it is a server of your own.")
    ] = None
    user_max_tokens: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Most tokens of one reply of the simulated user.")
    ] = None
    user_timeout: Annotated[
        float | None,
        typer.Option(min=0.1, metavar="SECONDS", help="Seconds for one request to that model (default: --timeout)."),
    ] = None

    def keywords(self) -> _UserKeywords:
        """As keyword arguments of `RunOptions`."""
        return {
            "user_model": self.user_model,
            "user_base_url": self.user_base_url,
            "user_max_tokens": self.user_max_tokens,
            "user_timeout": self.user_timeout,
        }
