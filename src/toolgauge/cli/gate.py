"""`toolgauge gate RUN`: a decision, with an exit code for scripts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.output import Data, Json, Overwrite, require_free, tell, write_json
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.analysis.gate import Gate
    from toolgauge.report.exports.junit import Case

JUnit = Annotated[Path | None, typer.Option("--junit", help="Also write a JUnit report to this file.")]
Undecided = Annotated[
    bool, typer.Option("--pass-undecided", help="Exit with 0 also where the tasks are too few to decide.")
]


def gate(
    run: Annotated[Path, typer.Argument(help="A run directory.")],
    minimum: Annotated[
        list[str] | None,
        typer.Option("--min", "--minimum", metavar="RATE=SHARE", help="At least: task_accuracy=0.6. May be repeated."),
    ] = None,
    baseline: Annotated[Path | None, typer.Option(help="A run on the same tasks, for --max-drop.")] = None,
    max_drop: Annotated[
        list[str] | None,
        typer.Option(metavar="[RATE=]SHARE", help="At most so far below the baseline: 0.02. May be repeated."),
    ] = None,
    max_truncated: Annotated[
        float | None, typer.Option(metavar="SHARE", help="At most so many replies cut off by the token limit.")
    ] = None,
    max_unscored: Annotated[float, typer.Option(metavar="SHARE", help="At most so many tasks without a score.")] = 0.01,
    scoring: Annotated[str | None, typer.Option(help="Which scoring decides (default: the published one).")] = None,
    data: Data = None,
    pass_undecided: Undecided = False,
    junit: JUnit = None,
    json: Json = None,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge gate runs/new --min task_accuracy=0.6
    toolgauge gate runs/new --baseline runs/main --max-drop 0.02 --junit gate.xml

    Decide whether a run is good enough: exit code 0 if everything asked for holds, 1 if not.

    A rate holds where its whole confidence interval is on the good side, a drop where that of the paired difference is.
    """
    import msgspec

    from toolgauge.analysis.gate import Criteria, gate_lines
    from toolgauge.api import gate as decide
    from toolgauge.files import write_whole
    from toolgauge.report.exports.junit import junit as junit_xml

    criteria = Criteria(_shares(minimum, "minimum"), _shares(max_drop, "max_drop", ""), max_truncated, max_unscored)
    decision = decide(run, criteria, baseline=baseline, scoring=scoring, data=data, tell=tell)
    runs = [run] if baseline is None else [run, baseline]
    if json is not None:
        write_json(json, msgspec.json.encode(decision), runs, overwrite)
    if junit is not None:
        require_free(junit, overwrite, runs)
        write_whole(junit, junit_xml(str(run), _cases(decision, pass_undecided)))
    for line in gate_lines(decision):
        echo(line)
    end(decision.outcome.value, pass_undecided)


def _shares(texts: Iterable[str] | None, field: str, default: str | None = None) -> dict[str, float]:
    """RATE=SHARE of the command line. default: the rate of a bare number; None where there has to be a name."""
    shares: dict[str, float] = {}
    for text in texts or ():
        name, sign, number = text.rpartition("=")
        try:
            if not sign and default is None:
                raise ValueError
            shares[name] = float(number)
        except ValueError:
            raise UsageError(
                f"--{field.replace('_', '-')}: {text!r} must be RATE=SHARE, as in task_accuracy=0.6"
            ) from None
    return shares


def _cases(gate: Gate, pass_undecided: bool) -> list[Case]:
    """The decisions for a report, English as all files are."""
    from toolgauge.analysis.decide import Outcome
    from toolgauge.analysis.gate import decision_text
    from toolgauge.report.exports.junit import Case

    failing = {Outcome.FAILS} if pass_undecided else {Outcome.FAILS, Outcome.UNDECIDED}
    return [
        Case(decision.name, decision_text(decision), decision.outcome in failing, decision.outcome is Outcome.UNDECIDED)
        for decision in gate.decisions
    ]


def end(outcome: str, pass_undecided: bool) -> None:
    """Exit with 1 where the answer is no, or not known."""
    if outcome == "fails" or (outcome == "undecided" and not pass_undecided):
        raise typer.Exit(1)
