"""`toolgauge data import FILE... --out DIR`: logs of conversations as sessions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.output import Overwrite
from toolgauge.cli.terminal import echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.data.record import Problem
    from toolgauge.logs.importing import ImportOptions, ImportReport

SHOWN = 20
"""Problems that are printed."""


def import_logs(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Log files.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for sessions.jsonl and what belongs to it.")],
    log_format: Annotated[
        str,
        typer.Option(
            "--from", metavar="FORMAT", help="The format, if it is not recognised: openai, otel, jsonl-map ..."
        ),
    ] = "auto",
    tools: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Tools that the log does not define: tool lists, OpenAPI, MCP's list."),
    ] = None,
    redact: Annotated[bool, typer.Option("--redact", help="Replace personal data and keys, consistently.")] = False,
    redact_names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also replace these names and /patterns/, one a line; implies --redact."),
    ] = None,
    mapping: Annotated[
        Path | None, typer.Option("--map", metavar="FILE", help="jsonl-map: where things are in the log, TOML or JSON.")
    ] = None,
    language: Annotated[str, typer.Option(help="en, zh, or auto: what the user of each conversation writes.")] = "auto",
    limit: Annotated[int, typer.Option(min=0, help="Conversations at most (0: all).")] = 0,
    splits: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A corrected splits.jsonl: which messages of the user begin a task."),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL[@URL]", help="Ask this model where tasks begin, and annotate and judge them by its verdicts."
        ),
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge data import chats.jsonl --out imported
    toolgauge data import traces.jsonl --out imported --redact --tools tools.jsonl

    Make sessions of logged conversations: unreviewed, ready for `toolgauge review`. The format is recognised.

    Exit code 0: everything was read; 1: some of it was left out, and is named; 2: it cannot be used at all.
    """
    from toolgauge.files import require_apart
    from toolgauge.logs.definitions import read_offered
    from toolgauge.logs.detectors import NOTHING, read_wanted
    from toolgauge.logs.formats.table import AUTO, read_files
    from toolgauge.logs.importing import FILES, ImportOptions
    from toolgauge.logs.importing import import_logs as run
    from toolgauge.logs.redaction import Redactor
    from toolgauge.logs.tasks import read_splits

    if language not in ("en", "zh", "auto"):
        raise UsageError(f"--language: unknown language {language!r}; choose en, zh or auto")
    log_format = "jsonl-map" if mapping is not None and log_format == AUTO else log_format
    finds = read_files(files, log_format, mapping, told=echo)
    require_apart([out, *(out / name for name in FILES)], [*files, tools, redact_names, mapping, splits])
    redactor = Redactor(read_wanted(redact_names) if redact_names else NOTHING) if redact or redact_names else None
    options = ImportOptions(
        format=log_format,
        offered=read_offered(tools),
        redactor=redactor,
        language=None if language == "auto" else language,
        limit=limit,
        splits=read_splits(splits) if splits else {},
        overwrite=overwrite,
    )
    count = 0

    def tell(problem: Problem) -> None:
        nonlocal count
        count += 1
        if count <= SHOWN:
            echo(problem.text, err=True)

    report = run(files, finds, out, options, tell)
    if count > SHOWN:
        echo(f"not shown: {count - SHOWN:,} more", err=True)
    if judge is not None:
        report = _judge(judge, out, options)
    _summary(report, out)
    if report.rejected or report.without_session:
        raise typer.Exit(1)


def _judge(name: str, out: Path, options: ImportOptions) -> ImportReport:
    """Have a model judge the import, and make its sessions again by what that says; ends the program where something
    could not be asked."""
    from toolgauge.cli.judge import ask_judge, finish
    from toolgauge.judging.conversations import imported
    from toolgauge.judging.options import JudgeOptions
    from toolgauge.judging.spec import annotate_import, plan_for
    from toolgauge.logs.files import CONVERSATIONS
    from toolgauge.models.model import EndpointOptions
    from toolgauge.runs.roles import parse_model

    model = parse_model(name)
    judge_options = JudgeOptions(endpoint=EndpointOptions(base_url=model.base_url))
    conversations = imported(out / CONVERSATIONS, options.language, options.splits)
    result = ask_judge(plan_for(out, conversations, model.model, judge_options, annotates=True), judge_options.limits)
    report = annotate_import(out, result.conversations)
    finish(result)
    return report


def _summary(report: ImportReport, out: Path) -> None:
    from toolgauge.logs.importing import OTHERS, SESSIONS
    from toolgauge.logs.placeholders import KINDS, Kind

    echo(f"conversations: {report.conversations:,}, sessions: {report.sessions:,}, tasks: {report.tasks:,}")
    if report.rejected or report.without_session:
        parts = ((report.rejected, "of the log"), (report.without_session, "without a session"))
        echo(f"left out: {', '.join(f'{count:,} {what}' for count, what in parts if count)}")
    if report.redacted:
        places = {kind: count["places"] for kind, count in report.redacted.items()}
        replaced = ", ".join(f"{KINDS[Kind(kind)]}: {count:,}" for kind, count in places.items())
        echo(f"replaced: {replaced}")
    for name in (SESSIONS, *OTHERS.values()):
        if (out / name).exists():
            echo(out / name)
