"""How long a run still takes, told from steps: also before any conversation has ended, and never far from the truth."""

from __future__ import annotations

import heapq
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.chat import Reply, Timings
from toolgauge.runs.time_left import TimeLeft


class Simulation:
    """A server of some slots and so many seconds a reply; conversations of known lengths, so many at once.

    guesses: seconds gone and seconds left as they were told, after every moment in which replies came.
    """

    def __init__(
        self, lengths: list[int], at_once: int, slots: int, seconds: float, hints: bool = True, tells: bool = False
    ) -> None:
        self.now = 0.0
        self.time_left = TimeLeft(clock=lambda: self.now)
        self.time_left.begin(len(lengths), 1.0)
        self.guesses: list[tuple[float, float]] = []
        rest = iter(enumerate(lengths))
        queue = list(itertools.islice(rest, at_once))
        steps = dict.fromkeys(range(len(lengths)), 0)
        for number, length in queue:
            self.time_left.asking(str(number), str(number), 0, length if hints else None)
        busy: list[tuple[float, float, int, int]] = []
        sent = {number: 0.0 for number, _ in queue}
        while queue or busy:
            while queue and len(busy) < slots:
                number, length = queue.pop(0)
                heapq.heappush(busy, (self.now + seconds, sent[number], number, length))
            self.now, began, number, length = heapq.heappop(busy)
            waited = self.now - began - seconds
            timings = Timings(prompt=0.0, reply=seconds) if tells else None
            self.time_left.replied(str(number), Reply(latency=waited + seconds, timings=timings))
            steps[number] += 1
            if steps[number] == length:
                self.time_left.ended(str(number), failed=False)
                following = next(rest, None)
                number, length = following or (-1, 0)
            if number >= 0:
                self.time_left.asking(str(number), str(number), steps[number], length if hints else None)
                sent[number] = self.now
                queue.append((number, length))
            if not busy or busy[0][0] > self.now:  # else others come at the same moment
                self._guess(0.3 * seconds)

    def _guess(self, later: float) -> None:
        """What is told a little later, before anything else comes."""
        self.now += later
        if (left := self.time_left.seconds_left) is not None:
            self.guesses.append((self.now, left))
        self.now -= later

    def errors(self) -> list[float]:
        """By how much the guesses missed the real end, as a share of the whole."""
        return [abs(gone + left - self.now) / self.now for gone, left in self.guesses if gone < self.now]


def test_a_guess_comes_before_a_conversation_ends() -> None:
    run = Simulation([4] * 64, at_once=32, slots=2, seconds=10.0)
    assert run.guesses[0][0] == 13.0
    assert max(run.errors()) < 0.15


def test_conversations_that_go_one_after_the_other_are_not_shared_out() -> None:
    run = Simulation([4] * 33, at_once=32, slots=32, seconds=10.0)
    assert run.now == 80.0
    assert max(run.errors()) < 0.15
    lonely = Simulation([2] * 31 + [40], at_once=32, slots=32, seconds=10.0)
    assert max(lonely.errors()) < 0.15


def test_a_server_that_tells_its_own_work_is_not_mistaken_for_a_slow_one() -> None:
    """Its queue is no part of how long the steps of one conversation take."""
    lengths = [1, 4] * 16
    run = Simulation(lengths, at_once=32, slots=2, seconds=10.0, tells=True)
    assert max(run.errors()) < 0.15


def test_without_hints_nothing_is_guessed_until_a_task_is_over() -> None:
    run = Simulation([3] * 40, at_once=8, slots=4, seconds=5.0, hints=False)
    assert run.guesses[0][0] == 5.0 * 3 * 8 / 4 - 5.0 + 1.5
    assert max(run.errors()) < 0.1


def test_hints_that_promise_too_little_are_corrected() -> None:
    time_left = TimeLeft(clock=lambda: 0.0)
    time_left.begin(100, 1.0)
    for key in map(str, range(10)):
        for step in range(6):
            time_left.asking(key, key, step, 2)
            time_left.replied(key, Reply())
        time_left.ended(key, failed=False)
    assert time_left.steps_left == pytest.approx(90 * 6)
    time_left.asking("10", "10", 0, 2)
    assert time_left.steps_left == pytest.approx(90 * 6, rel=0.05)


def test_silence_makes_the_guess_grow() -> None:
    now = 0.0
    time_left = TimeLeft(clock=lambda: now)
    time_left.begin(10, 1.0)
    for key in "abc":
        time_left.asking(key, key, 0, 1)
        now += 1.0
        time_left.replied(key, Reply(latency=1.0))
        time_left.ended(key, failed=False)
    time_left.asking("d", "d", 0, 1)
    before = time_left.seconds_left
    now += 600.0
    after = time_left.seconds_left
    assert before == pytest.approx(7.0)
    assert after is not None
    assert after > 600.0


def test_sessions_of_several_tasks() -> None:
    now = 0.0
    time_left = TimeLeft(clock=lambda: now)
    time_left.begin(2, 4.0)
    time_left.asking("s", "s/0", 0, 2)
    assert time_left.steps_left == pytest.approx(16.0)
    time_left.replied("s", Reply())
    time_left.asking("s", "s/0", 1, 2)
    time_left.replied("s", Reply())
    time_left.asking("s", "s/1", 0, 2)
    assert time_left.steps_left == pytest.approx(14.0)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=60), st.integers(1, 16), st.integers(1, 8), st.booleans())
def test_guesses_are_sound_for_any_run(lengths: list[int], at_once: int, slots: int, hints: bool) -> None:
    run = Simulation(lengths, at_once, slots, 10.0, hints)
    assert all(left >= 0.0 for _gone, left in run.guesses)
    assert run.time_left.replies == sum(lengths)
    assert run.time_left.steps_left in (0.0, None)
    assert all(left < 3 * sum(lengths) * 10.0 for _gone, left in run.guesses)
