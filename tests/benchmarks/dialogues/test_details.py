"""details.csv: the original's columns, ours, and what hostile text does to a spreadsheet."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.analysis.synthetic import dataset, score, scores, trajectory, verdict
from toolgauge.benchmarks.dialogues.numbers.details import (
    write_details,
)
from toolgauge.chat import Message, Reply
from toolgauge.episode import Step, Trajectory
from toolgauge.judge.mistakes import Mistake

DATA = dataset(3)


def read(path: Path) -> list[dict[str, str]]:
    csv.field_size_limit(1 << 25)
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_what_the_columns_say(tmp_path: Path) -> None:
    path, of = tmp_path / "details.csv", DATA.sessions[1]
    wrong = verdict(False, 3, Mistake.WRONG_VALUE, done=1)
    made = [score(of, 3, {"exact": verdict(True, 3), "tables": wrong})]
    write_details(path, DATA, made, [trajectory(of, 3, planted="wrong_value")])
    (row,) = read(path)
    assert (row["id"], row["idx"], row["single_type"], row["turn_type"]) == (of.id, "3", "多", "true")
    assert json.loads(row["type"]) == ["单", "单", "单", "多"]
    assert (row["param_predict_label"], row["predict_label"], row["predict_is_optimal"]) == (
        "error",
        "correct",
        "False",
    )
    assert row["error_type"] == "param value error"
    assert (row["messages_length"], row["steps"], row["latency"]) == ("2", "2", "0.75")
    assert (row["input_tokens"], row["output_tokens"], row["planted"]) == ("220", "15", "wrong_value")
    assert (row["exact_label"], row["exact_progress"], row["exact_mistake"]) == ("correct", "[3, 3]", "")
    assert (row["tables_label"], row["tables_progress"], row["tables_mistake"]) == ("error", "[1, 3]", "wrong_value")
    assert [message["role"] for message in json.loads(row["messages"])] == [
        "system", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    assert json.loads(row["answer_list"])[0]["action"] == {"name": "tool_0", "arguments": {"city": "Paris"}}
    assert [step["step"] for step in json.loads(row["predict_result"])] == [0, 1]
    assert len(json.loads(row["tools"])) == len(of.tools)


def test_progress_is_counted_for_chained_calls_only(tmp_path: Path) -> None:
    data, path = dataset(60), tmp_path / "details.csv"
    write_details(path, data, scores(data), [])
    for row in read(path):
        assert (row["complete_rate"] != "") == (row["shape"] in ("sequential_tools", "mixed_tools"))


def test_an_episode_over_a_whole_session_has_a_row_per_task(tmp_path: Path) -> None:
    path, of = tmp_path / "details.csv", DATA.sessions[0]
    steps = tuple(Step((Message("user", f"task {i}"),), Reply(f"answer {i}"), i) for i in (0, 0, 1, 2))
    write_details(path, DATA, scores(DATA)[:3], [Trajectory(of.id, of.id, steps)])
    rows = read(path)
    assert [row["steps"] for row in rows] == ["2", "1", "1"]
    assert [row["messages_length"] for row in rows] == ["1", "3", "4"]
    assert all(row["exact_label"] for row in rows)
