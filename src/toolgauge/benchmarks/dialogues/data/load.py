"""From a data file to a `Dataset`: files of sessions and the two public data sets', read into one model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from toolgauge.benchmarks.dialogues.data import mmtb
from toolgauge.data import sessions
from toolgauge.data.corrections import Corrections
from toolgauge.data.lines import LANGUAGES, read_lines, sha256_of
from toolgauge.data.record import DataLine
from toolgauge.data.schemas import PLAIN, Flavour
from toolgauge.data.session import Dataset
from toolgauge.data.sessions import RecordReader, load_sessions, session_file
from toolgauge.errors import DataError, UsageError

Family = Literal["wildtoolbench", "mmtb"]
"""Whose protocol, layout and rules data follow; files of sessions have WildToolBench's."""


class Layout(Struct, frozen=True):
    """How the records of a family are read."""

    reader: RecordReader
    flavour: Flavour
    """How its tools name types."""
    signs: frozenset[str]
    """Fields by which a record is known."""
    tasks: str
    """The field with what the user says, without the prefix of the language."""


LAYOUTS: Mapping[str, Layout] = {
    "wildtoolbench": Layout(
        sessions, PLAIN, frozenset({"english_tasks", "tasks", "english_task_types", "task_types"}), "tasks"
    ),
    "mmtb": Layout(mmtb, mmtb.FLAVOUR, frozenset({"english_task", "task", "type", "task_ids"}), "task"),
}


def load_dataset(
    path: Path | str,
    family: Family | None = None,
    language: str = "en",
    name: str | None = None,
    corrections: Corrections | None = None,
) -> Dataset:
    """All sessions of a file, or of the folder of a generation, in one language ("en" or "zh").

    family: whose protocol it is read for, detected where it is None; the rest as `load_sessions` has it, DataError too.
    The last data sets are kept as long as their files stay the same: a command needs its data more than once.
    """
    file = session_file(Path(path))
    layout = detect_family(file, family)
    if corrections is not None:
        return load_sessions(file, language, layout_of(layout).reader, name, corrections)
    return _load_once(file, sha256_of(file), language, layout, name)


@lru_cache(maxsize=2)  # one in each language
def _load_once(file: Path, _sha256: str, language: str, family: Family, name: str | None) -> Dataset:
    return load_sessions(file, language, layout_of(family).reader, name)


def languages_in(file: Path, family: Family | None = None) -> tuple[str, ...]:
    """The languages of a file's first record; DataError where it is none of any layout."""
    for line, value in read_lines(file):
        record = DataLine(file, line, value)
        reader = LAYOUTS[layout_family(record, family)].reader
        return tuple(one for one in LANGUAGES if reader.has_language(record.value, one))
    raise DataError("no sessions", file)


def detect_family(path: Path | str, family: Family | None = None) -> Family:
    """The family whose layout a file has, by its first record; see `layout_family`."""
    for line, value in read_lines(path):
        return layout_family(DataLine(path, line, value), family)
    raise DataError("no sessions", path)


def layout_family(record: DataLine, family: Family | None) -> Family:
    """The family whose layout a record has. family: whose data it should be; earlier versions of WildToolBench's data
    have MMTB's layout. Raises DataError where it is of another benchmark, or of none."""
    if family is None:
        return family_of(record)
    try:
        found = family_of(record)
    except DataError:
        return family  # its reader says what is wrong
    if found != family and family == "mmtb":
        raise record.error(
            "has WildToolBench's layout, not MMTB's; run it with wildtoolbench --data, or as data of your own "
            "(`toolgauge run FILE`)"
        )
    return found


def family_of(record: DataLine) -> Family:
    """The family of a record, by its field names."""
    fields = record.value.keys()
    families: tuple[Family, ...] = ("wildtoolbench", "mmtb")
    best = max(families, key=lambda one: len(LAYOUTS[one].signs & fields))
    if not LAYOUTS[best].signs & fields:
        raise record.error("unknown record format (expected wildtoolbench or mmtb)")
    return best


def layout_of(family: str) -> Layout:
    """The layout of a family; UsageError for an unknown one."""
    if family not in LAYOUTS:
        raise UsageError(f"unknown format {family!r}; choose wildtoolbench or mmtb")
    return LAYOUTS[family]
