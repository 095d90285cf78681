"""metrics.json: the tables' denominators, hand-counted values, missing tasks, epochs, stability."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.analysis.synthetic import dataset, metrics, score, scores, session, verdict
from toolgauge.analysis.numbers import Rate
from toolgauge.chat import Tool
from toolgauge.data.session import Dataset, TaskType
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict

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
