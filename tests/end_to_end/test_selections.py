"""What a run asks: epochs, ids, limits, the model's own history, and both languages, from end to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.playing import Player, call, command, go, lines, options, replies, results
from tests.mockserver import Json, serve
from toolgauge.benchmarks.dialogues.prompts import prompt
from toolgauge.errors import UsageError

ORACLE, SILENT = "builtin/oracle", "builtin/silent"


def labels(folder: Path, scoring: str = "exact") -> dict[str, str]:
    """The label of every task in the order of scores.jsonl."""
    return {line["task_id"]: line["scorings"][scoring]["label"] for line in lines(folder / "scores.jsonl")}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("history", ["gold", "own"])
def test_gold_passes_on_every_task(language: str, history: str, tmp_path: Path) -> None:
    result = go(tmp_path / "run", ORACLE, language=language, history=history)
    assert (result.outcome.failed, result.metrics.missing) == (0, 0)
    for scoring in ("exact", "released", "tables"):
        found = labels(tmp_path / "run", scoring)
        assert len(found) == 128
        assert set(found.values()) == {"correct"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_endpoint_gets_the_language_asked_for(language: str, tmp_path: Path) -> None:
    with serve(Player(replies(language, limit=2))) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), language=language, limit=2)
        asked = [body["messages"] for body in server.requests]
    go(tmp_path / "player", language=language, limit=2)
    assert results(tmp_path / "run") == results(tmp_path / "player")
    start = prompt("wildtoolbench", language).partition("{")[0]
    assert all(messages[0]["content"].startswith(start) for messages in asked)
    chinese = [any("\u4e00" <= char <= "\u9fff" for char in messages[1]["content"]) for messages in asked]
    assert set(chinese) == {language == "zh"}


def test_epochs_ask_every_task_again(tmp_path: Path) -> None:
    result = go(tmp_path / "run", epochs=3, limit=2)
    ids = list(labels(tmp_path / "run"))
    once = [f"mini_{session}/{task}" for session in range(2) for task in range(4)]
    assert ids == [task + epoch for epoch in ("", "#1", "#2") for task in once]
    assert result.metrics.missing == 0
    assert result.metrics.scorings["exact"]["overall"]["task_accuracy"].total == 24
    found = labels(tmp_path / "run")
    assert len({tuple(found[task + epoch] for task in once) for epoch in ("", "#1", "#2")}) > 1


def test_epochs_of_whole_sessions(tmp_path: Path) -> None:
    go(tmp_path / "run", ORACLE, epochs=2, limit=2, history="own")
    ids = {line["task_id"] for line in lines(tmp_path / "run" / "trajectories.jsonl")}
    assert ids == {"mini_0", "mini_1", "mini_0#1", "mini_1#1"}
    assert list(labels(tmp_path / "run")) == [
        f"mini_{s}/{t}{e}" for e in ("", "#1") for s in range(2) for t in range(4)
    ]


def test_ids_choose_sessions_and_tasks(tmp_path: Path) -> None:
    result = go(tmp_path / "run", ids=("mini_3", "mini_1/2"))
    assert list(labels(tmp_path / "run")) == ["mini_1/2", *(f"mini_3/{task}" for task in range(4))]
    assert result.metrics.missing == 0


def test_ids_that_are_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"ids: not in mini.*: mini_99, nobody/0"):
        go(tmp_path / "run", ids=("mini_3", "nobody/0", "mini_99"))
    assert not (tmp_path / "run").exists()


def test_the_command_takes_all_of_it(tmp_path: Path) -> None:
    arguments = command("run", "mini", "-m", ORACLE, "--language", "zh", "--history", "own", "--epochs", 2)
    arguments += ["--ids", "mini_0,mini_2", "--out", "run"]
    code, _, err = call(arguments, tmp_path)
    assert code == 0, err
    assert set(labels(tmp_path / "run").values()) == {"correct"}
    assert len(labels(tmp_path / "run")) == 16


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


def test_a_run_directory_is_scored_as_it_is(tmp_path: Path) -> None:
    go(tmp_path / "run", ORACLE, limit=1)
    for option, value in (("--out", "x"), ("--language", "zh"), ("--benchmark", "mini")):
        code, _, err = call(command("score", "run", option, value), tmp_path)
        assert code == 2
        assert err.startswith(f"toolgauge: {option} goes with a result file")


def test_a_run_without_a_finished_task_has_nothing_to_score(tmp_path: Path) -> None:
    go(tmp_path / "run", ORACLE, limit=1)
    (tmp_path / "run" / "trajectories.jsonl").write_text("")
    code, _, err = call(command("score", "run"), tmp_path)
    assert (code, err) == (2, "toolgauge: run: holds nothing to score, no task of it is finished\n")


def test_a_task_of_an_own_history_cannot_be_chosen_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="as whole sessions because of --history own"):
        go(tmp_path / "run", ORACLE, history="own", ids=["mini_3/1"])
