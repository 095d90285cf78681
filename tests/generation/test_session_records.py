"""Dialogues as records of WildToolBench's layout: sound, readable again, won by who knows the answers only."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.generation.dialogues import asks, calls, closes, dialogue, rebuilt, results, user
from toolgauge.annotation.dialogue import Action, Dialogue
from toolgauge.annotation.graph import annotate
from toolgauge.benchmarks.certificates import uncertified
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.data.session import FINAL, Session
from toolgauge.generation.formats.sessions import session_record

MINI = Path(__file__).parents[2] / "src/toolgauge/benchmarks/dialogues/mini/sessions.jsonl"
WEATHER = [calls(Action("get_weather", {"city": "Oslo"})), results({"sky": "grey"}), closes("It is grey.")]
CHAT = [user("why?"), closes("Because of the clouds.", "chat")]


def written(dialogues: list[Dialogue], file: Path) -> list[Session]:
    """The sessions of dialogues, written to a file of records."""
    sessions = [annotate(one) for one in dialogues]
    lines = [
        msgspec.json.encode(session_record(session, one)) for session, one in zip(sessions, dialogues, strict=True)
    ]
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    return sessions


@pytest.mark.parametrize("language", ["en", "zh"])
def test_records_are_sound_and_tell_the_players_apart(language: str, tmp_path: Path) -> None:
    """Of the embedded benchmark's dialogues: every rule of the check, the annotated answers pass, silence fails."""
    gold = load_dataset(MINI, language=language)
    file = tmp_path / "made.jsonl"
    written([rebuilt(session) for session in gold.sessions], file)
    assert check(file) == []
    assert uncertified(find_benchmark("wildtoolbench"), load_dataset(file, language=language)) == {}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_records_are_read_as_they_were_written(language: str, tmp_path: Path) -> None:
    file = tmp_path / "made.jsonl"
    sessions = written([rebuilt(session) for session in load_dataset(MINI, language=language).sessions], file)
    read = load_dataset(file, language=language).sessions
    for before, after in zip(sessions, read, strict=True):
        assert (before.id, before.clock, before.language, before.tools) == (
            after.id, after.clock, after.language, after.tools,
        )  # fmt: skip
        assert after.extra == before.extra
        for one, other in zip(before.tasks, after.tasks, strict=True):
            assert other.calls == one.calls
            assert (other.type, other.reference, other.utterance) == (one.type, one.reference, one.utterance)
            assert other.dialogue == one.dialogue


def test_a_record_in_full() -> None:
    one = dialogue([user("how's the weather?"), asks("Where?", "oslo", "get_weather", "city"), WEATHER], CHAT)
    record = session_record(annotate(one), one)
    ask, call, final = record["english_answer_list"][0]
    assert ask == {
        "idx": 0,
        "action": {
            "name": "ask_user_for_required_parameters",
            "arguments": {"tool_list": [{"tool_name": "get_weather", "missing_required_parameters": ["city"]}]},
        },
        "dependency_list": [],
        "observation": "Where?",
        "user_input": "oslo",
    }
    assert call == {
        "idx": 1,
        "action": {"name": "get_weather", "arguments": {"city": "Oslo"}},
        "dependency_list": [0],
        "observation": {"sky": "grey"},
        "argument_sources": {"city": [{"from": "reply", "task": 0, "step": 0, "quote": "oslo"}]},
        "dependency_evidence": [{"from": 0, "to": 1, "why": "value", "certain": True, "kept": True, "path": "city"}],
    }
    assert final == {
        "idx": 2,
        "action": {"name": FINAL, "arguments": {"answer_type": "tool"}},
        "dependency_list": [1],
        "observation": "It is grey.",
    }
    assert record["english_task_types"] == ["Clarify", "Chat"]
    assert record["english_turn_subtypes"] == ["Partial Information"]
    assert record["english_messages"] == [
        {"role": "user", "content": "how's the weather?"},
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "oslo"},
        {"role": "assistant", "content": "It is grey."},
        "=====",
        {"role": "user", "content": "why?"},
        {"role": "assistant", "content": "Because of the clouds."},
    ]
    chinese = one_in_chinese()
    assert not any(name.startswith("english_") for name in session_record(annotate(chinese), chinese))


def one_in_chinese() -> Dialogue:
    return dialogue([user("为什么?"), closes("因为云。", "chat")], language="zh")
