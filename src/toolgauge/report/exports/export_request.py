"""What an export is asked for, what came of it, and how the files of one that is a folder are written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from toolgauge.analysis.numbers import Tables
from toolgauge.errors import UsageError
from toolgauge.files import below, folder_below, make_folders, replacing, require_own_folder
from toolgauge.report.page import RunEntry, entries_of
from toolgauge.runs.scored import ScoredRun

_ADDRESS = re.compile(r"https?://[!-~]+")


class Publication(Struct, frozen=True):
    """What a run does not know of the place where its numbers are published; "" is left open.

    publisher: who publishes them, a person or an organisation. evidence: the address of what they can be checked by.
    """

    publisher: str = ""
    evidence: str = ""

    def __post_init__(self) -> None:
        """Raise UsageError for an address that is none."""
        if self.evidence and not _ADDRESS.fullmatch(self.evidence):
            raise UsageError(f"--evidence {self.evidence!r}: must be an address such as https://host/path")


class ExportRequest(Struct, frozen=True):
    """entries: the runs under names that tell them apart. scoring: None for each benchmark's headline.

    language: of the words, "en" or "zh". only_correct: of conversations, those in which everything is right.
    as_published: of csv, the original's columns by the original's rules.
    """

    entries: tuple[RunEntry, ...]
    scoring: str | None = None
    language: str = "en"
    only_correct: bool = False
    publication: Publication = Publication()
    as_published: bool = False

    @staticmethod
    def of(
        runs: list[ScoredRun],
        scoring: str | None = None,
        language: str = "en",
        only_correct: bool = False,
        publication: Publication = Publication(),  # noqa: B008 - frozen
    ) -> ExportRequest:
        """Raises UsageError for a scoring that one of the runs does not have."""
        wanted = ExportRequest(entries_of(runs), scoring, language, only_correct, publication)
        for entry in wanted.entries:
            wanted.tables(entry)
        return wanted

    def scoring_of(self, entry: RunEntry) -> str:
        return self.scoring or entry.run.benchmark.headline

    def tables(self, entry: RunEntry) -> Tables:
        """The tables of metrics.json in the scoring; none of a run without scores. Raises UsageError."""
        scorings, scoring = entry.run.metrics.scorings, self.scoring_of(entry)
        if scoring not in entry.run.benchmark.scorings:
            known = ", ".join(entry.run.benchmark.scorings)
            raise UsageError(f"--scoring: unknown scoring {scoring!r} of {entry.run.folder}; choose one of {known}")
        return scorings.get(scoring, {})


class Exported(Struct, frozen=True):
    """paths: what was written; notes: what is to be told."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def require_export_folder(folder: Path, to: str, overwrite: bool) -> None:
    """Raise UsageError where an export that is a folder cannot go: a file, or a folder with files in it, unless those
    of the same names are to be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file; {to} needs a folder")
    require_own_folder(folder, made_before=False, overwrite=overwrite)


@contextmanager
def file_below(folder: Path, name: str) -> Iterator[tuple[Path, BinaryIO]]:
    """A file of a name with "/" below a folder, which is made: its path, and where to write it.

    Raises StoreError, OSError.
    """
    make_folders(folder)
    path, around = below(folder, name), name.rpartition("/")[0]
    if around:
        folder_below(folder, around)
    with replacing(path) as file:
        yield path, file


def strict_line(value: object) -> bytes:
    """A Struct as a line of JSON in strict UTF-8: half of a pair of surrogates, which a model may write, is a "?"."""
    try:
        return msgspec.json.encode(value) + b"\n"
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
