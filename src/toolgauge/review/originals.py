"""The sessions of the file under review: which there are, and each one's record when it is needed. Never written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from toolgauge.benchmarks.dialogues.data import wildtoolbench
from toolgauge.benchmarks.dialogues.data.load import flavour_of
from toolgauge.chat import Json
from toolgauge.data.lines import numbered_lines, parse_line
from toolgauge.data.load import LANGUAGES, known_language
from toolgauge.data.record import DataLine, session_of, shown
from toolgauge.data.schemas import Flavour
from toolgauge.data.session import Session
from toolgauge.errors import DataError, UsageError
from toolgauge.files import open_regular
from toolgauge.locale import _
from toolgauge.review.state import task_count

FORMAT: Flavour = "wildtoolbench"
SESSIONS = "sessions.jsonl"
"""Of a generation's folder."""
MOST_KEPT = 256
"""Records in memory."""


class Originals:
    """The records of a data file of WildToolBench's format in one language. tasks: of each session how many."""

    def __init__(
        self, file: Path, language: str, sha256: str, lines: Mapping[str, tuple[int, bytes]], tasks: dict[str, int]
    ) -> None:
        self.file, self.language, self.sha256, self.tasks = file, language, sha256, tasks
        self._lines = lines
        self.record = lru_cache(MOST_KEPT)(self._read)

    def _read(self, session: str) -> Json:
        """A session's record; not to be changed."""
        number, line = self._lines[session]
        return DataLine(self.file, number, parse_line(line, self.file, number)).value


def session_file(place: Path) -> Path:
    """The file that a user means: itself, or the sessions of a generation's folder."""
    return place / SESSIONS if place.is_dir() else place


def open_originals(file: Path, language: str | None = None) -> Originals:
    """Read a file of sessions. language: "en" or "zh", if the file has both. Raises DataError."""
    lines: dict[str, tuple[int, bytes]] = {}
    tasks: dict[str, int] = {}
    for number, line in numbered_lines(file):
        record = DataLine(file, number, parse_line(line, file, number))
        name = session_of(record)
        if name in lines:
            raise record.error(_("{id} is the id of an earlier line already", id=shown(name)), "id")
        if not lines:
            language = _language(record, language)
        lines[name], tasks[name] = (number, line), task_count(record.value)
    if not lines or language is None:
        raise DataError(_("holds no session"), file)
    with open_regular(file) as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return Originals(file, language, digest, lines, tasks)


def read_session(record: Json, language: str, file: Path | str = "") -> Session:
    """A record as the session that it is. Raises DataError, with its JSON path, where it is none."""
    session = wildtoolbench.read_session(DataLine(file, 0, record), language)
    assert session is not None, "without a list for problems they are raised"
    return session


def _language(first: DataLine, wanted: str | None) -> str:
    """The language that is reviewed: the one wanted, else the only one there is."""
    if flavour_of(first) != FORMAT:
        raise first.error(_("is no record of WildToolBench's format; see `toolgauge data import`"))
    there = [one for one in LANGUAGES if wildtoolbench.has_language(first.value, one)]
    if wanted is not None:
        known_language(wanted)
        if wanted not in there:
            raise first.error(_("has nothing in {language}", language=wanted))
        return wanted
    if len(there) != 1:
        raise UsageError(_("the sessions are in several languages; say which with {language_field}"))
    return there[0]
