"""Dialogues as records of sessions: read again as they were written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.generation.scripted import LANGUAGES, dialogue_of, made
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.sessions import session_record
from toolgauge.generation.graph import annotate


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_records_are_read_as_they_were_written(language: str, tmp_path: Path) -> None:
    sessions = [
        annotate(dialogue_of(made(("multi", "clarify", "chat"), language=language, key=str(n)))) for n in range(4)
    ]
    file = tmp_path / "made.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(session_record(one)) + b"\n" for one in sessions))
    for before, after in zip(sessions, load_dataset(file, language=language).sessions, strict=True):
        assert (before.id, before.clock, before.tools, before.extra) == (
            after.id,
            after.clock,
            after.tools,
            after.extra,
        )
        for one, other in zip(before.tasks, after.tasks, strict=True):
            assert other.calls == one.calls
            assert (other.type, other.reference, other.utterance) == (one.type, one.reference, one.utterance)
            assert other.dialogue == one.dialogue
