"""What leaves a review: approved sessions as a benchmark, as training data, and as corrections of the original file.

Everything is checked once more by code before it leaves: the data are sound, the annotated answers pass, silence fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from toolgauge.benchmarks.data_files import files_for
from toolgauge.data.problems import Problem
from toolgauge.data.training.openai import openai_line
from toolgauge.data.training.sharegpt import sharegpt_line
from toolgauge.data.versions import between, encoded
from toolgauge.files import make_folders, write_below
from toolgauge.generation.formats.training import conversation_of
from toolgauge.generation.resume import dialogue_of
from toolgauge.locale import _
from toolgauge.review.card import card_of, in_words
from toolgauge.review.desk import Desk
from toolgauge.review.figures import figures
from toolgauge.review.refusals import Refused
from toolgauge.review.state import SessionState, SessionStatus

SESSIONS, CORRECTIONS, OPENAI, SHAREGPT = "sessions.jsonl", "corrections.jsonl", "openai.jsonl", "sharegpt.jsonl"
CARD = "card.json"


class Exported(Struct, frozen=True):
    """sessions: how many left; left_out: how many did not, for they are not approved. problems: of the last check;
    where there are any nothing is written."""

    folder: Path
    files: tuple[str, ...]
    sessions: int
    left_out: int
    problems: tuple[Problem, ...] = ()


def export(desk: Desk, folder: Path, unapproved: bool = False) -> Exported:
    """Write what is approved into a folder. unapproved: everything but what was rejected, and the card says so.

    Raises Refused where there is nothing to write, StoreError, OSError.
    """
    chosen = [one for one in desk.state.sessions.values() if _leaves(one, unapproved)]
    if not chosen:
        raise Refused(_("no session is approved yet"))
    make_folders(folder)
    records = [desk.record(one.id, one.common) for one in chosen]
    checked = folder / SESSIONS
    write_below(folder, SESSIONS, b"".join(msgspec.json.encode(one) + b"\n" for one in records))
    left_out = len(desk.state.sessions) - len(chosen)
    problems = files_for(checked).check(checked, desk.originals.language).problems
    if problems:
        checked.unlink()
        return Exported(folder, (), len(chosen), left_out, tuple(problems))
    card = card_of(desk, chosen, figures(desk))
    files = {
        CORRECTIONS: b"".join(_corrections(desk, chosen)),
        CARD: msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n",
        "README.md": in_words(card, "en").encode(),
        "README.zh-CN.md": in_words(card, "zh").encode(),
    }
    for name, line in ((OPENAI, openai_line), (SHAREGPT, sharegpt_line)):
        lines = (line(conversation_of(dialogue_of(record, desk.originals.language))) for record in records)
        files[name] = b"".join(msgspec.json.encode(one) + b"\n" for one in lines)
    for name, content in files.items():
        write_below(folder, name, content)
    return Exported(folder, (SESSIONS, *files), len(chosen), left_out)


def _leaves(session: SessionState, unapproved: bool) -> bool:
    if unapproved:
        return session.status is not SessionStatus.REJECTED and not session.is_blind
    return session.status is SessionStatus.APPROVED


def _corrections(desk: Desk, sessions: list[SessionState]) -> Iterator[bytes]:
    """What makes of the sessions in the file those that leave, as a file of corrections of it."""
    for session in sessions:
        if session.added is None and session.common.edits:
            now = desk.record(session.id, session.common)
            yield encoded(between(session.id, desk.originals.record(session.id), now, "review"))
