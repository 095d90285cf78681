"""The command line: one module per verb, each thin: parse, call, print.

Errors are one or two lines, never a traceback; they are raised in English and told in the interface's language.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from toolgauge.cli import (
    agents,
    analyse,
    benchmark_options,
    compare,
    data,
    export,
    gate,
    generate,
    models,
    probe,
    report,
    rescue,
    review,
    run,
    score,
    serve,
    tools,
    trial,
    verify,
)
from toolgauge.cli.help import LocalGroup
from toolgauge.cli.language import local
from toolgauge.cli.terminal import close_errors, echo, guard
from toolgauge.errors import ToolgaugeError
from toolgauge.locale import Text, _
from toolgauge.locale.foreign import cause
from toolgauge.signals import EndedInOrder, end_like_ctrl_c, exit_code
from toolgauge.version import __version__

TYPERS_INTERRUPT = 130
"""What typer exits with after Ctrl-C."""

app = typer.Typer(
    name="toolgauge",
    cls=LocalGroup,
    help="Measure how well language models use tools when people talk to them the way people do.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("run", cls=benchmark_options.RunCommand)(run.run)
app.command("score")(score.score)
app.command("analyse")(analyse.analyse)
app.command("compare")(compare.compare)
app.command("gate")(gate.gate)
tools.app.command("trial", cls=benchmark_options.RunCommand)(trial.trial)
app.command("verify", cls=benchmark_options.RunCommand)(verify.verify)
app.command("report")(report.report)
app.command("view")(report.view)
app.command("export")(export.export)
app.command("review")(review.review)
generate.app.command("rescue")(rescue.rescue)
app.add_typer(generate.app, name="generate")
app.command("probe")(probe.probe)
app.command("models")(models.models)
app.command("serve")(serve.serve)
app.add_typer(data.app, name="data")
app.add_typer(tools.app, name="tools")
app.add_typer(agents.app, name="agents")


def _show_version(wanted: bool) -> None:
    if wanted:
        echo(f"toolgauge {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
    _debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """What holds for every verb."""


def main() -> None:
    """What the console script does.

    Exit codes: 0 done, 1 something in the work failed, 2 wrong usage or unusable input, 130 ended by Ctrl-C (SIGINT),
    143 by SIGTERM, 129 by SIGHUP.
    """
    guard()
    end_like_ctrl_c()
    debug = "--debug" in sys.argv[1:]
    try:
        app()
    except ToolgaugeError as error:
        if debug:
            raise
        _complain(error.text, error.exit_code)
    except SystemExit as end:
        if end.code != TYPERS_INTERRUPT or isinstance(end, EndedInOrder):
            raise
        _complain(_("interrupted; the same command goes on where it was"), exit_code())
    except KeyboardInterrupt:
        _complain(_("interrupted; the same command goes on where it was"), exit_code())
    except BrokenPipeError:
        close_errors()  # the reader of our output went away: nothing to say to nobody
        sys.exit(1)
    except Exception as error:
        if debug:
            raise
        kind = type(error).__name__
        _complain(_("unexpected {kind}: {why}; `toolgauge --debug ...` shows where", kind=kind, why=cause(error)), 1)


def _complain(message: Text, exit_code: int) -> None:
    echo(f"toolgauge: {local(message)}", err=True)
    sys.exit(exit_code)
