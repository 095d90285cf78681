"""How often `compare`, `gate` and `verify` decide wrongly, and how often rightly: simulated runs of which the truth is
known, decided by the code that users run. The tables of docs/results.md#error-rates are what this prints.

    python perf/decisions.py [RUNS]      1,000 simulated pairs of runs of each kind, if not said
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import numpy as np

from toolgauge.analysis.decide import Better, Outcome, PairedRow, at_least, better_run, no_drop, paired_test
from toolgauge.analysis.intervals import Floats, intervals
from toolgauge.analysis.verification import Asked, FirstReply, Task, verify

RATE = 0.6
TASKS = 4
"""Of each session."""
Draw = np.random.Generator
Shares = dict[str, float]


def paired_runs(draw: Draw, sessions: int, drop: float) -> PairedRow:
    """Both runs on the same tasks; the second is worse by `drop`. Sessions and tasks are of different ease, and 7 of
    10 tasks go in the second run as in the first."""
    ease = draw.beta(3 * RATE, 3 * (1 - RATE), (sessions, 1))
    tasks = draw.beta(2 * ease, 2 * (1 - ease), (sessions, TASKS))
    base = draw.random(tasks.shape) < tasks
    again = np.where(draw.random(tasks.shape) < 0.7, base, draw.random(tasks.shape) < tasks)
    if drop > 0:
        again &= draw.random(tasks.shape) >= drop / RATE
    hits = np.stack([base.sum(axis=1), again.sum(axis=1)]).astype(float)
    return PairedRow("overall", "task_accuracy", hits, np.full(hits.shape, float(TASKS)))


def compared(runs: int, sessions: int, drop: float) -> Shares:
    draw = np.random.default_rng(sessions)
    found = [better_run(paired_test(paired_runs(draw, sessions, drop)).interval) for _ in range(runs)]
    return {one.value: found.count(one) / runs for one in Better}


def dropped(runs: int, sessions: int, drop: float, most: float) -> Shares:
    draw = np.random.default_rng(sessions)
    found = []
    for _ in range(runs):
        test = paired_test(paired_runs(draw, sessions, drop))
        assert test.difference is not None
        assert test.interval is not None
        found.append(no_drop("task_accuracy", test.difference, test.interval, most, sessions * TASKS).outcome)
    return {one.value: found.count(one) / runs for one in (Outcome.FAILS, Outcome.HOLDS, Outcome.UNDECIDED)}


def floored(runs: int, sessions: int, floor: float) -> Shares:
    draw = np.random.default_rng(sessions)
    hits: Floats = np.stack([paired_runs(draw, sessions, 0.0).hits[0] for _ in range(runs)])
    bounds = intervals(hits, np.full(hits.shape, float(TASKS)))
    tasks = sessions * TASKS
    found = [
        at_least("task_accuracy", row.sum() / tasks, (float(low), float(high)), floor, tasks).outcome
        for row, (low, high) in zip(hits, bounds, strict=True)
    ]
    return {one.value: found.count(one) / runs for one in (Outcome.FAILS, Outcome.HOLDS, Outcome.UNDECIDED)}


ANSWERS = tuple(FirstReply(((name, arguments),), True, "calls") for name in "abc" for arguments in "xyz")
TEXT = FirstReply((), None, "model")
Model = Callable[[Draw, int], tuple[FirstReply, bool]]


def model(worse: float = 0.0) -> Model:
    """A model that gives its usual answer to 9 of 10 requests, else another one; `worse`: so often text for a call, or
    a call for text."""

    def answer(draw: Draw, task: int) -> tuple[FirstReply, bool]:
        usual = ANSWERS[task % len(ANSWERS)] if task % 4 else TEXT
        made = usual if draw.random() >= 0.1 else ANSWERS[draw.integers(len(ANSWERS))]
        if draw.random() < worse:
            made = TEXT if made.calls else ANSWERS[0]
        return made, made == usual and task % 3 > 0

    return answer


def answers(draw: Draw, of: Model, epochs: int, sessions: int) -> dict[Task, Asked]:
    made: dict[Task, Asked] = {}
    for task in range(TASKS * sessions):
        replies, right = zip(*(of(draw, task) for _ in range(epochs)), strict=True)
        made[f"s{task // TASKS}", task % TASKS] = Asked(f"s{task // TASKS}", replies, right)
    return made


def verified(runs: int, sessions: int, worse: float, margin: float) -> Shares:
    draw = np.random.default_rng(sessions)
    found = [
        verify(answers(draw, model(), 2, sessions), answers(draw, model(worse), 1, sessions), margin).outcome
        for _ in range(runs)
    ]
    return {one.value: found.count(one) / runs for one in (Outcome.FAILS, Outcome.HOLDS, Outcome.UNDECIDED)}


def lines(runs: int) -> Iterator[str]:
    yield "| decision | tasks (sessions) | truth | A better, or does not hold | B better, or holds | neither |"
    yield "|---|---|---|---|---|---|"
    for sessions in (9, 12, 32, 128, 256):
        for drop in (0.0, 0.1):
            shares = compared(runs, sessions, drop)
            yield _line("compare", sessions, f"B {100 * drop:.0f} points worse" if drop else "no difference", shares)
    for sessions in (12, 32, 128, 256):
        yield _line("gate --min 0.6", sessions, "the rate is 60%", floored(runs, sessions, RATE))
        yield _line("gate --min 0.5", sessions, "the rate is 60%", floored(runs, sessions, 0.5))
        for drop in (0.05, 0.0, 0.15):
            truth = f"{100 * drop:.0f} points worse" if drop else "as good as the baseline"
            yield _line("gate --max-drop 0.05", sessions, truth, dropped(runs, sessions, drop, 0.05))
    for sessions in (32, 128):
        for worse in (0.0, 0.2):
            truth = "one call in five is lost" if worse else "the same model"
            yield _line("verify --margin 0.05", sessions, truth, verified(runs, sessions, worse, 0.05))
    yield _line("verify --margin 0.15", 32, "the same model", verified(runs, 32, 0.0, 0.15))


def _line(decision: str, sessions: int, truth: str, shares: Shares) -> str:
    counted = " | ".join(f"{100 * share:.1f}%" for share in shares.values())
    return f"| {decision} | {TASKS * sessions:,} ({sessions}) | {truth} | {counted} |"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 1000):
        print(line, flush=True)
