"""What an export is asked for, and what came of it."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from toolgauge.analysis.numbers import Tables
from toolgauge.errors import UsageError
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
            raise UsageError(f"--evidence {self.evidence!r}: an address such as https://host/path")


class ExportRequest(Struct, frozen=True):
    """entries: the runs under names that tell them apart. reading: None for each benchmark's headline.

    language: of the words, "en" or "zh". only_correct: of conversations, those in which everything is right.
    """

    entries: tuple[RunEntry, ...]
    reading: str | None = None
    language: str = "en"
    only_correct: bool = False
    publication: Publication = Publication()

    @staticmethod
    def of(
        runs: list[ScoredRun],
        reading: str | None = None,
        language: str = "en",
        only_correct: bool = False,
        publication: Publication = Publication(),  # noqa: B008 - frozen
    ) -> ExportRequest:
        """Raises UsageError for a reading that one of the runs does not have."""
        wanted = ExportRequest(entries_of(runs), reading, language, only_correct, publication)
        for entry in wanted.entries:
            wanted.tables(entry)
        return wanted

    def reading_of(self, entry: RunEntry) -> str:
        return self.reading or entry.run.benchmark.headline

    def tables(self, entry: RunEntry) -> Tables:
        """The tables of metrics.json in the reading; none of a run without scores. Raises UsageError."""
        readings, reading = entry.run.metrics.readings, self.reading_of(entry)
        if reading not in entry.run.benchmark.readings:
            known = ", ".join(entry.run.benchmark.readings)
            raise UsageError(f"--reading {reading!r}: {entry.benchmark} ({entry.run.folder}) has {known}")
        return readings.get(reading, {})


class Exported(Struct, frozen=True):
    """paths: what was written; notes: what is to be told."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...] = ()
