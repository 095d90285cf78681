"""A step of the Matcher beside the plain enumeration of execution orders.

    python perf/matcher_speed.py [--largest 7]

The graph: n independent calls of distinct names, then a chain of three. Target: a step below 1 ms at 12 calls, under
both sets of rules. The enumeration (tests/judge/enumeration.py) takes a minute and gigabytes at 8.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.judge.enumeration import legal_paths, released_paths

from rounds import in_turns, ratio
from toolgauge.benchmarks.dialogues.judge.released import ReleasedMatcher
from toolgauge.judge.graph import CallGraph, Matcher

CHAIN = 3
Rules = Callable[[CallGraph], Matcher | ReleasedMatcher]
RULES: dict[str, Rules] = {"all legal orders": Matcher, "released rules": ReleasedMatcher}


def tasks_of(independent: int) -> tuple[list[str], list[list[int]]]:
    """Names and predecessors: `independent` calls, then the chain, which needs all of them."""
    names = [f"tool_{index}" for index in range(independent + CHAIN)]
    after = [[] if index < independent else [index - 1] for index in range(independent + CHAIN)]
    after[independent] = list(range(independent))
    return names, after


def runs(independent: int) -> dict[str, list[list[int]]]:
    """Runs over such a graph, a list of calls per step: all at once, one by one, in two halves in reverse order."""
    first = list(range(independent))
    chain = [[index] for index in range(independent, independent + CHAIN)]
    middle = independent // 2
    return {
        "all at once": [first, *chain],
        "one by one": [[index] for index in first] + chain,
        "two halves": [first[middle:], first[:middle], *chain],
    }


def slowest_step(rules: Rules, graph: CallGraph, run: list[list[int]], rounds: int) -> float:
    """Seconds of the slowest step of a run, the best of several measurements of each."""
    slowest = 0.0
    matcher = rules(graph)
    for step in run:
        calls, times = [1 << index for index in step], []
        for _ in range(rounds):
            after = copy(matcher)
            started = time.perf_counter()
            assert after.advance(calls)
            times.append(time.perf_counter() - started)
        matcher = after
        slowest = max(slowest, min(times))
    return slowest


def follow(graph: CallGraph, run: list[list[int]]) -> None:
    matcher = Matcher(graph)
    for step in run:
        matcher.advance([1 << index for index in step])


def count(paths: Callable[..., Iterator[object]], *graph: object) -> int:
    return sum(1 for _ in paths(*graph))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=7, help="independent calls up to which orders are enumerated")
    parser.add_argument("--rounds", type=int, default=50)
    chosen = parser.parse_args()
    for independent in (6, 12, 24):
        graph = CallGraph(*tasks_of(independent))
        for name, rules in RULES.items():
            steps = {kind: slowest_step(rules, graph, run, chosen.rounds) for kind, run in runs(independent).items()}
            shown = ", ".join(f"{kind} {seconds * 1e6:.1f}" for kind, seconds in steps.items())
            print(f"{independent:2} independent calls, {name:16}: slowest step in microseconds: {shown}")
    for independent in range(6, chosen.largest + 1):
        names, after = tasks_of(independent)
        times = in_turns(
            {
                "whole run, Matcher": partial(follow, CallGraph(names, after), runs(independent)["one by one"]),
                "legal orders": partial(count, legal_paths, after),
                "released orders": partial(count, released_paths, names, after),
            },
            rounds=1,
        )
        for name in ("legal orders", "released orders"):
            factor = ratio(times, name, "whole run, Matcher")
            seconds = times[name][0]
            print(f"{independent:2} independent calls, {name} enumerated: {seconds:.2f} s, {factor:,.0f}x the Matcher")


if __name__ == "__main__":
    main()
