"""What the console script does: parse, call, print; one module per verb, each thin.

Errors are one or two lines, never a traceback; they are raised in English and told in the interface's language.
"""

from __future__ import annotations

import sys

import typer

from toolgauge.cli.terminal import close_errors, echo, guard
from toolgauge.cli.verbs import program, verbs_for
from toolgauge.errors import ToolgaugeError
from toolgauge.signals import EndedInOrder, end_like_ctrl_c, exit_code

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

        if told := blamed(error):
            _complain(told.text, 1)
        kind = type(error).__name__
        _complain(f"unexpected {kind}: {error}; `toolgauge --debug ...` shows where", 1)


def _complain(message: str, exit_code: int) -> None:
    echo(f"toolgauge: {message}", err=True)
    sys.exit(exit_code)
