"""Memory does not grow with the number of finished conversations."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

from tests.end_to_end.playing import go
from toolgauge.runs.executors.executor import ProgressListener

EPOCHS = 60
WARM, LAST = 60, 4 * EPOCHS
MOST_EACH = 600
"""Bytes that may stay of a finished conversation beside its scores: its id. A trajectory takes twenty times that."""
SCORES = 2400
"""Bytes of the scores of a task, which are made while replies are waited for; scoring keeps them anyway."""


class Scales(ProgressListener):
    """Weighs the process after so many conversations."""

    def __init__(self) -> None:
        self.ended_so_far = 0
        self.bytes: dict[int, int] = {}

    def ended(self, sample: object, trajectory: object) -> None:
        self.ended_so_far += 1
        if self.ended_so_far in (WARM, LAST):
            del trajectory
            gc.collect()
            self.bytes[self.ended_so_far] = tracemalloc.get_traced_memory()[0]


def test_finished_conversations_are_not_kept(tmp_path: Path) -> None:
    scales = Scales()
    tracemalloc.start()
    try:
        result = go(tmp_path / "run", "builtin/oracle", epochs=EPOCHS, limit=1, listener=scales)
    finally:
        tracemalloc.stop()
    assert result.outcome.done == LAST
    kept = (scales.bytes[LAST] - scales.bytes[WARM]) / (LAST - WARM)
    assert kept < MOST_EACH + SCORES
    assert (tmp_path / "run" / "trajectories.jsonl").stat().st_size / LAST > 5 * MOST_EACH
