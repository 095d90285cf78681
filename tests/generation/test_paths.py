"""Action paths: all of them, those a user names, and balanced samples."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from tests.rows import rows
from toolgauge.data.session import KINDS
from toolgauge.errors import UsageError
from toolgauge.generation.paths import all_paths, parse_paths, sample_paths, slots_of
from toolgauge.generation.setup import Scenario


@rows(("tasks", "count"), [(1, 4), (2, 16), (3, 64), (4, 256)])
def test_every_path_once_in_the_papers_order(tasks: int, count: int) -> None:
    paths = all_paths(tasks)
    assert len(paths) == len(set(paths)) == count
    assert paths[0] == ("single",) * tasks
    assert paths[1][-1] == "multi"  # the last position runs fastest
    assert paths[-1] == ("chat",) * tasks


def test_paths_as_a_user_writes_them() -> None:
    expected = [("single", "clarify", "chat"), ("chat", "multi")]
    assert parse_paths("single,clarify,chat; CC,MT") == expected
    assert parse_paths("ST,cq,CC chat,multi,") == expected
    assert parse_paths("parallel,MS; mixed") == [("parallel", "sequential"), ("mixed",)]


@rows(
    ("text", "words"), [("single,talk", "'talk'"), ("", "no path given"), ("chat; CC", "duplicate path"), (",", "''")]
)
def test_paths_that_are_none(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_paths(text)


@pytest.mark.parametrize(("tasks", "count"), [(4, 16), (4, 40), (3, 200)])
def test_a_sample_is_even(tasks: int, count: int) -> None:
    paths = sample_paths(tasks, count, seed=3)
    assert len(paths) == count
    for position in range(tasks):
        kinds = Counter(path[position] for path in paths)
        assert max(kinds.values()) - min(kinds[kind] for kind in KINDS) <= 2
    changes = Counter(change for path in paths for change in pairwise(path))
    assert len(changes) == 16
    mean = count * (tasks - 1) / 16
    assert all(abs(times - mean) <= max(2, 0.35 * mean) for times in changes.values())


def test_slots_have_keys_of_their_own_and_scenarios_in_turn() -> None:
    scenarios = (Scenario("a"), Scenario("b"), Scenario("c"))
    slots = slots_of([("single", "chat"), ("chat",), ("single", "chat")], "zh", 2, scenarios)
    assert [slot.key for slot in slots] == [
        "zh-ST.CC-0", "zh-ST.CC-1", "zh-CC-0", "zh-CC-1", "zh-ST.CC-2", "zh-ST.CC-3",
    ]  # fmt: skip
    assert [slot.scenario.id for slot in slots if slot.scenario] == ["a", "b", "c", "a", "b", "c"]
