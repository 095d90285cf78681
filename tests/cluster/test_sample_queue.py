"""Who gets which conversation, and what happens to those of a worker that died."""

from __future__ import annotations

import random

from toolgauge.benchmarks.benchmark import Sample
from toolgauge.runs.executors.ray import MOST_DEATHS, SampleQueue


def samples(count: int) -> list[Sample]:
    return [Sample(f"s{number}", f"s{number}", None, 0) for number in range(count)]


def keys(given: list[Sample]) -> list[str]:
    return [sample.key for sample in given]


def test_conversations_go_out_in_order_with_a_reserve_while_many_wait() -> None:
    queue = SampleQueue(samples(100))
    assert keys(queue.take(0, 4)) == ["s0", "s1", "s2", "s3", "s4", "s5"]
    assert queue.take(0, 4) == []
    assert queue.ended(0, "s1") == Sample("s1", "s1", None, 0)
    assert keys(queue.take(0, 4)) == ["s6"]


def test_nothing_is_held_back_when_little_is_left() -> None:
    queue = SampleQueue(samples(6))
    assert len(queue.take(0, 2)) == 3  # 6 are more than twice its slots
    assert len(queue.take(1, 2)) == 2
    assert keys(queue.take(1, 2)) == []
    assert queue.open


def test_what_a_dead_worker_had_waits_again_first_of_all() -> None:
    queue = SampleQueue(samples(10))
    queue.take(0, 2)
    assert queue.lost(0) == []
    assert keys(queue.take(1, 2))[:2] == ["s0", "s1"]
    assert queue.ended(0, "s0") is None


def test_what_workers_die_of_is_tried_alone_and_then_given_up() -> None:
    queue = SampleQueue(samples(3))
    for worker in range(MOST_DEATHS - 1):
        assert keys(queue.take(worker, 2))[:2] == ["s0", "s1"]
        assert queue.lost(worker) == []
    assert keys(queue.take(8, 2)) == ["s2"]
    assert queue.take(8, 2) == []  # s0 and s1 want a worker to themselves
    queue.ended(8, "s2")
    assert keys(queue.take(8, 2)) == ["s0"]
    assert queue.take(8, 2) == []
    assert keys(queue.lost(8)) == ["s0"]
    assert keys(queue.take(9, 2)) == ["s1"]
    queue.ended(9, "s1")
    assert not queue.open


def test_nothing_is_lost_or_doubled_whatever_happens() -> None:
    for seed in range(30):
        draw = random.Random(seed)
        queue, ended, given_up = SampleQueue(samples(60)), [], []
        held: dict[int, list[str]] = {}
        while queue.open:
            worker = draw.randrange(4)
            mine = held.setdefault(worker, [])
            if draw.random() < 0.05:
                given_up += keys(queue.lost(worker))
                mine.clear()
            elif mine and draw.random() < 0.5:
                key = mine.pop(draw.randrange(len(mine)))
                assert queue.ended(worker, key) is not None
                ended.append(key)
            else:
                mine += keys(queue.take(worker, 3))
                assert len(queue.under_way[worker]) == len(mine)
        assert sorted(ended + given_up) == sorted(keys(samples(60)))
