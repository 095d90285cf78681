"""Who gets which conversation, and what happens to those of a worker that died."""

from __future__ import annotations

import random

import pytest

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.runs.executors.work_queue import MOST_DEATHS, WorkQueue, even_shares


def samples(count: int) -> list[Sample]:
    return [Sample(f"s{number}", f"s{number}", None, 0) for number in range(count)]


def keys(given: list[Sample]) -> list[str]:
    return [sample.key for sample in given]


@pytest.mark.parametrize(
    ("total", "workers", "parts"), [(10, 3, [4, 3, 3]), (2, 5, [1, 1]), (1, 1, [1]), (8, 2, [4, 4])]
)
def test_shares_are_even(total: int, workers: int, parts: list[int]) -> None:
    assert even_shares(total, workers) == parts


def test_conversations_go_out_in_order_with_a_reserve_while_many_wait() -> None:
    handout = WorkQueue(samples(100))
    assert keys(handout.take(0, 4)) == ["s0", "s1", "s2", "s3", "s4", "s5"]
    assert handout.take(0, 4) == []
    assert handout.ended(0, "s1") == Sample("s1", "s1", None, 0)
    assert keys(handout.take(0, 4)) == ["s6"]


def test_nothing_is_held_back_when_little_is_left() -> None:
    handout = WorkQueue(samples(6))
    assert len(handout.take(0, 2)) == 3  # 6 are more than twice its slots
    assert len(handout.take(1, 2)) == 2
    assert keys(handout.take(1, 2)) == []
    assert handout.open


def test_what_a_dead_worker_had_waits_again_first_of_all() -> None:
    handout = WorkQueue(samples(10))
    handout.take(0, 2)
    assert handout.lost(0) == []
    assert keys(handout.take(1, 2))[:2] == ["s0", "s1"]
    assert handout.ended(0, "s0") is None


def test_what_workers_die_of_is_tried_alone_and_then_given_up() -> None:
    handout = WorkQueue(samples(3))
    for worker in range(MOST_DEATHS - 1):
        assert keys(handout.take(worker, 2))[:2] == ["s0", "s1"]
        assert handout.lost(worker) == []
    assert keys(handout.take(8, 2)) == ["s2"]
    assert handout.take(8, 2) == []  # the suspects want a worker to themselves
    handout.ended(8, "s2")
    assert keys(handout.take(8, 2)) == ["s0"]
    assert handout.take(8, 2) == []
    assert keys(handout.lost(8)) == ["s0"]
    assert keys(handout.take(9, 2)) == ["s1"]
    handout.ended(9, "s1")
    assert not handout.open


def test_nothing_is_lost_or_doubled_whatever_happens() -> None:
    for seed in range(30):
        draw = random.Random(seed)
        handout, ended, given_up = WorkQueue(samples(60)), [], []
        held: dict[int, list[str]] = {}
        while handout.open:
            worker = draw.randrange(4)
            mine = held.setdefault(worker, [])
            if draw.random() < 0.05:
                given_up += keys(handout.lost(worker))
                mine.clear()
            elif mine and draw.random() < 0.5:
                key = mine.pop(draw.randrange(len(mine)))
                assert handout.ended(worker, key) is not None
                ended.append(key)
            else:
                mine += keys(handout.take(worker, 3))
                assert handout.held(worker) == len(mine)
        assert sorted(ended + given_up) == sorted(keys(samples(60)))


def test_a_stopped_run_knows_what_is_left() -> None:
    handout = WorkQueue(samples(5))
    handout.take(0, 2)
    assert keys(handout.under_way()) == ["s0", "s1", "s2"]
    assert keys(handout.rest()) == ["s3", "s4"]
    assert not handout.open
