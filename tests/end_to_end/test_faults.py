"""30% of the requests fail, in every way there is: the scores are those of a run without faults."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.end_to_end.playing import Player, content_key, go, lines, options, replies, results
from tests.mockserver import (
    CUT_OFF,
    EMPTY_CHOICES,
    HTML,
    HTML_502,
    RESET,
    TRUNCATED,
    Fault,
    Json,
    rate_limited,
    serve,
    status,
)

SESSIONS = 6
TIMEOUT = 2.0
HANG = Fault(hang=30.0)
FAULTS = {
    "429 without Retry-After": (rate_limited(),),
    "429 with Retry-After": (rate_limited(0.01),),
    "500": (status(500),),
    "502": (status(502), HTML_502),
    "503": (status(503),),
    "connection reset": (RESET,),
    "truncated JSON": (TRUNCATED, CUT_OFF),
    "HTML instead of JSON": (HTML,),
    "empty choices": (EMPTY_CHOICES,),
}
EVERY = tuple(fault for faults in FAULTS.values() for fault in faults)


class Unreliable:
    """Picks a fault for 30% of the requests: by their content and how often they came, not by their order."""

    def __init__(self, faults: tuple[Fault, ...], share: float = 0.3, most: int | None = None) -> None:
        self.faults, self.share, self.left = faults, share, most
        self.came: Counter[str] = Counter()
        self.made = 0

    def __call__(self, number: int, body: Json) -> Fault | None:
        key = content_key(body)
        self.came[key] += 1
        draw = random.Random(f"{key}{self.came[key]}")
        if draw.random() >= self.share or self.left == self.made:
            return None
        self.made += 1
        return draw.choice(self.faults)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without faults."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    with serve(Player(replies(limit=SESSIONS))) as server:
        go(folder, "openai/mock", reached=options(server.base_url), limit=SESSIONS)
    return folder


def hold_against(undisturbed: Path, folder: Path, faults: Unreliable, timeout: float = 30.0) -> Player:
    player = Player(replies(limit=SESSIONS))
    with serve(player, faults) as server:
        reached = options(server.base_url, timeout=timeout, max_attempts=12)
        outcome = go(folder, "openai/mock", reached=reached, limit=SESSIONS).outcome
    assert (outcome.failed, outcome.stopped) == (0, None)
    assert results(folder) == results(undisturbed)
    assert len({line["task_id"] for line in lines(folder / "trajectories.jsonl")}) == 4 * SESSIONS
    assert set(player.answered) == set(player.table)
    assert faults.made > 0
    return player


def test_faults_of_every_kind_leave_the_scores_alone(undisturbed: Path, tmp_path: Path) -> None:
    hold_against(undisturbed, tmp_path / "run", Unreliable((HANG, *EVERY)), timeout=TIMEOUT)


def test_requests_that_time_out_leave_the_scores_alone(undisturbed: Path, tmp_path: Path) -> None:
    hold_against(undisturbed, tmp_path / "run", Unreliable((HANG,), most=6), timeout=TIMEOUT)
