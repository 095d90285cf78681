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
            raise UsageError(f"--evidence {self.evidence!r}: must be an address such as https://host/path")


class ExportRequest(Struct, frozen=True):
    """entries: the runs under names that tell them apart. scoring: None for each benchmark's headline.

    language: of the words, "en" or "zh". only_correct: of conversations, those in which everything is right.
    """

    entries: tuple[RunEntry, ...]
    scoring: str | None = None
    language: str = "en"
    only_correct: bool = False
    publication: Publication = Publication()

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
