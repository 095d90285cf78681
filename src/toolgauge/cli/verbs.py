"""The verbs of the command line. Only the one that is used is loaded: it takes a third of the time of loading all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any, cast

import typer
from typer.core import TyperGroup

from toolgauge.cli.terminal import echo
from toolgauge.version import __version__
from toolgauge.visible import visible

VERBS = {
    "run": "run",
    "score": "score",
    "analyse": "analyse",
    "compare": "compare",
    "gate": "gate",
    "verify": "verify",
    "report": "report",
    "view": "report",
    "export": "export",
    "review": "review",
    "probe": "probe",
    "models": "models",
    "serve": "serve",
    "generate": "generate",
    "data": "data",
    "tools": "tools",
    "agents": "agents",
}
"""Verb -> the module of this room that holds the function of its name (and the class of its COMMAND, if typer's own
will not do), or the `app` of the verbs below it."""


def verbs_for(arguments: Sequence[str]) -> Iterable[str]:
    """The verb that a command line uses; all of them where help or a complaint may list them."""
    first = next((one for one in arguments if one == "--help" or not one.startswith("-")), None)
    return (first,) if first in VERBS else VERBS


USAGE_ERROR = cast(type[Exception], typer.BadParameter.__base__)
"""Wrong usage of the command line; typer has no public name for it."""


class VisibleGroup(TyperGroup):
    """The root of the commands. What was typed may be the name of a stranger's file: complaints show it harmlessly."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().make_context(*args, **kwargs)
        except USAGE_ERROR as error:
            raise _visible(error) from None

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except USAGE_ERROR as error:
            raise _visible(error) from None


def _visible(error: Any) -> Exception:
    message = visible(error.format_message(), "\n")
    error.format_message = lambda: message
    complaint: Exception = error
    return complaint


def program(verbs: Iterable[str]) -> typer.Typer:
    """The command line with these verbs."""
    app = typer.Typer(
        name="toolgauge",
        cls=VisibleGroup,
        help="Measure how well language models use tools when people talk to them the way people do.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(options)
    for verb in verbs:
        module = import_module(f"toolgauge.cli.{VERBS[verb]}")
        if below := getattr(module, "app", None):
            app.add_typer(below, name=verb)
        else:
            app.command(verb, cls=getattr(module, "COMMAND", None))(getattr(module, verb))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(f"toolgauge {__version__}")
        raise typer.Exit


def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    _debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """What holds for every verb."""
