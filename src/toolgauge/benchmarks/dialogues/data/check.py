"""Is a data file sound? Every problem it has, each with file, line and JSON path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from toolgauge.benchmarks.dialogues.data.load import Family, Layout, layout_family, layout_of
from toolgauge.benchmarks.dialogues.data.mmtb import broken_dialogue
from toolgauge.benchmarks.dialogues.data.totals import missed_totals
from toolgauge.data import rules
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line
from toolgauge.data.record import MAX_PROBLEMS, DataLine, Problem, shown
from toolgauge.data.session import Session
from toolgauge.data.sessions import language_prefix
from toolgauge.data.tool_rules import broken_tools
from toolgauge.errors import DataError


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
