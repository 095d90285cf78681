"""With the real bfcl-eval (make bfcl): all 800 entries, its own runner, calls that must not run code."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from toolgauge.benchmarks.conversation.tasks import TaskSet
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge_bfcl.benchmark import CATEGORIES, SCORING, BfclMultiTurn

pytestmark = [
    pytest.mark.bfcl,
    pytest.mark.skipif(importlib.util.find_spec("bfcl_eval") is None, reason="bfcl-eval is not installed (make bfcl)"),
]
BFCL = BfclMultiTurn()


@pytest.fixture(scope="module")
def dataset() -> TaskSet:
    return BFCL.load(BFCL.embedded, "en")


def test_it_has_800_entries_in_200_groups(dataset: TaskSet) -> None:
    assert [sum(task.kind == category for task in dataset.tasks) for category in CATEGORIES] == [200] * 4
    assert len(dataset.sessions) == 200


def test_a_perfect_model_is_right_everywhere_and_a_silent_one_nowhere(dataset: TaskSet) -> None:
    def perfect(request: Request) -> Reply:
        assert request.gold_hint is not None
        return request.gold_hint.reply

    for sample in BFCL.samples(dataset):
        right, silent = (drive(BFCL.episode(dataset, sample), reply) for reply in (perfect, lambda _: Reply("")))
        scores = [next(BFCL.scores(dataset, trajectory)) for trajectory in (silent, right, silent, right)]
        assert [score.scorings[SCORING].correct for score in scores] == [False, True, False, True], sample.key


def test_a_call_runs_a_method_of_the_worlds_or_nothing(dataset: TaskSet, tmp_path: Path) -> None:
    bfcl = BFCL.bfcl
    entry, _ = dataset.by_id["multi_turn_base_0"].data
    target = tmp_path / "made"
    hostile = [
        ("open", json.dumps({"file": str(target), "mode": "w"})),
        (f"(lambda **_: open({str(target)!r}, 'w'))", "{}"),
        ("ls", json.dumps({f"a=open({str(target)!r}, 'w'), **dict": {}})),
        ("pwd", json.dumps({"__class__ and": 1})),
        ("_load_scenario", "{}"),
        ("len", json.dumps({"obj": "abc"})),
        (None, "{}"),
    ]
    for call in hostile:
        (result,) = bfcl.World(entry)(bfcl.expressions(entry, [call]))
        assert result.startswith("Error during execution: "), call
    assert not target.exists()
    assert bfcl.World(entry)(bfcl.expressions(entry, [("len", '{"obj": "abc"}')])) == [
        "Error during execution: name 'len' is not defined"
    ]


def test_a_value_is_data_however_it_looks(dataset: TaskSet) -> None:
    bfcl = BFCL.bfcl
    entry, _ = dataset.by_id["multi_turn_base_0"].data
    world = bfcl.World(entry)
    text = "'); open('x', 'w') # \\' \" ls (a)\n"
    results = world(bfcl.expressions(entry, [("touch", json.dumps({"file_name": "a.txt"}))]))
    results += world(bfcl.expressions(entry, [("echo", json.dumps({"content": text, "file_name": "a.txt"}))]))
    (shown,) = world(bfcl.expressions(entry, [("cat", json.dumps({"file_name": "a.txt"}))]))
    assert json.loads(shown)["file_content"].startswith("'); open('x', 'w') # \\' \" ")


def test_worlds_of_one_entry_know_nothing_of_each_other(dataset: TaskSet) -> None:
    bfcl = BFCL.bfcl
    entry, _ = dataset.by_id["multi_turn_base_0"].data
    one, other = bfcl.World(entry), bfcl.World(entry)
    make = bfcl.expressions(entry, [("mkdir", '{"dir_name": "new"}')])
    assert one(make) == other(make)
    assert "exists" in one(make)[0]


def test_worlds_that_cannot_be_compared_are_a_mistake_of_their_own(
    dataset: TaskSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(BFCL.bfcl, "multi_turn_checker", failing)
    entry, gold = dataset.by_id["multi_turn_base_0"].data
    verdict = BFCL.bfcl.check(entry, gold, [[] for _ in gold])
    assert (verdict.mistake, verdict.error) == ("checker_failed", "RecursionError: too deep")


def test_labels_are_those_of_the_originals_own_runner_on_all_800_and_it_takes_less_than_half_the_time(
    tmp_path: Path,
) -> None:
    from tests_bfcl.compare import PARITY, compare, parity, ratios, scripted

    with scripted() as url:
        found = compare(url, tmp_path, at_once=8)
    assert len(found["labels"]) == 800
    assert found["differing"] == {"one epoch": [], "two epochs": [], "another order": []}
    assert parity(found) == json.loads(PARITY.read_text())
    assert ratios(found["seconds"])[1] > 2  # the clock's ratio, printed too, depends on what else the machine does
