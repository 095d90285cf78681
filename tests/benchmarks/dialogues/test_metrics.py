"""metrics.json: the tables' denominators, hand-counted values, missing tasks, epochs, stability; the run's table, facts
in replies, details.csv.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.analysis.synthetic import dataset, metrics, score, scores, session, trajectory, verdict
from tests.rows import rows
from tests.sizes import sized
from toolgauge.analysis.numbers import Rate
from toolgauge.benchmarks.dialogues.numbers.arguments import type_signature
from toolgauge.benchmarks.dialogues.numbers.details import (
    write_details,
)
from toolgauge.benchmarks.dialogues.numbers.report import DialogueReport
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Message, Reply, Request, Tool, ToolCall, Usage
from toolgauge.data.session import Dataset, TaskType
from toolgauge.episode import Step, Trajectory, drive
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict
from toolgauge.runs.scoring import score_all

Table = Any


@pytest.fixture(scope="module")
def whole() -> Table:
    data = dataset()
    return metrics("wildtoolbench", data, scores(data))


def tables(of: Table, scoring: str = "exact") -> Table:
    found: Table = of.scorings[scoring]
    return found


def totals(table: Table) -> dict[str, int]:
    return {row: entry.total for row, entry in table.items()}


def small(*labels: str) -> tuple[Dataset, list[Score]]:
    """Sessions single, mixed, clarify, chat; a label per task: "+" right, "-" wrong, " " without a score."""
    kinds = (TaskType.SINGLE_TOOL, TaskType.MIXED_TOOLS, TaskType.CLARIFY, TaskType.CHAT)
    sessions = tuple(session(number, kinds) for number in range(len(labels)))
    made = [
        score(of, index, {"exact": verdict(sign == "+", len(of.tasks[index].calls), done=1)})
        for of, signs in zip(sessions, labels, strict=True)
        for index, sign in enumerate(signs)
        if sign != " "
    ]
    return Dataset("small", "en", "0" * 64, sessions), made


def test_denominators_of_a_set_with_every_sequence_of_kinds(whole: Table) -> None:
    """Spec 1.5 and 5.6: what follows from each of the 256 sequences occurring once."""
    found = tables(whole)
    assert totals(found["overall"]) == {"task_accuracy": 1024, "session_accuracy": 256}
    assert totals(found["by_order"]) == dict.fromkeys("1234", 256)
    assert {found["by_type"][kind].total for kind in ("single", "multi", "clarify", "chat", "single_tool")} == {256}
    assert totals(found["transitions"]) == {"0": 340, "1": 324, "2": 252, "3": 108}
    assert totals(found["transitions_two_groups"]) == {"0": 480, "1": 352, "2": 160, "3": 32}
    assert set(totals(found["transition_pairs"]).values()) == {48}
    assert len(found["transition_pairs"]) == 16
    assert found["references"]["later"].total == 768
    assert found["layers"]["multi@3"].total == 64
    assert found["layers"]["all@all"].total == 1024


def test_values_counted_by_hand() -> None:
    data, made = small("++++", "+-++", "-+-+")
    found = tables(metrics("mini", data, made))
    value = {table: {row: entry.value for row, entry in rows.items()} for table, rows in found.items()}
    assert value["overall"] == {"task_accuracy": 0.75, "session_accuracy": 0.333333}
    assert value["by_type"]["single"] == 0.666667
    assert value["by_type"]["parallel_tools"] is None
    assert value["by_order"] == {"1": 0.666667, "2": 0.666667, "3": 0.666667, "4": 1.0}
    assert value["orchestration"]["acc_mixed"] == value["orchestration"]["op_mixed"] == 0.666667
    assert value["orchestration"]["ap_mixed"] == 0.75  # 4 + 1 + 4 of 12 annotated calls
    assert value["orchestration"]["ap_sequential"] is None
    assert value["transition_pairs"]["clarify>chat"] == 1.0
    assert value["layers"]["clarify@3"] == value["layers"]["all@3"] == 0.666667
    assert value["layers"]["clarify@1"] is None
    assert value["mistakes"]["wrong_tool"] == value["mistakes_paper"]["call_error"] == 1.0
    assert value["mistakes"]["refusal"] == 0.0
    assert value["by_tools_offered"] == {"3": 1.0, "4": 0.75, "5": 0.5}


def test_optimal_needs_a_right_label() -> None:
    data, made = small("++++")
    odd = Verdict(ERROR, CORRECT, True, (2, 4), Mistake.WRONG_VALUE.value)
    made[1] = Score(made[1].task_id, made[1].session_id, 1, {"exact": odd})
    found = tables(metrics("mini", data, made))
    assert found["orchestration"]["op_mixed"].correct == 0
    assert found["layers"]["multi@2"].value == 0
    assert found["layers_action"]["multi@2"].value == 1


def test_missing_tasks_are_stated_and_in_no_denominator() -> None:
    data, made = small("++++", "+ ++", "    ")
    found = metrics("mini", data, made)
    assert (found.requested, found.scored, found.missing) == (12, 7, 5)
    overall = tables(found)["overall"]
    assert overall["task_accuracy"] == Rate(
        value=1.0, correct=7, total=7, ci95=(0.158114, 1.0), requested=12, scored=7, missing=5
    )
    assert overall["session_accuracy"].total == 1
    assert [getattr(overall["session_accuracy"], key) for key in ("requested", "scored", "missing")] == [3, 1, 2]
    multi = tables(found)["by_type"]["multi"]
    assert [getattr(multi, key) for key in ("requested", "scored", "missing")] == [3, 1, 2]


def test_epochs_are_pooled_and_the_session_stays_the_cluster() -> None:
    data = dataset(12)
    once, thrice = scores(data, epochs=1), scores(data, epochs=3)
    found = metrics("mini", data, thrice, [one.task_id for one in thrice])
    overall = tables(found)["overall"]
    assert (overall["task_accuracy"].total, overall["session_accuracy"].total) == (144, 36)
    assert found.missing == 0
    same = [
        Score(f"{one.task_id}#{epoch}" if epoch else one.task_id, one.session_id, one.task_index, one.scorings)
        for one in once
        for epoch in range(3)
    ]
    repeated = tables(metrics("mini", data, same))["overall"]["task_accuracy"]
    assert repeated.ci95 == tables(metrics("mini", data, once))["overall"]["task_accuracy"].ci95


def test_differences_between_scorings_are_counted_both_ways(whole: Table) -> None:
    differ = whole.differences
    assert differ["exact"]["tables"] == differ["tables"]["exact"] > 0
    assert differ["released"].keys() == {"exact", "tables"}


def test_wrong_arguments_are_counted_by_the_types_of_the_schema() -> None:
    data, made = small(*["-+++"] * 12)
    tool = Tool("tool_0", "", {"type": "object", "properties": {"city": {"type": "string"}}})
    data = replace(data, sessions=tuple(replace(of, tools=(tool,)) for of in data.sessions))
    wrong = (("tool_0", "city"), ("tool_0", "city"), ("tool_0", "nobody"))
    for place, one in enumerate(made):
        if not one.scorings["exact"].correct:
            made[place] = replace(one, scorings={"exact": replace(one.scorings["exact"], wrong_arguments=wrong)})
    found = tables(metrics("mini", data, made))
    assert list(found["parameter_errors"]) == ['["string"]', "[]"]
    assert found["parameter_errors"]['["string"]'].value == 0.666667
    assert found["parameter_errors"]['["string"]'].correct == 24


def test_sessions_of_other_lengths() -> None:
    data = Dataset("long", "en", "", (session(0, (TaskType.CHAT, TaskType.SINGLE_TOOL) * 3), session(1, ())))
    made = [score(data.sessions[0], index, {"exact": verdict(index != 5)}) for index in range(6)]
    found = tables(metrics("own", data, made))
    assert totals(found["by_order"]) == dict.fromkeys("123456", 1)
    assert found["by_order"]["6"].value == 0
    assert totals(found["transitions"]) == dict.fromkeys("012345", 1)
    assert found["overall"]["session_accuracy"].value == 0


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "array", "items": {"type": "string"}},
        "spot": {"type": "object", "properties": {"lat": {"type": "float"}, "lon": {"type": "float"}}},
        "stops": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "maybe": {"type": ["null", "integer"]},
        "either": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "untyped": {"description": "?"},
        "bare": {"type": "array"},
    },
}


@rows(
    ("path", "signature"),
    [
        ("city", '["string"]'),
        ("days", '["array", ["string"]]'),
        ("days[3]", '["string"]'),
        ("spot", '["object", [["float"], ["float"]]]'),
        ("spot.lat", '["float"]'),
        ("stops[0].name", '["string"]'),
        ("maybe", '["integer"]'),
        ("either", '["number"]'),
        ("untyped", '["string"]'),
        ("bare", '["array", []]'),
        ("nobody", "[]"),
        ("city.x", "[]"),
        ("spot[0]", "[]"),
        ("spot.lat.deeper[0]", "[]"),
    ],
)
def test_signature(path: str, signature: str) -> None:
    assert type_signature(SCHEMA, path) == signature


def lengths(data: Dataset, *trajectories: Trajectory) -> dict[str, tuple[int, int]]:
    """Messages and tokens by task, where they are known."""
    every = [session.task_id(0, epoch) for session in data.sessions for epoch in (0, 1)]
    every += [session.task_id(1, epoch) for session in data.sessions for epoch in (0, 1)]
    table = DialogueReport().table(data, [], every, trajectories)
    found = {task_id: (one.messages, one.tokens) for task_id, one in zip(table.ids, table.subjects, strict=True)}
    return {task_id: length for task_id, length in found.items() if any(length)}


def test_how_long_the_conversation_was_at_a_task() -> None:
    data = dataset(1)
    of = data.sessions[0]
    assert lengths(data, trajectory(of, 0)) == {of.task_id(0): (2, 100)}
    assert lengths(data, Trajectory(of.task_id(1), of.id, (), 1)) == {}
    assert lengths(data, Trajectory("nobody/0", "nobody", (), 0)) == {}


def test_the_tasks_of_one_conversation_have_lengths_of_their_own() -> None:
    """Two tasks in one conversation: the second begins behind two messages, its first request has three."""
    data = dataset(1)
    of = data.sessions[0]
    user, tool = Message("user", "please"), Message("tool", "{}", tool_call_id="c")
    steps = (
        Step((Message("system", "now"), user), Reply("one", usage=Usage(50)), 0),
        Step((Message("assistant", "one"), user, tool), Reply("two", usage=Usage(90)), 1),
        Step((tool,), Reply("three", usage=Usage(120)), 1),
        Step((tool,), Reply("of no task", usage=Usage(999)), 9),
    )
    found = lengths(data, Trajectory(f"{of.id}#1", of.id, steps, epoch=1))
    assert found == {of.task_id(0, 1): (2, 50), of.task_id(1, 1): (5, 90)}


MINI = find_benchmark("mini")
FORGETFUL = "mini_1/1"


def mini(language: str) -> Dataset:
    assert MINI.embedded is not None
    loaded: Dataset = MINI.load(MINI.embedded, language)
    return loaded


def played(dataset: Dataset) -> list[Trajectory]:
    """The annotated answers, but one reply forgets its fact and one request that no tool serves is met with a call."""
    found = []
    for sample in MINI.samples(dataset):

        def answer(request: Request, key: str = sample.key) -> Reply:
            assert request.gold_hint is not None
            if key == FORGETFUL:
                return Reply("No idea.")
            if key == "mini_4/3":
                return Reply(None, (ToolCall("c", request.tools[0].name, "{}"),))
            return request.gold_hint.reply

        found.append(drive(MINI.episode(dataset, sample), answer))
    return found


@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_facts_are_a_rate_of_their_own(language: str, tmp_path: Path) -> None:
    dataset = mini(language)
    trajectories = played(dataset)
    scores = {score.task_id: score for score in score_all(MINI, dataset, trajectories)}
    assert scores[FORGETFUL].scorings["exact"].correct
    facts = scores[FORGETFUL].facts
    assert facts
    assert (facts.mentioned, facts.total, len(facts.missing)) == (0, 1, 1)
    assert scores["mini_0/0"].facts is UNSET
    wrong = scores["mini_4/3"].scorings["exact"]
    assert (wrong.mistake, wrong.code) == ("needless_tool", "calls_for_unservable")

    report = MINI.report()
    content = metrics("mini", dataset, list(scores.values()))
    for tables in content.scorings.values():
        assert (tables["facts"]["facts_mentioned"].correct, tables["facts"]["facts_mentioned"].total) == (9, 10)
        assert (tables["by_type"]["unservable"].correct, tables["by_type"]["unservable"].total) == (5, 6)
    assert content.scorings["exact"]["overall"]["task_accuracy"].correct == 127

    path = tmp_path / "details.csv"
    report.write_details(path, dataset, list(scores.values()), trajectories)
    rows = {row["task_id"]: row for row in csv.DictReader(path.open(encoding="utf-8-sig"))}
    assert (rows[FORGETFUL]["facts"], rows[FORGETFUL]["facts_mentioned"]) == ("1", "0")
    assert rows["mini_0/0"]["facts"] == ""
    assert sum(int(row["facts"] or 0) for row in rows.values()) == 10


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
