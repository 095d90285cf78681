"""ACEBench's metrics: values counted by hand, what is missing, intervals, the numbers as published."""

from __future__ import annotations

import math
from typing import Any

import pytest
from msgspec.structs import replace

from tests.benchmarks.acebench.ace_synthetic import (
    ADJUST,
    BOOL,
    STEP,
    SWITCH,
    TURN,
    dataset,
    entries,
    ids,
    marked,
    score,
    scores,
    verdict,
)
from toolgauge.analysis.binomial import wilson
from toolgauge.benchmarks.acebench.data.entries import CATEGORIES, GROUPS, AceDataset
from toolgauge.benchmarks.acebench.judge.agent import released_process
from toolgauge.benchmarks.acebench.judge.judge import judge_normal
from toolgauge.benchmarks.acebench.judge.verdict import AceError
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.benchmarks.acebench.numbers.tables import WEIGHTS
from toolgauge.judge.verdict import Score

Table = Any


def measured(data: AceDataset, made: list[Score], requested: list[str] | None = None) -> Table:
    return AceReport().metrics("acebench", data, made, ids(data) if requested is None else requested)


def tables(content: Table, scoring: str = "released") -> Table:
    found: Table = content.scorings[scoring]
    return found


def values(table: Table) -> dict[str, float | None]:
    return {row: entry.value for row, entry in table.items()}


def test_a_session_is_right_if_all_its_turns_are() -> None:
    """Spec 4.7: sessions of three turns, of which 3, 2, 0 are right."""
    data = dataset([ADJUST], 3, turns=3)
    content = measured(data, marked(data, "++++-+---"))
    found = tables(content)["categories"]
    assert found[ADJUST].value == round(1 / 3, 6)
    assert (found[ADJUST].correct, found[ADJUST].total) == (1, 3)
    assert found[f"{ADJUST}_process"].value == round((1 + 2 / 3 + 0) / 3, 6)
    assert (content.tasks, content.sessions) == (9, 3)


def test_sessions_are_rounded_before_they_are_averaged_as_published() -> None:
    """Spec 4.7: two and one of three turns are 0.667 and 0.333."""
    data = dataset([ADJUST], 2, turns=3)
    published = values(tables(measured(data, marked(data, "++-+--")))["published"])
    assert published[f"{ADJUST}_process"] == round((0.667 + 0.333) / 2, 3)
    assert published[ADJUST] == 0.0


def test_groups_are_plain_means_of_categories() -> None:
    data = dataset()
    found = tables(measured(data, scores(data)))
    rate = values(found["categories"])

    def mean(*rows: str) -> float:
        return sum(rate[row] or 0.0 for row in rows) / len(rows)

    group = values(found["groups"])
    assert group["atom"] == pytest.approx(mean(*GROUPS["atom"]), abs=1e-6)
    assert group["normal"] == pytest.approx(mean(*GROUPS["normal"]), abs=1e-6)
    assert group["multi_turn_process"] == pytest.approx(mean(f"{ADJUST}_process", f"{SWITCH}_process"), abs=1e-6)
    assert group["agent_process"] == pytest.approx(mean(f"{STEP}_process", f"{TURN}_process"), abs=1e-6)
    overall = sum(weight * (group[name] or 0.0) for name, weight in WEIGHTS.items())
    assert found["overall"]["overall"].value == pytest.approx(overall, abs=1e-6)
    assert found["groups"]["normal"].total == 12 * 4


def test_published_numbers_are_rounded_at_every_stage() -> None:
    """1 of 3 is 0.333 in each category, so overall comes from 0.333 and not from a third; special keeps all digits."""
    data = dataset(sessions=3, turns=1)
    marks = "".join("+--" for _ in CATEGORIES)
    found = tables(measured(data, marked(data, marks)))
    published = values(found["published"])
    assert {published[name] for name in CATEGORIES if not name.startswith("special")} == {0.333}
    assert published["special_incomplete"] == 1 / 3
    assert {published[name] for name in ("atom", "single_turn", "multi_turn", "normal", "special", "agent")} == {0.333}
    assert published["overall"] == round(0.333 * (0.578 + 0.2676 + 0.1545), 3)
    assert found["groups"]["normal"].value == 0.333333
    assert found["published"]["normal"].ci95 is None
    assert (found["published"][BOOL].correct, found["published"][BOOL].total) == (1, 3)


def test_special_tells_what_was_noticed_from_what_was_named() -> None:
    data = dataset(GROUPS["special"], 4)
    made = []
    for entry in data.entries:
        number = int(entry.id.rpartition("_")[2])
        mistake = AceError.DETECTION if number == 0 else AceError.CORRECTION
        made.append(score(entry, verdict(number > 1, mistake.value)))
    found = tables(measured(data, made))
    assert found["groups"]["special"].value == 0.5
    assert found["groups"]["special_detection"].value == 0.75
    assert found["categories"]["special_incomplete_detection"].value == 0.75
    assert found["error_types"]["error_detection"].value == 0.5


def test_agents_have_a_process_score_beside_the_end() -> None:
    data = dataset([STEP, TURN], 2)
    processes = (1.0, 0.25, 0.5, 0.0)
    made = [
        score(entry, verdict(share == 1.0, AceError.CLASS_NUMBER.value, share))
        for entry, share in zip(data.entries, processes, strict=True)
    ]
    found = tables(measured(data, made))
    assert values(found["categories"])[STEP] == 0.5
    assert values(found["categories"])[f"{STEP}_process"] == 0.625
    assert found["categories"][f"{STEP}_process"].correct == 1.25
    assert values(found["groups"])["agent_process"] == 0.4375
    assert values(found["published"])[f"{TURN}_process"] == 0.25
    assert values(found["published"])["agent"] == 0.25


def test_Q17_what_a_later_alternative_accepts_is_not_listed_as_wrong() -> None:
    (plain,) = entries(BOOL, 1)
    entry = replace(plain, answers=({"switch": {"on": True}, "other": {}}, {"switch": {"on": True}}))
    found = judge_normal(entry, "[switch(on=True)]")["released"]
    made = score(entry, verdict(found.correct, found.error_type))
    rows = tables(measured(AceDataset("acebench", "en", "0" * 64, (entry,), "made up"), [made]))
    assert rows["categories"][BOOL].correct == 1
    assert {row.total for row in rows["error_types"].values()} == {0}


def test_Q26_of_alternatives_the_best_rounded_share_is_averaged() -> None:
    """Two of three milestones of the first alternative are passed, none of the second."""
    share = released_process((("a", "b", "c"), ("x", "y", "z")), ["a", "b"])
    assert share == 0.667
    data = dataset([STEP], 2)
    shares = (share, 1 / 3)
    made = [score(entry, verdict(False, process=one)) for entry, one in zip(data.entries, shares, strict=True)]
    found = tables(measured(data, made))
    assert values(found["published"])[f"{STEP}_process"] == round((0.667 + 1 / 3) / 2, 3)
    assert values(found["categories"])[f"{STEP}_process"] == round((0.667 + 1 / 3) / 2, 6)


def test_Q33_a_missing_category_is_said_and_not_counted_as_zero() -> None:
    data = dataset([name for name in CATEGORIES if name != "special_irrelevant"])
    found = tables(measured(data, marked(data, "+" * len(data.entries))))
    for table, row in (
        ("groups", "special"),
        ("overall", "overall"),
        ("published", "special"),
        ("published", "overall"),
    ):
        assert found[table][row].value is None
        assert found[table][row].incomplete == ("special_irrelevant",)
    assert found["groups"]["normal"].value == found["published"]["agent"].value == 1.0
    assert not found["groups"]["normal"].incomplete


def test_a_missing_entry_is_never_wrong() -> None:
    data = dataset([BOOL], 4)
    content = measured(data, marked(data, "+- +"))
    row = tables(content)["categories"][BOOL]
    assert (row.value, row.total, row.requested, row.scored, row.missing) == (0.666667, 3, 4, 3, 1)
    assert values(tables(content)["published"])[BOOL] == 0.667
    assert (content.scored, content.missing) == (3, 1)
    nothing = measured(data, [])
    assert nothing.scorings == {}
    assert (nothing.scored, nothing.missing) == (0, 4)


def test_the_interval_of_a_mean_of_two_categories_worked_by_hand() -> None:
    """Zou, Huang and Zhang 2009: the parts' distances, weighted, add up like variances."""
    data = dataset(GROUPS["multi_turn"], 20, turns=1)
    found = tables(measured(data, marked(data, "+" * 15 + "-" * 5 + "+" * 10 + "-" * 10)))["groups"]["multi_turn"]
    (low_1, high_1), (low_2, high_2) = wilson(15, 20), wilson(10, 20)
    assert found.value == 0.625
    assert found.ci95[0] == pytest.approx(0.625 - math.hypot(0.75 - low_1, 0.5 - low_2) / 2, abs=1e-6)
    assert found.ci95[1] == pytest.approx(0.625 + math.hypot(high_1 - 0.75, high_2 - 0.5) / 2, abs=1e-6)
