"""The command line: its verbs, of which only the one that is used is loaded (a third of the time of loading all), and
what the console script does: parse, call, print. One module per verb, each thin.

Errors are one or two lines, never a traceback.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from importlib import import_module
from threading import Thread
from typing import Annotated, Any, NamedTuple, cast

import typer
from typer.core import TyperGroup

from toolgauge.cli.terminal import close_errors, echo, guard
from toolgauge.errors import ToolgaugeError
from toolgauge.signals import EndedInOrder, end_like_ctrl_c, exit_code
from toolgauge.version import __version__
from toolgauge.visible import visible


class Verb(NamedTuple):
    """module: of this room, with the function of the verb's name (and the class of its COMMAND, if typer's own will not
    do), or the `app` of the verbs below it; summary: its line in the list of verbs."""

    module: str
    summary: str


VERBS = {
    "run": Verb("run", "Run a benchmark on a model or an agent; the same command continues."),
    "try": Verb("trying", "Try a GGUF file or a server in ten minutes: probe, tasks, a verdict, a site."),
    "score": Verb("score", "Score a run again, or result files of the original projects; print tables."),
    "judge": Verb("judge", "Have a model judge recorded conversations: runs, imported logs."),
    "analyse": Verb("analyse", "Show the main failure causes of runs, and examples to open."),
    "compare": Verb("compare", "Compare runs with the first one, task by task."),
    "gate": Verb("gate", "Decide whether a run is good enough (exit code)."),
    "verify": Verb("verify", "Decide whether an endpoint serves the same model (exit code)."),
    "report": Verb("report", "Make a web site of runs."),
    "view": Verb("report", "Look at runs in the browser."),
    "export": Verb("export", "Write a run as tables, training data, a summary, pictures, or to be published."),
    "review": Verb("review", "Review sessions in a browser."),
    "probe": Verb("probe", "Ask an endpoint one question with one tool."),
    "models": Verb("models", "List providers and built-in models, and which have a key here."),
    "serve": Verb("serve", "Serve a model on this machine, set up for tool calls."),
    "generate": Verb("generate", "Make dialogues with tool calls; the same command continues."),
    "data": Verb("data", "Data sets: list, fetch, check, describe, correct, import."),
    "tools": Verb("tools", "Tool lists: import, list, show, check, try changes."),
    "agents": Verb("agents", "Agents under test: a session's tools over MCP."),
}

ASKING = {"run", "generate", "judge", "probe", "try"}
"""Verbs that ask endpoints. The HTTP client reads the machine's certificates when it is imported: 0.1 s in C, beside
the other imports."""


def verbs_for(arguments: Sequence[str]) -> Collection[str]:
    """The verb that a command line uses; none where only the list of verbs is needed."""
    first = next((argument for argument in arguments if argument == "--help" or not argument.startswith("-")), None)
    return (first,) if first in VERBS else ()


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


def program(loaded: Collection[str]) -> typer.Typer:
    """The command line. loaded: the verbs that can be used; the others stand in the list only."""
    app = typer.Typer(
        name="toolgauge",
        cls=VisibleGroup,
        help="Measure how well language models use tools when people talk to them the way people do.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(options)
    if ASKING & set(loaded):
        Thread(target=import_module, args=("aiohttp",), daemon=True).start()
    for name, verb in VERBS.items():
        module = import_module(f"toolgauge.cli.{verb.module}") if name in loaded else None
        if below := getattr(module, "app", None):
            app.add_typer(below, name=name, short_help=verb.summary)
        elif module:
            command = getattr(module, name, None) or module.main  # "try" is a word of Python's
            app.command(name, cls=getattr(module, "COMMAND", None), short_help=verb.summary)(command)
        else:
            app.command(name, short_help=verb.summary)(_listed)
    return app


def _listed() -> None:
    """A verb that is not loaded."""


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


TYPERS_INTERRUPT = 130
"""What typer exits with after Ctrl-C."""


def main(app: typer.Typer | None = None) -> None:
    """Do what the command line asks. app: its verb, if that is loaded already.

    Exit codes: 0 done, 1 something in the work failed, 2 wrong usage or unusable input, 130 ended by Ctrl-C (SIGINT),
    143 by SIGTERM, 129 by SIGHUP.
    """
    guard()
    end_like_ctrl_c()
    debug = "--debug" in sys.argv[1:]
    try:
        (app or program(verbs_for(sys.argv[1:])))()
    except ToolgaugeError as error:
        if debug:
            raise
        _complain(error.text, error.exit_code)
    except SystemExit as end:
        if end.code != TYPERS_INTERRUPT or isinstance(end, EndedInOrder):
            raise
        _complain("interrupted; the same command continues", exit_code())
    except KeyboardInterrupt:
        _complain("interrupted; the same command continues", exit_code())
    except BrokenPipeError:
        close_errors()  # the reader of our output went away: nothing to say to nobody
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        from toolgauge.benchmarks.registry import blamed

        if problem := blamed(error):
            _complain(problem.text, 1)
        kind = type(error).__name__
        _complain(f"unexpected {kind}: {error}; `toolgauge --debug ...` shows where", 1)


def _complain(message: str, exit_code: int) -> None:
    echo(f"toolgauge: {message}", err=True)
    sys.exit(exit_code)
