"""The whole pipeline, played by scripted agents: every path becomes a sound dialogue, in both languages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest

from tests.generation.scripted import LANGUAGES, dialogue_of, made
from tests.sizes import sized
from toolgauge.benchmarks.certificates import uncertified
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.sessions import session_record
from toolgauge.episode import Trajectory
from toolgauge.generation.episode import attempts_of
from toolgauge.generation.graph import annotate
from toolgauge.generation.paths import all_paths, slots_of

PART = sized(8, 1)
"""Of the paths of four tasks one in so many is made in each language."""


@cache
def everything(language: str) -> tuple[Trajectory, ...]:
    """A dialogue for each of the 84 paths of one to three tasks, and for an eighth of the 256 of four; in
    `make test-long` for every one of the 340."""
    short = [path for tasks in range(1, 4) for path in all_paths(tasks)]
    long = all_paths(4)[LANGUAGES.index(language) :: PART]
    slots = slots_of(short + long, language)
    return tuple(made(slot.path, language=language, key=slot.key, vague=0.25) for slot in slots)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_path_becomes_a_dialogue_at_once(language: str) -> None:
    found = everything(language)
    assert len(found) == 84 + 256 // PART
    refused = [attempt for one in found for attempt in attempts_of(one) if attempt.failed or attempt.repairs]
    assert refused == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_tasks_are_what_was_dictated(language: str) -> None:
    """Kinds, the shapes of their graphs and references; and every value has a source."""
    for one in everything(language):
        dialogue = dialogue_of(one)
        session = annotate(dialogue)
        for planned, task in zip(dialogue.tasks, session.tasks, strict=True):
            assert (task.type.kind, task.reference) == (planned.kind, planned.reference)
            assert planned.shape in (None, task.type.value), one.task_id
            sourceless = [(call.name, call.arguments) for call in task.calls if call.is_tool and len(call.sources) == 0]
            assert not [call for call in sourceless if call[1]]


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_the_sessions_pass_the_check_and_have_certificates(language: str, tmp_path: Path) -> None:
    """Sound as data; the annotated answers pass, silence and wrong values fail."""
    file = tmp_path / "sessions.jsonl"
    records = [session_record(annotate(dialogue_of(one))) for one in everything(language)]
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    benchmark = find_benchmark("wildtoolbench")
    assert [str(problem) for problem in check(file)] == []
    assert uncertified(benchmark, benchmark.load(file, language)) == {}
