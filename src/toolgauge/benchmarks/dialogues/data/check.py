"""Is a data file sound? Every problem it has, each with file, line and JSON path; and the figures that the complete
public data sets must show (docs/files.md#what-the-complete-public-sets-hold).

All of these follow from published percentages and hold for WildToolBench and MMTB alike. The published histogram of
tool calls per task (772 tasks) is left out: it contradicts them, since at most 768 tasks are not small talk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from toolgauge.benchmarks.dialogues.data.load import (
    Family,
    Layout,
    detect_family,
    languages_in,
    layout_family,
    layout_of,
    load_dataset,
)
from toolgauge.benchmarks.dialogues.data.mmtb import broken_dialogue
from toolgauge.benchmarks.dialogues.data.statistics import Statistics, measure, sections, statistics
from toolgauge.data import rules
from toolgauge.data.corrections import Record, records_in
from toolgauge.data.files import Findings, StatisticsTable
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line
from toolgauge.data.record import MAX_PROBLEMS, DataLine, Problem, shown
from toolgauge.data.session import Dataset, Session
from toolgauge.data.sessions import language_prefix, session_file
from toolgauge.data.tool_rules import broken_tools
from toolgauge.data.weaknesses import weak_places
from toolgauge.errors import DataError

T = TypeVar("T", str, int)

SESSIONS = 256
TASK_TYPES = {
    "single_tool": 256,
    "parallel_tools": 156,
    "sequential_tools": 16,
    "mixed_tools": 84,
    "clarify": 256,
    "chat": 256,
}
SHAPES = {"parallel_tools": 157, "sequential_tools": 16, "mixed_tools": 84}
NODES = {"sequential_tools": 53, "mixed_tools": 544}
REFERENCES = {"first_turn": 256, "coreference": 349, "partial_information": 240, "long_range": 179}
TURNS = {4: 73, 5: 93, 6: 50, 7: 30, 8: 9, 9: 1}
PER_POSITION = 64
_ID = "wild_tool_bench_"


def is_full_public_set(sessions: Sequence[Session], flavour: str) -> bool:
    """Is this, by its size and its ids, one of the two public data sets as a whole?"""
    if len(sessions) != SESSIONS:
        return False
    return flavour == "mmtb" or all(session.id.startswith(_ID) for session in sessions)


def missed_totals(sessions: Sequence[Session], flavour: str) -> Iterator[str]:
    """What differs from the published figures; nothing for any other data set than the two public ones."""
    if not is_full_public_set(sessions, flavour):
        return
    found = measure(sessions)
    # MMTB's file only says "several tools"; its classes come from the graphs, clarify tasks apart.
    yield from _unlike("task types", found.task_types, TASK_TYPES)
    yield from _unlike("graph shapes", found.shapes, SHAPES)
    yield from _unlike("annotated nodes", {shape: found.nodes.get(shape, 0) for shape in NODES}, NODES)
    yield from _unlike("references", found.references, REFERENCES)
    if all(task.dialogue for session in sessions for task in session.tasks):
        # There are more sessions without a clarification (81) than with four turns: only the dialogues can tell.
        yield from _unlike("sessions by dialogue turns", found.turns, TURNS)
    yield from _sequences(sessions, found)


def _sequences(sessions: Sequence[Session], found: Statistics) -> Iterator[str]:
    """Each of the 4^4 sequences of kinds occurs once, so every kind stands 64 times at each position."""
    for position, kinds in enumerate(found.kinds_by_position):
        if any(count != PER_POSITION for count in kinds.values()) or len(kinds) != 4:
            yield (
                f"task types at turn {position + 1}: {', '.join(f'{key} {count}' for key, count in kinds.items())}; "
                f"published: {PER_POSITION} of each"
            )
    different = len({tuple(task.type.kind for task in session.tasks) for session in sessions})
    if different != SESSIONS:
        yield f"different sequences of task types: {different}; published: {SESSIONS}"


def _unlike(what: str, found: Mapping[T, int], published: Mapping[T, int]) -> Iterator[str]:
    for key in sorted(found.keys() | published.keys(), key=str):
        if found.get(key, 0) != published.get(key, 0):
            yield f"{what}, {key}: {found.get(key, 0)}; published: {published.get(key, 0)}"


def check(path: Path | str, family: Family | None = None, language: str | None = None) -> list[Problem]:
    """All problems of a data file, at most MAX_PROBLEMS; an empty list means that it is sound.

    language: "en" or "zh"; None means every language that the records have. Raises DataError only where there is
    nothing to check: no file, or nothing in it.
    """
    if language:
        known_language(language)
    found = _Problems(str(path))
    try:
        lines = list(_every_line(path, found.add_error))
        if not lines and not found.problems:
            raise DataError("no sessions", path)
        _check_lines(lines, family, language, found)
    except _Enough:
        pass
    return list(found.problems)


def _check_lines(
    lines: Sequence[tuple[int, object]], family: Family | None, language: str | None, found: _Problems
) -> None:
    records = _records(lines, found)
    try:
        layout_name = layout_family(records[0], family) if records else family or "wildtoolbench"
    except DataError as error:
        found.add_error(error)
        return
    layout = layout_of(layout_name)
    languages = (language,) if language else _languages(records, layout)
    sessions = _sessions(records, layout, languages, found)
    for side in languages:
        _check_side(sessions[side], side, layout_name, family or layout_name, found)
    if len(languages) == len(LANGUAGES):  # both must have the same graphs over the same tools
        english = {session.line: session for session in sessions["en"]}
        for chinese in sessions["zh"]:
            if (other := english.get(chinese.line)) is not None:
                for place, message in rules.differences(other, chinese):
                    found.add(message, chinese.line, place)


class _Enough(Exception):
    """The list of problems is full."""


class _Problems:
    """The problems of one file as they are found, each once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: dict[Problem, None] = {}

    def add(self, message: str, line: int | None = None, path: str | None = None) -> None:
        self._keep(Problem(self.file, message, line, path))

    def add_error(self, error: DataError) -> None:
        self._keep(Problem(error.file, error.message, error.line, error.path))

    def _keep(self, problem: Problem) -> None:
        self.problems[problem] = None
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Enough


def _every_line(path: Path | str, note: Callable[[DataError], None]) -> Iterator[tuple[int, object]]:
    """Like `read_lines`, but a line that cannot be read is noted and the next one read."""
    for number, text in numbered_lines(path):
        try:
            yield number, parse_line(text, path, number)
        except DataError as error:
            note(error)


def _records(lines: Sequence[tuple[int, object]], found: _Problems) -> list[DataLine]:
    records = []
    for line, value in lines:
        try:
            records.append(DataLine(found.file, line, value, problems=[]))
        except DataError as error:
            found.add_error(error)
    return records


def _languages(records: Sequence[DataLine], layout: Layout) -> tuple[str, ...]:
    """The languages that any record has; English, so that its absence is reported, where none has one."""
    has = layout.reader.has_language
    return tuple(side for side in LANGUAGES if any(has(one.value, side) for one in records)) or ("en",)


def _sessions(
    records: Sequence[DataLine], layout: Layout, languages: Sequence[str], found: _Problems
) -> dict[str, list[Session]]:
    """Every session that can be read, per language; what cannot is noted, field by field."""
    sessions: dict[str, list[Session]] = {side: [] for side in languages}
    seen: dict[str, int] = {}
    for record in records:
        for side in languages:
            session = layout.reader.read_session(record, side)
            if session is not None:
                sessions[side].append(session)
                if seen.setdefault(session.id, record.line) != record.line:
                    found.add(f"{shown(session.id)} is already used in line {seen[session.id]}", record.line, "id")
        for error in record.problems or ():
            found.add_error(error)
    return sessions


def _check_side(
    sessions: Sequence[Session], language: str, layout_name: Family, family: Family, found: _Problems
) -> None:
    """The rules for one language. layout_name: whose layout the records have; family: whose data they are."""
    layout, prefix = layout_of(layout_name), language_prefix(language)
    answers = f"{prefix}answer_list"
    for session in sessions:
        for path, message in broken_tools(session, f"{prefix}tools", answers, layout.flavour):
            found.add(message, session.line, path)
        for task in session.tasks:
            for path, message in rules.broken(task, f"{answers}[{task.index}]"):
                found.add(message, session.line, path)
            if not task.utterance.strip():
                place = f"{prefix}{layout.tasks}[{task.index}]"
                found.add("is empty; the user must say something", session.line, place)
        if layout_name == "mmtb":
            for path, message in broken_dialogue(session, f"{prefix}messages"):
                found.add(message, session.line, path)
    for message in missed_totals(sessions, family):
        found.add(message)


class DialogueFiles(Struct, frozen=True):
    """A file of sessions, or the folder of a generation."""

    family: Family | None
    """Of the records; None where they tell."""
    uncertified: Callable[[Family, Dataset], Sequence[Problem]]
    """The tasks of a data set that have no certificate."""

    def holds(self, path: Path) -> bool:
        file = session_file(path)
        return file.exists() and not file.is_dir()

    def records(self, path: Path) -> Iterator[Record]:
        return records_in(session_file(path))

    def check(self, path: Path, language: str | None) -> Findings:
        file = session_file(path)
        problems, weak = check(file, self.family, language), weak_places(file, language)
        if problems:
            return Findings(problems, weak=weak)
        family = self.family or detect_family(file)
        data = [load_dataset(file, family, one) for one in ((language,) if language else languages_in(file, family))]
        return Findings([], weak=weak, uncertified=[task for one in data for task in self.uncertified(family, one)])

    def statistics(self, path: Path, language: str) -> list[StatisticsTable]:
        return sections(statistics(load_dataset(path, self.family, language)))

    def sessions(self, path: Path) -> dict[str, tuple[Session, ...]]:
        """All sessions by their languages (English, so that its absence is said, where there is none)."""
        file = session_file(path)
        return {one: load_dataset(file, self.family, one).sessions for one in languages_in(file) or ("en",)}
