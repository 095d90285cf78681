"""Dialogues as records of sessions: read again as they were written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.generation.dialogues import asks, calls, closes, dialogue, results, user
from tests.generation.scripted import LANGUAGES, dialogue_of, made
from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.data.session import FINAL
from toolgauge.data.sessions import session_record
from toolgauge.generation.dialogue import Action, Dialogue
from toolgauge.generation.graph import annotate

WEATHER = [
    calls(Action("get_weather", {"city": "Oslo"}, "", "a1")),
    results({"sky": "grey"}),
    closes("It is grey."),
]
CHAT = [user("why?"), closes("Because of the clouds.", "chat")]


@pytest.mark.parametrize("language", LANGUAGES)
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


def test_a_record_in_full() -> None:
    one = dialogue([user("how's the weather?"), asks("Where?", "oslo", "get_weather", "city"), WEATHER], CHAT)
    record = session_record(annotate(one))
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
        "dependency_evidence": [{"from": 0, "to": 1, "why": "question", "certain": True, "kept": True}],
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
    assert not any(name.startswith("english_") for name in session_record(annotate(chinese)))


def one_in_chinese() -> Dialogue:
    return dialogue([user("为什么?"), closes("因为云。", "chat")], language="zh")
