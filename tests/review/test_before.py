"""A review that an earlier version kept goes on: its journal makes the same of the same sessions."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from pathlib import Path

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review import commands
from toolgauge.review.desk import Desk
from toolgauge.review.events import Outcome
from toolgauge.review.handling import do
from toolgauge.review.store import JOURNAL, open_originals
from toolgauge.review.views import rounds_view, session_view

BEFORE = Path(__file__).parent / "before"
"""Edits (evidence that was confirmed among them), comments, opinions, a round, people: as the code of 2026-11-28 kept
them, and what it made of them."""


def test_a_journal_of_the_version_before_opens(tmp_path: Path) -> None:
    originals = open_originals(MINI_FILE, "en")
    kept = (BEFORE / JOURNAL).read_text(encoding="utf-8")
    sha256 = json.loads(kept.splitlines()[0])["sha256"]
    (tmp_path / JOURNAL).write_text(kept.replace(sha256, originals.sha256), encoding="utf-8")
    told = json.loads((BEFORE / "state.json").read_text(encoding="utf-8"))
    with closing(Desk(tmp_path, originals)) as desk:
        sessions = desk.state.sessions.values()
        assert {one.id: one.status.value for one in sessions if one.last} == told["statuses"]
        assert {one.id: one.common.version for one in sessions if one.common.version} == told["versions"]
        assert {one.id: one.common.approved for one in sessions if one.common.approved} == told["approved"]
        for name, digest in told["records"].items():
            record = json.dumps(desk.record(name, desk.session(name).common), sort_keys=True)
            assert hashlib.sha256(record.encode()).hexdigest()[:16] == digest
        person = desk.state.people["Ada"]
        assert rounds_view(desk, person)["report"].rounds[0].faulty == 1
        for one in sessions:
            if not one.is_blind:
                session_view(desk, person, one.id, ())
        number = desk.state.number
        version = desk.session("mini_0").common.version
        do(desk, "Ada", commands.Decide(session="mini_0", base=version, outcome=Outcome.APPROVED))
        assert desk.state.number == number + 1
