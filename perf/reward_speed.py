"""Rewards per second in one process: whole runs of the embedded benchmark's short English tasks, in every shape.

    python perf/reward_speed.py [--seconds 2]

Target: 20,000 tasks a second. Seconds are those of this process on the CPU, and the best of many rounds counts: what
else the machine does says nothing of us.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.integrations.rewards import SHAPES, Rewards
from toolgauge.models.builtin.models import noisy, oracle

TARGET = 20_000
BUILTIN_MODELS: dict[str, Callable[[Request], Reply]] = {"oracle": oracle, "noisy (rate 0.4)": noisy(1, 0.4)}


Runs = list[tuple[str, Sequence[Any]]]
"""Task ids with what was said."""


def played(player: Callable[[Request], Reply]) -> tuple[Runs, Runs]:
    """Of every task its id and what a player said: as replies, and as messages."""
    benchmark = find_benchmark("mini")
    dataset = benchmark.load(MINI_FILE, "en")
    runs = [drive(benchmark.episode(dataset, sample), player) for sample in benchmark.samples(dataset)]
    messages: Runs = [(run.task_id, [reply.message().wire() for reply in run.replies]) for run in runs]
    return [(run.task_id, run.replies) for run in runs], messages


def rate(rewards: Rewards, runs: Runs, seconds: float) -> float:
    """Tasks per second in the best round."""
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        began = time.process_time()
        for task_id, said in runs:
            rewards.trajectory(task_id, said)
        best = min(best, time.process_time() - began)
    return len(runs) / best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="for each line")
    seconds = parser.parse_args().seconds
    print(f"tasks per second (target: {TARGET:,})")
    for name, player in BUILTIN_MODELS.items():
        replies, messages = played(player)
        for shape in SHAPES:
            rewards = Rewards("mini", "en", shape=shape)
            rates = [rate(rewards, said, seconds) for said in (replies, messages)]
            print(f"  {name:18} {shape:10} replies {rates[0]:9,.0f}   messages {rates[1]:9,.0f}")


if __name__ == "__main__":
    main()
