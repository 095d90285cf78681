"""What a run asks: epochs, ids, limits, the model's own history, and both languages, from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.playing import go, lines, options
from tests.mockserver import Json, serve
from toolgauge.benchmarks.dialogues.prompts import prompt


def labels(folder: Path, scoring: str = "exact") -> dict[str, str]:
    """The label of every task in the order of scores.jsonl."""
    return {line["task_id"]: line["scorings"][scoring]["label"] for line in lines(folder / "scores.jsonl")}


def test_epochs_ask_every_task_again(tmp_path: Path) -> None:
    result = go(tmp_path / "run", epochs=3, limit=2)
    ids = list(labels(tmp_path / "run"))
    once = [f"mini_{session}/{task}" for session in range(2) for task in range(4)]
    assert ids == [task + epoch for epoch in ("", "#1", "#2") for task in once]
    assert result.metrics.missing == 0
    assert result.metrics.scorings["exact"]["overall"]["task_accuracy"].total == 24
    found = labels(tmp_path / "run")
    assert len({tuple(found[task + epoch] for task in once) for epoch in ("", "#1", "#2")}) > 1


def test_ids_choose_sessions_and_tasks(tmp_path: Path) -> None:
    result = go(tmp_path / "run", ids=("mini_3", "mini_1/2"))
    assert list(labels(tmp_path / "run")) == ["mini_1/2", *(f"mini_3/{task}" for task in range(4))]
    assert result.metrics.missing == 0


# The model's own history, as it goes over the wire

UNKNOWN: Json = {"id": "c1", "type": "function", "function": {"name": "no_such_tool", "arguments": "{}"}}
NAMELESS: Json = {"id": "c1", "type": "function", "function": {"arguments": "{}"}}
UNANSWERED = {"role": "tool", "content": prompt("unanswered", "en"), "tool_call_id": "c1"}
AFTERMATH: dict[str, tuple[Json, list[Json]]] = {
    "a sentence": ({"content": "No."}, [{"role": "assistant", "content": "No."}]),
    "a call of an unknown tool": (
        {"content": None, "tool_calls": [UNKNOWN]},
        [{"role": "assistant", "content": None, "tool_calls": [UNKNOWN]}, UNANSWERED],
    ),
    "a call without a name": ({"content": None, "tool_calls": [NAMELESS]}, []),
    "a call without a name, and words": (
        {"content": "Let me see.", "tool_calls": [NAMELESS]},
        [{"role": "assistant", "content": "Let me see."}],
    ),
    "nothing": ({"content": None}, []),
}


@pytest.mark.parametrize("said", AFTERMATH)
def test_after_a_failed_task_the_dialogue_goes_on(said: str, tmp_path: Path) -> None:
    reply, left = AFTERMATH[said]
    with serve(lambda _body: {"role": "assistant"} | reply) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), history="own", ids=("mini_0",))
        asked = [body["messages"] for body in server.requests]
    assert labels(tmp_path / "run") == {f"mini_0/{task}": "error" for task in range(4)}
    assert len(asked) == 4, "each of its tasks needs a call, so each ends with the first reply"
    expected = asked[0]
    assert [message["role"] for message in expected] == ["system", "user"]
    for messages in asked[1:]:
        expected = [*expected, *left, messages[-1]]
        assert messages == expected
        assert messages[-1]["role"] == "user"
