"""Facts that replies must mention, and tasks that no tool can serve: in scores, tables, details.csv and task pages."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from msgspec import UNSET

from tests.analysis.synthetic import metrics
from tests.sizes import sized
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.data.session import Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.runs.scoring import score_all

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
