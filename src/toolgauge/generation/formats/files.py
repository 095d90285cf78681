"""The files of a generation, made from its trajectories in the slots' order: the same bytes whatever came first."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TypeVar

import msgspec
from msgspec import Struct

from toolgauge.episode import TRAJECTORY_VERSION, Trajectory
from toolgauge.errors import StoreError, os_cause
from toolgauge.files import check_targets, lines_within, open_regular, replacing, write_whole
from toolgauge.generation.checks import DUPLICATES
from toolgauge.generation.duplicates import Diversity, Duplicates
from toolgauge.generation.formats.coverage import Coverage, CoverageReport
from toolgauge.generation.formats.markdown import markdown
from toolgauge.generation.formats.outcomes import Produced, Rejection, outcomes
from toolgauge.generation.formats.records import captures, conversation_of, raw_record, simplified_record
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.report.exports.training import openai_line, sharegpt_line
from toolgauge.runs.budget import Pricing
from toolgauge.runs.lines import decode, encode, newer
from toolgauge.runs.store import TRAJECTORIES, RoleMap, read_replies

T = TypeVar("T")
CAPTURES, COVERAGE, MARKDOWN, REJECTED = "captures.jsonl", "coverage.json", "dialogues.md", "rejected.jsonl"
LINES: dict[str, Callable[[Produced], object]] = {
    "raw.jsonl": lambda one: raw_record(one.dialogue),
    "simplified.jsonl": lambda one: simplified_record(one.dialogue),
    "sessions.jsonl": lambda one: one.record,
    "openai.jsonl": lambda one: openai_line(conversation_of(one.dialogue)),
    "sharegpt.jsonl": lambda one: sharegpt_line(conversation_of(one.dialogue)),
}
"""File -> the line that an accepted dialogue has in it, None for none."""
FILES = (*LINES, CAPTURES, MARKDOWN, REJECTED, COVERAGE)
"""All that is made of a generation's run."""


def write_files(
    folder: Path,
    slots: Sequence[Slot],
    setup: GenerationSetup,
    role_map: RoleMap,
    price: Pricing,
    with_captures: bool = False,
) -> CoverageReport:
    """Make all files of a run directory anew and return what coverage.json holds; one dialogue is in memory at a time.

    with_captures: captures.jsonl, too. Raises StoreError where the trajectories cannot be read or a file cannot be
    written.
    """
    coverage, diversity = Coverage(role_map, price), Diversity()
    seen = Duplicates() if DUPLICATES in setup.checks else None
    names = (*LINES, MARKDOWN, REJECTED, *([CAPTURES] if with_captures else []))
    check_targets(folder, FILES)
    try:
        with TrajectoryIndex(folder) as trajectories, ExitStack() as stack:
            files = {name: stack.enter_context(replacing(folder / name)) for name in names}
            for slot in slots:
                _write_slot(slot, trajectories.read(slot.key), files, coverage, seen, diversity)
            for begun in read_replies(folder):
                if begun.key not in trajectories:
                    coverage.begun(begun.key, begun.role, begun.reply)
    except OSError as error:
        raise StoreError(f"cannot write {error.filename or folder}: {os_cause(error)}; choose another --out") from error
    report = coverage.report(setup.language, seen.found if seen else None, diversity.figures())
    content = msgspec.to_builtins(report)
    write_whole(folder / COVERAGE, json.dumps(content, indent=2, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    return report


def _write_slot(
    slot: Slot,
    trajectory: Trajectory | None,
    files: Mapping[str, BinaryIO],
    coverage: Coverage,
    seen: Duplicates | None,
    diversity: Diversity,
) -> None:
    results = list(outcomes(slot, trajectory, seen)) if trajectory is not None else []
    for attempt, one in results:
        if isinstance(one, Rejection):
            files[REJECTED].write(encode(one) + b"\n")
            continue
        for name, line in LINES.items():
            if (content := line(one)) is not None:
                files[name].write(encode(content) + b"\n")
        if CAPTURES in files:
            files[CAPTURES].writelines(encode(line) + b"\n" for line in captures(one.trajectory, attempt))
        for words in markdown(one.dialogue, one.session):
            files[MARKDOWN].write(words.encode("utf-8", "replace") + b"\n")
        diversity.add(one.dialogue, one.session)
    coverage.add(slot, trajectory, results)


class _Named(Struct):
    task_id: str
    version: int = TRAJECTORY_VERSION


class TrajectoryIndex:
    """The trajectories of a run directory. Of two with one key the first counts; a torn last line is left out."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / TRAJECTORIES
        self._places: dict[str, int] = {}

    def __enter__(self) -> TrajectoryIndex:
        """Look through the file once; raises StoreError where it cannot be read, or a later version wrote it."""
        try:
            self._file = open_regular(self.path, follow=False)
            place = 0
            for number, line in enumerate(lines_within(self._file), 1):
                if line.endswith(b"\n") and not line.isspace():
                    named = self._decoded(line, _Named, number)
                    if named.version > TRAJECTORY_VERSION:
                        raise newer(self.path)
                    self._places.setdefault(named.task_id, place)
                place += len(line)
        except OSError as error:
            raise StoreError(f"cannot read {self.path}: {os_cause(error)}") from error
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def read(self, key: str) -> Trajectory | None:
        """The trajectory of a slot; None if the slot is not finished."""
        if key not in self._places:
            return None
        self._file.seek(self._places[key])
        return self._decoded(self._file.readline(), Trajectory)

    def _decoded(self, line: bytes, kind: type[T], number: int | None = None) -> T:
        try:
            return decode(line, kind)
        except ValueError as error:
            where = f"{self.path}:{number}" if number else str(self.path)
            raise StoreError(f"{where}: {error}; remove the line to make the dialogue again") from error
