"""What lies on the disk: the file under review, which is never written, and journal.jsonl, which is only appended.

An event is on the disk before anybody is told that it happened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.analysis.judgments import Judgment, read_judgments
from toolgauge.chat import Json
from toolgauge.data.lines import LANGUAGES, known_language, numbered_lines, parse_line
from toolgauge.data.record import DataLine, session_of, shown
from toolgauge.data.sessions import has_language, language_prefix, read_type
from toolgauge.errors import DataError, StoreError, UsageError, os_cause
from toolgauge.files import make_folders, open_regular
from toolgauge.generation.dialogue import ArgumentVerdict, Ruling, Verdict
from toolgauge.generation.graph import JUDGED
from toolgauge.limits import MAX_LINE_BYTES, MAX_SESSION_BYTES
from toolgauge.locale import _
from toolgauge.review.events import VERSION, AnyEvent, Opened, Refused
from toolgauge.runs.lines import AppendFile, newer, read_whole_lines, refuse_newer

JOURNAL = "journal.jsonl"
MOST_KEPT = 256
"""Records in memory."""
MOST_NAMED = 5
"""Lines that are left out."""
MOST_WORDS = 20_000
"""Characters of a session that are searched."""
_DECODER = msgspec.json.Decoder(AnyEvent)


class Glance(Struct, frozen=True):
    """What the queue filters a session by, without checking anything. kinds: of its tasks, "" where the name says
    nothing; words: what the user says."""

    tasks: int
    kinds: tuple[str, ...]
    words: str


def glance(record: Json, language: str) -> Glance:
    prefix = language_prefix(language)
    tasks, names = record.get(f"{prefix}tasks"), record.get(f"{prefix}task_types", record.get("english_task_types"))
    kinds = (
        tuple(str((isinstance(name, str) and read_type(name)) or "") for name in names)
        if isinstance(names, list)
        else ()
    )
    listed = tasks if isinstance(tasks, list) else []
    words = "\n".join(name for name in listed if isinstance(name, str))
    return Glance(len(listed), tuple(str(name or "") for name in kinds), words[:MOST_WORDS])


class Originals:
    """The records of a file of sessions in one language. tasks: of each session how many; broken: what is wrong with
    the lines that are left out; judgments: of `toolgauge judge`, beside the file."""

    def __init__(
        self,
        file: Path,
        language: str,
        sha256: str,
        lines: Mapping[str, tuple[int, bytes]],
        glances: Mapping[str, Glance],
        broken: Sequence[DataError],
    ) -> None:
        self.file, self.language, self.sha256, self.broken = file, language, sha256, broken
        self.glances = glances
        self.tasks = {name: judgment.tasks for name, judgment in glances.items()}
        self._lines = lines
        self._judgments: dict[str, list[Judgment]] = {}
        for judgment in read_judgments(file.parent):
            self._judgments.setdefault(judgment.session, []).append(judgment)
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
            _add_judgments(record, judgments, self.tasks[session])
        return record


def open_originals(file: Path, language: str | None = None) -> Originals:
    """Read a file of sessions. language: "en" or "zh", if the file has both. A line that is no record with an id of its
    own is left out; raises DataError where all are, or the file cannot be read."""
    lines: dict[str, tuple[int, bytes]] = {}
    glances: dict[str, Glance] = {}
    broken: list[DataError] = []
    for number, line in numbered_lines(file):
        try:
            if len(line) > MAX_SESSION_BYTES:
                raise DataError(f"longer than {MAX_SESSION_BYTES >> 20} MB: too long to review", file, number)
            record = DataLine(file, number, parse_line(line, file, number))
            name = session_of(record)
            if name in lines:
                raise record.error(f"duplicate id {shown(name)}", "id")
        except DataError as error:
            broken.append(error)
            continue
        language = language if lines and language else _language(record, language)
        lines[name], glances[name] = (number, line), glance(record.value, language)
    if not lines or language is None:
        raise broken[0] if broken else DataError("no session found", file)
    with open_regular(file) as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    return Originals(file, language, digest, lines, glances, broken)


def _language(first: DataLine, wanted: str | None) -> str:
    """The language that is reviewed: the one wanted, else the only one there is."""
    languages = [language for language in LANGUAGES if has_language(first.value, language)]
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


def _add_judgments(record: Json, judgments: Sequence[Judgment], tasks: int) -> None:
    """Put what a judge said later into a record that has no verdicts of its own. Of several judges the last counts."""
    origin = record.setdefault("origin", {})
    if not isinstance(origin, dict) or origin.get(JUDGED):
        return
    verdicts: list[object] = [None] * tasks
    for judgment in judgments:
        number = judgment.task.rpartition("/")[2]
        if number.isascii() and number.isdigit() and int(number) < tasks:
            wrong = (
                ArgumentVerdict(bad.call, bad.path, bad.value, Ruling.WRONG, bad.reason) for bad in judgment.values
            )
            repeated = tuple(call.call for call in judgment.repeated)
            verdict = Verdict(
                not judgment.answer, judgment.answer, tuple(wrong), unmet=judgment.unmet, repeated=repeated
            )
            verdicts[int(number)] = msgspec.to_builtins(verdict)
    origin[JUDGED] = verdicts


class Journal:
    """The journal of a review in a folder of its own, open in one process. Raises StoreError."""

    def __init__(self, folder: Path) -> None:
        try:
            make_folders(folder)
            self._file = AppendFile(folder / JOURNAL)
        except OSError as error:
            raise StoreError(f"cannot open {error.filename or folder / JOURNAL}: {os_cause(error)}") from error

    def append(self, event: AnyEvent) -> None:
        """Write an event and push it to the disk. Raises StoreError, or Refused for one that could not be read again,
        and nothing was written then."""
        try:
            line = msgspec.json.encode(event)
            _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            raise Refused(_("cannot be saved: {why}", why=str(error))) from error
        if len(line) >= MAX_LINE_BYTES:
            raise Refused(_("cannot be saved: {why}", why=_("longer than {most} MB", most=MAX_LINE_BYTES >> 20)))
        self._file.append(line, durable=True)

    def take_back(self) -> None:
        """Cut off the event that was just written: it was impossible."""
        self._file.take_back()

    def close(self) -> None:
        self._file.close()


def read_journal(folder: Path) -> Iterator[AnyEvent]:
    """The events in their order. Raises StoreError for a line that is none, or that a later version wrote."""
    path = folder / JOURNAL
    for number, line in read_whole_lines(path):
        try:
            event = _DECODER.decode(line)
        except (ValueError, RecursionError) as error:
            refuse_newer(path, line, VERSION)
            raise StoreError(f"{path}:{number}: invalid review event: {error}") from error
        if isinstance(event, Opened) and event.version > VERSION:
            raise newer(path)
        yield event
