"""The sessions of the file under review: which there are, and each one's record when it is needed. Never written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from toolgauge.analysis.judgments import Judgment, read_judgments
from toolgauge.chat import Json
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line
from toolgauge.data.record import DataLine, session_of, shown
from toolgauge.data.session import TaskType
from toolgauge.data.sessions import has_language, language_prefix, read_type
from toolgauge.errors import DataError, UsageError
from toolgauge.files import open_regular
from toolgauge.review.objections import add_judgments
from toolgauge.review.state import task_count

MOST_KEPT = 256
"""Records in memory."""
MOST_NAMED = 5
"""Lines that are left out."""


class Originals:
    """The records of a file of sessions in one language. tasks: of each session how many; broken:
    what is wrong with the lines that are left out, for they cannot be told from other sessions; judgments: of
    `toolgauge judge`, beside the file."""

    def __init__(
        self,
        file: Path,
        language: str,
        sha256: str,
        lines: Mapping[str, tuple[int, bytes]],
        tasks: dict[str, int],
        broken: Sequence[DataError] = (),
        judgments: Sequence[Judgment] = (),
    ) -> None:
        self.file, self.language, self.sha256, self.tasks, self.broken = file, language, sha256, tasks, broken
        self._lines = lines
        self._judgments: dict[str, list[Judgment]] = {}
        for one in judgments:
            self._judgments.setdefault(one.session, []).append(one)
        self.record = lru_cache(MOST_KEPT)(self._read)

    @property
    def notes(self) -> list[str]:
        """The lines that are skipped, the first ones with their place."""
        skipped = [f"{error.text}; line skipped" for error in self.broken[:MOST_NAMED]]
        more = len(self.broken) - len(skipped)
        return [*skipped, f"more lines skipped: {more:,}"] if more else skipped

    def line(self, session: str) -> int:
        """Where a session stands in the file, from 1; 0 for one that does not."""
        return self._lines[session][0] if session in self._lines else 0

    def _read(self, session: str) -> Json:
        """A session's record, with what a judge said of it; not to be changed."""
        number, line = self._lines[session]
        record = DataLine(self.file, number, parse_line(line, self.file, number)).value
        if judgments := self._judgments.get(session):
            add_judgments(record, judgments, self.tasks[session])
        return record


def open_originals(file: Path, language: str | None = None) -> Originals:
    """Read a file of sessions. language: "en" or "zh", if the file has both. A line that is no record with an id of its
    own is left out; raises DataError where all are, or the file cannot be read."""
    lines: dict[str, tuple[int, bytes]] = {}
    tasks: dict[str, int] = {}
    broken: list[DataError] = []
    for number, line in numbered_lines(file):
        try:
            record = DataLine(file, number, parse_line(line, file, number))
            name = session_of(record)
            if name in lines:
                raise record.error(f"duplicate id {shown(name)}", "id")
        except DataError as error:
            broken.append(error)
            continue
        if not lines:
            language = _language(record, language)
        lines[name], tasks[name] = (number, line), task_count(record.value)
    if not lines or language is None:
        raise broken[0] if broken else DataError("no session found", file)
    with open_regular(file) as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return Originals(file, language, digest, lines, tasks, broken, read_judgments(file.parent))


def types_named(record: Json, language: str) -> list[TaskType | str | None]:
    """The types of a record's tasks by their names, None for one that says nothing; nothing is checked."""
    names = record.get(f"{language_prefix(language)}task_types", record.get("english_task_types"))
    return [read_type(one) if isinstance(one, str) else None for one in names] if isinstance(names, list) else []


def _language(first: DataLine, wanted: str | None) -> str:
    """The language that is reviewed: the one wanted, else the only one there is."""
    languages = [one for one in LANGUAGES if has_language(first.value, one)]
    if not languages:
        raise first.error("not a session; convert other formats with `toolgauge data import`")
    if wanted is not None:
        known_language(wanted)
        if wanted not in languages:
            raise first.error(f"no session in language {wanted!r}")
        return wanted
    if len(languages) != 1:
        raise UsageError("the sessions are in several languages; choose one with --language")
    return languages[0]
