"""From a data file to a `Dataset`: the two public formats, read into one model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from toolgauge.benchmarks.dialogues.data import mmtb, wildtoolbench
from toolgauge.chat import Json
from toolgauge.data.corrections import Corrections
from toolgauge.data.lines import numbered_lines, parse_line, read_lines
from toolgauge.data.load import LANGUAGES, known_language, sha256_of
from toolgauge.data.record import DataLine, session_of, shown
from toolgauge.data.schemas import Flavour
from toolgauge.data.session import Dataset, Session
from toolgauge.errors import DataError, UsageError

FORMATS: dict[str, ModuleType] = {"wildtoolbench": wildtoolbench, "mmtb": mmtb}

_SIGNS: dict[Flavour, frozenset[str]] = {
    "wildtoolbench": frozenset({"english_tasks", "tasks", "english_task_types", "task_types"}),
    "mmtb": frozenset({"english_task", "task", "type", "task_ids"}),
}


def load_dataset(
    path: Path | str,
    format: Flavour | None = None,  # noqa: A002 - what everybody calls it
    language: str = "en",
    name: str | None = None,
    corrections: Corrections | None = None,
) -> Dataset:
    """All sessions of a file in one language ("en" or "zh").

    format: "wildtoolbench" or "mmtb"; detected where it is None. name: of the data set; the file's name otherwise.
    corrections: applied to its records; its sha256 stays that of the file.
    The last ones are kept as long as their files stay the same: a command needs its data more than once.
    Raises DataError, with file, line and JSON path, at the first thing that cannot be used; `check` lists all of them.
    """
    known_language(language)
    reader = reader_for(format or detect_format(path))
    load = _load if corrections else _load_once
    return load(path, sha256_of(path), reader, language, name or Path(path).stem, corrections)


def _load(
    path: Path | str, sha256: str, reader: ModuleType, language: str, name: str, corrections: Corrections | None
) -> Dataset:
    sessions: list[Session] = []
    seen: dict[str, int] = {}
    for record, session in _read(path, reader, language, corrections):
        if session is None:  # only where problems are collected
            continue
        if session.id in seen:
            raise record.error(f"{shown(session.id)} is already used in line {seen[session.id]}", "id")
        seen[session.id] = record.line
        sessions.append(session)
    if not sessions:
        raise DataError("no sessions", path)
    if corrections is not None:
        corrections.require_sessions(seen)
    return Dataset(name, language, sha256, tuple(sessions), str(path))


_load_once = lru_cache(maxsize=2)(_load)  # one in each language


def _read(
    path: Path | str, reader: ModuleType, language: str, corrections: Corrections | None
) -> Iterator[tuple[DataLine, Session | None]]:
    """Each record and its session. A record with corrections is read whole: they may be about the other language."""
    skip = reader.unneeded(language)
    for number, text in numbered_lines(path):
        record = DataLine(path, number, parse_line(text, path, number, skip))
        if corrections is None or (name := session_of(record)) not in corrections.by_session:
            if not reader.has_language(record.value, language):
                _require_language(DataLine(path, number, parse_line(text, path, number)), reader, language)
            yield record, reader.read_session(record, language)
            continue

        def read(value: Json, line: int = number) -> Session | None:
            session: Session | None = reader.read_session(DataLine(path, line, value), language)
            return session

        whole = DataLine(path, number, parse_line(text, path, number))
        yield whole, corrections.corrected(name, whole.value, read)


def _require_language(record: DataLine, reader: ModuleType, language: str) -> None:
    """DataError for a record that has another language than the one asked for."""
    there = next((other for other in LANGUAGES if other != language and reader.has_language(record.value, other)), None)
    if there:
        raise record.error(f"no session in {language}, but one in {there}; use --language {there}")


def detect_format(path: Path | str) -> Flavour:
    """The format of a file, by the field names of its first record; DataError where they fit neither."""
    for line, value in read_lines(path):
        return flavour_of(DataLine(path, line, value))
    raise DataError("no sessions", path)


def flavour_of(record: DataLine) -> Flavour:
    """The format of a record, by its field names."""
    fields = record.value.keys()
    best = max(_SIGNS, key=lambda flavour: len(_SIGNS[flavour] & fields))
    if not _SIGNS[best] & fields:
        raise record.error("unknown record format (expected wildtoolbench or mmtb)")
    return best


def reader_for(flavour: str) -> ModuleType:
    """The module that reads a format; UsageError for an unknown one."""
    if flavour not in FORMATS:
        raise UsageError(f"unknown format {flavour!r}; choose wildtoolbench or mmtb")
    return FORMATS[flavour]
