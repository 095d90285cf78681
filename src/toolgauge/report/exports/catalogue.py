"""Which formats there are, and the way from runs to a file: `export(wanted, to, out)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from toolgauge.analysis.cells import LONGEST
from toolgauge.analysis.glossary import scoring_name
from toolgauge.analysis.notes import notes
from toolgauge.errors import StoreError, UsageError, os_cause
from toolgauge.files import (
    digest,
    make_folders,
    replacing,
    require_apart,
    require_new,
    require_no_link,
    same_file,
    slug,
)
from toolgauge.report.exports import details
from toolgauge.report.exports.export_request import Exported, ExportRequest, file_below, require_export_folder
from toolgauge.report.exports.hub import write_hub_folder
from toolgauge.report.exports.summaries import latex_rows, markdown
from toolgauge.report.exports.training import TrainingConversation, conversations, openai_line, sharegpt_line
from toolgauge.report.figures import figure_files, svg_file
from toolgauge.report.page import RunEntry
from toolgauge.report.pages.board import board_pictures
from toolgauge.runs.lines import encode
from toolgauge.runs.scored import DETAILS, files_of


def write_figures(wanted: ExportRequest, folder: Path) -> list[Path]:
    """Write `<figure>.svg` into a folder, for several runs into a folder of each, beside the pictures of their boards;
    the files written."""
    written: list[Path] = []
    for entry in wanted.entries:
        around = f"{slug(entry.slug)}/" if len(wanted.entries) > 1 else ""
        for name, drawing in figure_files(entry.run.metrics, wanted.scoring_of(entry), wanted.language).items():
            with file_below(folder, f"{around}{slug(name)}.svg") as (path, file):
                file.write(drawing.encode())
            written.append(path)
    boards: dict[str, list[RunEntry]] = {}
    for entry in wanted.entries:
        boards.setdefault(entry.board, []).append(entry)
    for board, entries in boards.items():
        around = f"{slug(board)}-" if len(boards) > 1 else ""
        scoring = wanted.scoring_of(entries[0])
        subtitle = f"{entries[0].run.metrics.title} · {entries[0].language} · {scoring_name(scoring, wanted.language)}"
        for name, table in board_pictures(entries, scoring, wanted.language) if len(entries) > 1 else ():
            with file_below(folder, f"{around}{slug(name)}.svg") as (path, file):
                file.write(svg_file(table, subtitle).encode())
            written.append(path)
    return written


NAMES = {
    "csv": "details.csv",
    "xlsx": "details.xlsx",
    "parquet": "details.parquet",
    "openai": "openai.jsonl",
    "sharegpt": "sharegpt.jsonl",
    "markdown": "summary.md",
    "latex": "rows.tex",
    "figures": "figures",
    "hf": "hf",
}
"""Format -> the name of the file or folder where --out names none."""
TRAINING: dict[str, Callable[[TrainingConversation], dict[str, object] | None]] = {
    "openai": openai_line,
    "sharegpt": sharegpt_line,
}
WORDS: dict[str, Callable[[ExportRequest], Iterator[str]]] = {
    "markdown": markdown,
    "latex": latex_rows,
}
FOLDERS: dict[str, Callable[[ExportRequest, Path], list[Path]]] = {
    "figures": write_figures,
    "hf": write_hub_folder,
}
"""Formats of several files: what writes them into a folder."""
STREAMED = (*TRAINING, *WORDS)
"""Formats that can go to standard output."""

Notes = tuple[str, ...]


def export(wanted: ExportRequest, to: str, out: Path | None = None, overwrite: bool = False) -> Exported:
    """Write runs in a format to a file, or into a folder where `out` is one.

    out: by default the format's own name (`NAMES`) in the run's folder, of several runs in the folder around the first.
    overwrite: also where there is a file, or files in that folder, already. Raises UsageError then otherwise, for an
    unknown format and for a run that lacks what it needs; StoreError where nothing can be written.
    """
    if to not in NAMES:
        raise UsageError(f"unknown format {to!r}; choose one of {', '.join(NAMES)}")
    place = _place(wanted, to, out)
    if wanted.as_published and out is None:
        place = place.with_name(details.AS_PUBLISHED)
    require_apart([place], [file for entry in wanted.entries for file in files_of(entry.run.folder)])
    try:
        make_folders(place.parent)
        if to in FOLDERS:
            if out is None:
                require_no_link(place)  # a folder of ours, unlike one that the user named
            noted = () if to == "hf" else _beside_scores(wanted)  # its card has them
            return Exported(_folder(wanted, to, place, overwrite), noted)
        if to == "csv" and _is_own(wanted, place):
            return Exported((place,), ("this file already is the run's details.csv", *_beside_scores(wanted)))
        require_new(place, overwrite)
        if to in STREAMED:
            with replacing(place) as file:
                return Exported((place,), write_stream(wanted, to, file))
        return Exported((place,), (*_sheet(wanted, to, place), *_beside_scores(wanted)))
    except OSError as error:
        raise StoreError(f"{error.filename or place}: {os_cause(error)}; choose another --out") from error


def write_stream(wanted: ExportRequest, to: str, file: BinaryIO) -> Notes:
    """Write one of the `STREAMED` formats as it is made; the notes to be told."""
    if to in WORDS:
        for text in WORDS[to](wanted):
            file.write(f"{text}\n".encode("utf-8", "replace"))
        return ()
    total = wrong = skipped = 0
    for conversation in conversations(wanted):
        total += 1
        line = None if wanted.only_correct and not conversation.right else TRAINING[to](conversation)
        if line is not None:
            file.write(encode(line) + b"\n")
        elif wanted.only_correct and not conversation.right:
            wrong += 1
        else:
            skipped += 1
    unfit = "the format cannot hold them (turns that do not alternate, calls whose arguments are not a JSON object)"
    counts = (("not all of their tasks are right", wrong), (unfit, skipped))
    return tuple(f"left out {count:,} of {total:,} conversations: {why}" for why, count in counts if count)


def _beside_scores(wanted: ExportRequest) -> Notes:
    """The warnings on the runs' scores, for formats that have no place for sentences."""
    return tuple(
        f"{entry.label}: {note.text}" for entry in wanted.entries for note in notes(entry.run.metrics) if note.warns
    )


def _sheet(wanted: ExportRequest, to: str, place: Path) -> Notes:
    if to == "xlsx":
        cut = details.write_xlsx(wanted, place)
        note = (
            f"cells cut to the {LONGEST:,} characters that a sheet can hold: {cut:,}; the trajectories have everything"
        )
        return (note,) if cut else ()
    if to == "parquet":
        details.write_parquet(wanted, place)
        return ()
    if wanted.as_published:
        details.write_as_published(wanted, place)
        return ()
    details.write_csv(wanted, place)
    return ()


def _is_own(wanted: ExportRequest, place: Path) -> bool:
    """Is the place the details.csv of the one run? Raises UsageError where it does not follow from its trajectories."""
    own = [entry.run.folder / DETAILS for entry in wanted.entries]
    if not any(same_file(place, file) for file in own):
        return False
    if len(own) > 1:
        raise UsageError(f"--out {place} is the {DETAILS} of one of the runs; choose another file")
    with details.tables(wanted) as (made,):
        if digest(made) != digest(place):
            folder = own[0].parent
            raise UsageError(
                f"{place}: does not match the run's trajectories; recreate it with `toolgauge score {folder}`"
            )
    return True


def _folder(wanted: ExportRequest, to: str, place: Path, overwrite: bool) -> tuple[Path, ...]:
    require_export_folder(place, to, overwrite)
    written = FOLDERS[to](wanted, place)
    if not written:
        raise UsageError(f"--to {to}: nothing to write, because no task has a score in this scoring")
    return tuple(written)


def _place(wanted: ExportRequest, to: str, out: Path | None) -> Path:
    if out is None:
        first = wanted.entries[0].run.folder
        return (first if len(wanted.entries) == 1 else first.resolve().parent) / NAMES[to]
    if out.is_symlink():  # somebody else's would make a folder of theirs the place
        raise UsageError(f"--out {out} is a symbolic link; give its target")
    return out / NAMES[to] if out.is_dir() and to not in FOLDERS else out
