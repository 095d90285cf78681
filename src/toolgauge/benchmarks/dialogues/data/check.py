"""Is a data file sound? Every problem it has, each with file, line and JSON path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType

from toolgauge.benchmarks.dialogues.data import graph_rules
from toolgauge.benchmarks.dialogues.data.load import flavour_of, reader_for
from toolgauge.benchmarks.dialogues.data.totals import missed_totals
from toolgauge.data import tool_rules
from toolgauge.data.lines import numbered_lines, parse_line
from toolgauge.data.load import LANGUAGES, known_language, sha256_of
from toolgauge.data.problems import MAX_PROBLEMS, Problem
from toolgauge.data.record import DataLine, shown
from toolgauge.data.schemas import Flavour
from toolgauge.data.session import Dataset, Session
from toolgauge.errors import DataError

Rehearsal = Callable[[Dataset], Iterable[Problem]]
"""A function that runs a data set with built-in models and yields problems: annotated answers must pass, silence must
fail."""


def check(
    path: Path | str,
    format: Flavour | None = None,  # noqa: A002 - what everybody calls it
    language: str | None = None,
    rehearse: Rehearsal | None = None,
) -> list[Problem]:
    """All problems of a data file, at most MAX_PROBLEMS; an empty list means that it is sound.

    language: "en" or "zh"; None means every language that the records have. rehearse: run on each language's data set
    where nothing else is wrong. Raises DataError only where there is nothing to check: no file, or nothing in it.
    """
    if language:
        known_language(language)
    found = _Problems(str(path))
    try:
        lines = list(_every_line(path, found.add_error))
        if not lines and not found.problems:
            raise DataError("no sessions", path)
        _check_lines(lines, format, language, rehearse, found)
    except _Enough:
        pass
    return found.problems


def _check_lines(
    lines: list[tuple[int, object]],
    format: Flavour | None,  # noqa: A002
    language: str | None,
    rehearse: Rehearsal | None,
    found: _Problems,
) -> None:
    records = _records(lines, found)
    try:
        flavour = format or flavour_of(records[0]) if records else "wildtoolbench"
    except DataError as error:
        found.add_error(error)
        return
    reader = reader_for(flavour)
    languages = (language,) if language else _languages(records, reader)
    sessions = _sessions(records, reader, languages, found)
    for side in languages:
        _check_side(sessions[side], side, flavour, found)
    if len(languages) == len(LANGUAGES):
        # Both languages must have the same graphs over the same tools
        english = {session.line: session for session in sessions["en"]}
        for chinese in sessions["zh"]:
            other = english.get(chinese.line)
            if other is not None:
                for path, message in graph_rules.differences(other, chinese):
                    found.add(message, chinese.line, path)
    if rehearse is not None and not found.problems:
        for side in languages:
            name, digest = Path(found.file).stem, sha256_of(found.file)
            for problem in rehearse(Dataset(name, side, digest, tuple(sessions[side]), found.file)):
                found.keep(problem)


class _Enough(Exception):
    """The list of problems is full."""


class _Problems:
    """The problems of one file as they are found, each once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self._known: set[Problem] = set()

    def add(self, message: str, line: int | None = None, path: str | None = None) -> None:
        self.keep(Problem(self.file, message, line, path))

    def add_error(self, error: DataError) -> None:
        self.keep(Problem(error.file, error.message, error.line, error.path))

    def keep(self, problem: Problem) -> None:
        if problem in self._known:
            return
        self._known.add(problem)
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Enough


def _records(lines: list[tuple[int, object]], found: _Problems) -> list[DataLine]:
    records = []
    for line, value in lines:
        try:
            records.append(DataLine(found.file, line, value, problems=[]))
        except DataError as error:
            found.add_error(error)
    return records


def _languages(records: list[DataLine], reader: ModuleType) -> tuple[str, ...]:
    """The languages that any record has; English, so that its absence is reported, where none has one."""
    return tuple(side for side in LANGUAGES if any(reader.has_language(one.value, side) for one in records)) or ("en",)


def _sessions(
    records: list[DataLine], reader: ModuleType, languages: tuple[str, ...], found: _Problems
) -> dict[str, list[Session]]:
    """Every session that can be read, per language; what cannot is noted, field by field."""
    sessions: dict[str, list[Session]] = {side: [] for side in languages}
    seen: dict[str, int] = {}
    for record in records:
        for side in languages:
            session = reader.read_session(record, side)
            if session is not None:
                sessions[side].append(session)
                if seen.setdefault(session.id, record.line) != record.line:
                    found.add(f"{shown(session.id)} is already used in line {seen[session.id]}", record.line, "id")
        for error in record.problems or ():
            found.add_error(error)
    return sessions


def _every_line(path: Path | str, note: Callable[[DataError], None]) -> Iterator[tuple[int, object]]:
    """Like `read_lines`, but a line that cannot be read is noted and the next one read."""
    for number, text in numbered_lines(path):
        try:
            yield number, parse_line(text, path, number)
        except DataError as error:
            note(error)


def _check_side(sessions: list[Session], language: str, flavour: Flavour, found: _Problems) -> None:
    """The rules for one language."""
    tools = tool_rules.ToolRules(flavour)
    for session in sessions:
        keys = _Keys(flavour, language)
        for path, message in tools.broken(session, keys.tools, keys.answers):
            found.add(message, session.line, path)
        for task in session.tasks:
            for path, message in graph_rules.broken(task, f"{keys.answers}[{task.index}]"):
                found.add(message, session.line, path)
            if not task.utterance.strip():
                found.add("is empty; the user must say something", session.line, f"{keys.tasks}[{task.index}]")
        for path, message in graph_rules.broken_dialogue(session, keys.messages) if flavour == "mmtb" else ():
            found.add(message, session.line, path)
    for message in missed_totals(sessions, flavour):
        found.add(message)


class _Keys:
    """The names of a format's fields in a language, for the paths of problems."""

    def __init__(self, flavour: Flavour, language: str) -> None:
        prefix = "english_" if language == "en" else ""
        self.tools, self.answers, self.messages = f"{prefix}tools", f"{prefix}answer_list", f"{prefix}messages"
        self.tasks = f"{prefix}{'task' if flavour == 'mmtb' else 'tasks'}"
