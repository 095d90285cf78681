"""ACEBench's agent categories: the saved state and the milestones."""

from __future__ import annotations

from typing import Any

from tests.benchmarks.acebench.ace_building import said
from tests.rows import rows
from toolgauge.benchmarks.acebench.judge.agent import check_agent
from toolgauge.benchmarks.acebench.judge.verdict import AceVerdict

Json = dict[str, Any]
STEPS = ["[login()]", "[order(item='tea', n=1)]", "[remind(title='paid')]"]


def both(
    truth: list[Json], result: Any, milestones: Any = (STEPS,), process: Any = ()
) -> tuple[AceVerdict, AceVerdict]:
    released, exact = (check_agent(truth, result, milestones, process, name) for name in ("released", "exact"))
    return released, exact


def judged(truth: list[Json], result: Any) -> tuple[str, str]:
    released, exact = both(truth, result)
    return said(released), said(exact)


def shares(milestones: Any, process: list[Any]) -> tuple[float | None, float | None]:
    """The process scores of an episode that ended in a wrong state."""
    released, exact = both([{"BaseApi": {"wifi": True}}], [], milestones, process)
    return released.process, exact.process


BASE = {"BaseApi": {"wifi": True, "logged_in": True}}
INBOX = {"MessageApi": {"inbox": {"1": {"message": "hi", "n": 2}}}}


@rows(
    ("result", "said_"),
    [
        ([BASE, INBOX], "right"),
        ([INBOX, BASE], "right"),
        ([BASE, {"MessageApi": {"inbox": {1: {"message": "hi", "n": 2.0}}}}], "right"),
        ([BASE], "wrong number of class"),
        (None, "wrong number of class"),
        ("[]", "wrong number of class"),
        ([{"BaseApi": {"wifi": False, "logged_in": True}}, INBOX], "class attributes wrong"),
        ([BASE, {"MessageApi": {"inbox": {}}}], "class attributes wrong"),
        ([BASE, {"MessageApi": {"inbox": {"1": {"message": "ho", "n": 2}}}}], "class attributes wrong"),
        ([BASE, {"MessageApi": {"inbox": []}}], "class attributes wrong"),
        ([BASE, {"MessageApi": 5}], "class attributes wrong"),
        ([BASE, {"MessageApi": {**INBOX["MessageApi"], "more": 1}}], "class attributes wrong"),
    ],
)
def test_states(result: Any, said_: str) -> None:
    assert judged([BASE, INBOX], result) == (said_, said_)


def test_Q23_a_class_that_the_result_lacks_is_not_compared() -> None:
    assert judged([BASE, INBOX], [BASE, {"Other": {}}]) == ("right", "class attributes wrong")
    assert judged([{"BaseAPI": {"wifi": True}}], [{"BaseApi": {"wifi": True}}]) == ("right", "right")
    assert judged([{"BaseAPI": {"wifi": True}}], [{"BaseApi": {"wifi": False}}]) == ("right", "class attributes wrong")


def test_Q23_a_reminder_out_of_reach_is_looked_for_under_any_key() -> None:
    truth = [{"ReminderAPI": {"reminder_list": {"3": {"reminder_id": 3, "title": "paid"}}}}]
    old, new = {"reminder_id": 1003, "title": "list"}, {"reminder_id": 4, "title": "paid"}
    assert judged(truth, [{"ReminderApi": {"reminder_list": {"3": old, "4": new}}}]) == ("right", "right")
    assert judged(truth, [{"ReminderApi": {"reminder_list": {"3": old}}}]) == ("right", "class attributes wrong")
    assert judged(truth, [{"ReminderApi": {"reminder_list": 5}}]) == ("right", "class attributes wrong")


def test_Q24_more_than_expected_does_no_harm() -> None:
    inbox = {**INBOX["MessageApi"]["inbox"], "2": {"message": "extra"}}
    assert judged([INBOX], [{"MessageApi": {"inbox": inbox}}]) == ("right", "class attributes wrong")
    assert judged([BASE], [{"BaseApi": {"wifi": True}}]) == ("right", "class attributes wrong")
    food = {"FoodPlatform": {"orders": [1]}}
    assert judged([food], [{"FoodPlatform": {"orders": [1, 2]}}]) == ("class attributes wrong",) * 2


def test_Q25_released_milestones_stop_at_the_first_that_is_missing() -> None:
    assert shares([STEPS], STEPS) == (1.0, 1.0)
    assert shares([STEPS], [" " + STEPS[0] + "\n", "hm", STEPS[1]]) == (2 / 3, 2 / 3)
    assert shares([STEPS], STEPS[1:]) == (0.0, 2 / 3)
    assert shares([STEPS], ['[order(item = "tea", n=1)]']) == (0.0, 1 / 3)
    assert shares([STEPS], [STEPS[2], STEPS[0]]) == (1 / 3, 1 / 3)
    assert shares([STEPS], ["[login(), order(n=1, item='tea')]", None, 5]) == (0.0, 2 / 3)
    assert shares([[]], STEPS) == shares([], STEPS) == (1.0, 1.0)


def test_Q25_a_milestone_that_is_no_call_is_compared_by_its_letters() -> None:
    broken = ["[order(shop='Domino's', n=1)]"]
    assert shares([broken], ['[order(shop="Domino\'s", n=1)]']) == (0.0, 1.0)
    assert shares([broken], broken) == (1.0, 0.0)
    assert shares([broken], ["[order(shop='Domino', n=1)]"]) == (0.0, 0.0)


def test_Q26_alternatives_are_rounded_and_the_best_counts() -> None:
    assert shares([STEPS, ["[other()]", *STEPS]], STEPS[:2]) == (0.667, 2 / 3)
    assert shares([STEPS], STEPS[:2]) == (2 / 3, 2 / 3)


def test_hostile_results_are_wrong_and_nothing_more() -> None:
    deep: Any = {}
    for _ in range(900):
        deep = {"x": [deep]}
    for result in (
        [deep],
        [{"BaseApi": deep}],
        [None],
        [[BASE]],
        [{"BaseApi": {"wifi": deep, "logged_in": float("nan")}}],
    ):
        said_ = judged([BASE], result)
        assert said_[1] == "class attributes wrong"
    assert shares([STEPS], ["[" * 100_000] * 3 + ["[f()" * 1_000]) == (0.0, 0.0)
