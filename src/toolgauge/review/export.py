"""What leaves a review: approved sessions as a benchmark, as training data, and as corrections of the original file,
with a card that says what is in them and how far people agreed.

Everything is checked once more by code before it leaves: the data are sound, the annotated answers pass, silence fails.
"""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.analysis.agreement import Agreement
from toolgauge.benchmarks.data_files import files_for
from toolgauge.chat import Json
from toolgauge.data.corrections import between, encoded
from toolgauge.data.record import shown
from toolgauge.data.weaknesses import as_reviewed
from toolgauge.errors import DataError, StoreError, os_cause, placed
from toolgauge.files import make_folders, own_folder, read_marker, require_own_folder, write_whole
from toolgauge.generation.formats.records import conversation_of
from toolgauge.generation.graph import Unfinished
from toolgauge.generation.resume import dialogue_of
from toolgauge.locale import Text, _, plain
from toolgauge.report.exports.training import TrainingConversation, openai_line, sharegpt_line
from toolgauge.review.desk import Desk
from toolgauge.review.events import Refused
from toolgauge.review.figures import Agreements, Opinions, decided, given_opinions
from toolgauge.review.rounds import RoundsReport, rounds_report
from toolgauge.review.state import SessionState, SessionStatus
from toolgauge.review.store import Originals
from toolgauge.version import __version__

SESSIONS, CORRECTIONS, OPENAI, SHAREGPT = "sessions.jsonl", "corrections.jsonl", "openai.jsonl", "sharegpt.jsonl"
CARD = "card.json"
CARD_VERSION = 2
ARCHIVE = "reviewed"
"""The folder in the archive."""


class Card(Struct, frozen=True):
    """What is in an export, and how it was looked at. paths: types of the sessions' tasks, in order, and how many
    sessions have them; reviewers: people who edited or decided, by number; opinions, judge: how far people agree, with
    each other and with the judge."""

    original: str
    sha256: str
    language: str
    sessions: int
    left_out: int
    paths: dict[str, int]
    reviewers: int
    opinions: list[Opinions]
    judge: Agreement
    rounds: RoundsReport
    toolgauge: str = __version__
    version: int = CARD_VERSION


class LastProblem(Struct, frozen=True):
    """What the last check found in a session. session: its id, None of what no session is at fault for. message: where,
    and what."""

    session: str | None
    message: Text


class Export(Struct, frozen=True):
    """What is to leave. files: their content by name. sessions: how many leave; left_out: how many do not, for they are
    not approved. problems: of the last check; where there are any there are no files."""

    files: dict[str, bytes]
    sessions: int
    left_out: int
    problems: tuple[LastProblem, ...] = ()


def prepared(desk: Desk, unapproved: bool = False) -> Export:
    """What is approved. unapproved: everything but what was rejected, and the card says so.

    Raises Refused where there is nothing to write, StoreError, OSError.
    """
    chosen = [one for one in desk.state.sessions.values() if _leaves(one, unapproved)]
    if not chosen:
        raise Refused(_("no session is approved yet"))
    records = [_leaving(desk, one) for one in chosen]
    sessions = b"".join(msgspec.json.encode(one) + b"\n" for one in records)
    left_out = len(desk.state.sessions) - len(chosen)
    problems = tuple(_problems(sessions, [one.id for one in chosen], desk.originals.language))
    if problems:
        return Export({}, len(chosen), left_out, problems)
    conversations = list(_conversations(records, desk.originals.language))
    files = {
        SESSIONS: sessions,
        CORRECTIONS: b"".join(_corrections(desk, chosen)),
        CARD: msgspec.json.format(msgspec.json.encode(_card(desk, chosen)), indent=2) + b"\n",
    }
    for name, line in ((OPENAI, openai_line), (SHAREGPT, sharegpt_line)):
        files[name] = b"".join(msgspec.json.encode(made) + b"\n" for one in conversations if (made := line(one)))
    return Export(files, len(chosen), left_out)


def write(export: Export, folder: Path, overwrite: bool = False) -> None:
    """Write what is to leave into a folder, the card first: by it an earlier export is known, which is replaced.

    Raises UsageError where the folder holds anything else, unless it is to be overwritten, and StoreError, also where
    the folder is a link.
    """
    require_own_folder(folder, read_marker(folder / CARD, Card) is not None, overwrite)
    try:
        make_folders(folder)
        own_folder(folder)  # no link
        for name in sorted(export.files, key=lambda name: name != CARD):
            write_whole(folder / name, export.files[name])
    except OSError as error:
        raise StoreError(f"cannot write {error.filename or folder}: {os_cause(error)}") from error


def prepared_beside(folder: Path, originals: Originals, unapproved: bool = False) -> Export:
    """As `prepared`, of a review that may be in use."""
    with closing(Desk(folder, originals, is_read_only=True)) as desk:
        return prepared(desk, unapproved)


def archive(folder: Path, originals: Originals, unapproved: bool = False) -> bytes:
    """The same as a zip file, of a review that may be in use. Raises Refused, also for what the last check finds."""
    export = prepared_beside(folder, originals, unapproved)
    if export.problems:
        first, count = export.problems[0].message, len(export.problems)
        raise Refused(_("problems in the final check: {count}; the first: {first}", count=count, first=first))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for file, content in export.files.items():
            opened.writestr(f"{ARCHIVE}/{file}", content)
    return packed.getvalue()


def _problems(sessions: bytes, ids: list[str], language: str) -> Iterator[LastProblem]:
    """What `data check` finds in them, each behind its session and place: also whether the annotated answers pass, and
    silence fails."""
    with tempfile.TemporaryDirectory(prefix="toolgauge-") as scratch:
        file = Path(scratch) / SESSIONS
        write_whole(file, sessions)
        for one in files_for(file).check(file, language).problems:
            session = None if one.line is None else ids[one.line - 1]
            name = SESSIONS if session is None else shown(session)
            yield LastProblem(session, plain(placed(one.message, name, path=one.path)))


def _conversations(records: list[Json], language: str) -> Iterator[TrainingConversation]:
    """As training data; sessions that are no whole dialogues, as those of other projects may be, are none."""
    for record in records:
        with suppress(DataError, Unfinished):
            yield conversation_of(dialogue_of(record, language))


def _card(desk: Desk, chosen: list[SessionState]) -> Card:
    read, agreements = [desk.read(one.id, one.common) for one in chosen], Agreements(desk)
    return Card(
        desk.originals.file.name,
        desk.originals.sha256,
        desk.originals.language,
        len(chosen),
        len(desk.state.sessions) - len(chosen),
        dict(Counter(", ".join(task.type.value for task in session.tasks) for session in read).most_common()),
        len({name for one in chosen for name in one.hands}),
        agreements.measure(given_opinions(desk.state)),
        agreements.with_judge(decided(desk.state)),
        rounds_report(desk.state),
    )


def _leaves(session: SessionState, unapproved: bool) -> bool:
    if unapproved:
        return session.status is not SessionStatus.REJECTED and not session.is_blind
    return session.status is SessionStatus.APPROVED


def _leaving(desk: Desk, session: SessionState) -> Json:
    """The record of a session as it leaves: an approved one is not marked as unreviewed any more."""
    record = desk.record(session.id, session.common)
    return as_reviewed(record) if session.status is SessionStatus.APPROVED else record


def _corrections(desk: Desk, sessions: list[SessionState]) -> Iterator[bytes]:
    """What makes of the sessions in the file those that leave, as a file of corrections of it."""
    for session in sessions:
        before, now = desk.originals.record(session.id), _leaving(desk, session)
        if session.common.edits or now is not before:
            yield encoded(between(session.id, before, now, "review"))
