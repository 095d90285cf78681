"""`toolgauge export RUN... --to FORMAT`: runs as files for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace

from toolgauge.cli.output import Data, Overwrite, Scoring, tell
from toolgauge.cli.terminal import content, echo
from toolgauge.errors import UsageError

if TYPE_CHECKING:
    from toolgauge.report.exports.export_request import Exported

STDOUT = Path("-")


def export(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Run directories; hf: or a generation, or a data file; openai, sharegpt: or conversations.jsonl.",
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="csv, xlsx, parquet, openai, sharegpt, markdown, latex, figures or hf.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The file (figures, hf: the folder); - is standard output. Default: in the run."),
    ] = None,
    scoring: Scoring = None,
    only: Annotated[
        str | None, typer.Option(metavar="correct", help="openai, sharegpt: only conversations that are all right.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="markdown, figures: en or zh. Default: the terminal's language.")
    ] = None,
    data: Data = None,
    publisher: Annotated[str, typer.Option(metavar="NAME", help="hf: who publishes the numbers.")] = "",
    evidence: Annotated[str, typer.Option(metavar="URL", help="hf: where to see what the numbers follow from.")] = "",
    as_published: Annotated[
        bool, typer.Option("--as-published", help="csv: the original's columns by its rules (WildToolBench, MMTB).")
    ] = False,
    overwrite: Overwrite = False,
) -> None:
    """\b
    toolgauge export runs/mini/en/builtin_noisy --to xlsx
    toolgauge export runs/before runs/after --to latex --out rows.tex

    Write what a run holds as tables, training data, a summary, rows for a paper, pictures, or to be published.
    """
    from toolgauge.cli.terminal import interface_language
    from toolgauge.generation.hub_sessions import export_sessions, holds_sessions
    from toolgauge.report.exports import catalogue
    from toolgauge.report.exports.export_request import Exported, ExportRequest, Publication
    from toolgauge.results import open_runs

    if only not in (None, "correct"):
        raise UsageError(f"--only: unknown value {only!r}; the only one is correct")
    if only and to not in catalogue.TRAINING:
        raise UsageError(f"--only goes with {' and '.join(catalogue.TRAINING)}")
    if language not in (None, "en", "zh"):
        raise UsageError(f"--language: unknown language {language!r}; choose en or zh")
    if out == STDOUT and to not in catalogue.STREAMED:
        raise UsageError(f"--out -: {', '.join(catalogue.STREAMED)} can go to standard output, not {to}")
    if (publisher or evidence) and to != "hf":
        raise UsageError(f"--{'publisher' if publisher else 'evidence'} goes with --to hf")
    if as_published and (to != "csv" or out == STDOUT):
        raise UsageError("--as-published goes with --to csv and a file")
    published = Publication(publisher, evidence)
    place, *others = runs
    are_sessions = to == "hf" and not others and holds_sessions(place)
    are_conversations = to in catalogue.TRAINING and not others and place.is_file()
    if are_sessions or are_conversations:
        if scoring or data or only:
            raise UsageError(f"--scoring, --data and --only need runs; {place} is not one")
        _tell_of(
            export_sessions(place, out, published, overwrite)
            if are_sessions
            else _conversations(place, to, out, overwrite)
        )
        return
    words = language or interface_language()
    request = ExportRequest.of(open_runs(runs, data, tell), scoring, words, only == "correct", published)
    request = replace(request, as_published=as_published)
    if out == STDOUT:
        with content() as file:
            done = Exported((), catalogue.write_stream(request, to, file))
    else:
        done = catalogue.export(request, to, out, overwrite)
    _tell_of(done)


def _conversations(file: Path, to: str, out: Path | None, overwrite: bool) -> Exported:
    """Imported conversations as training data."""
    from toolgauge.logs.files import export_conversations, write_conversations
    from toolgauge.report.exports.export_request import Exported

    if out != STDOUT:
        return export_conversations(file, to, out, overwrite)
    with content() as stream:
        return Exported((), write_conversations(file, to, stream))


def _tell_of(done: Exported) -> None:
    """Print what was written, and what is to be known of it."""

    for path in done.paths:
        echo(path)
    for note in done.notes:
        echo(f"Warning: {note}", err=True)
