"""A run at the defaults on a server of two slots, with more conversations than it can work on at once.

The server works in steps, so nothing here depends on how fast this machine is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.slot_server import Manner, SlotServer, slot_server
from toolgauge.api import execute_plan, plan_run
from toolgauge.models.model import EndpointOptions
from toolgauge.runs.options import RunOptions


def run(server: SlotServer, folder: Path, timeout: float = 300.0) -> None:
    """All of mini at the defaults, but for the folder and the time-out."""
    options = RunOptions(endpoint=EndpointOptions(base_url=server.base_url, timeout=timeout))
    plan = plan_run("mini", "openai/m", out=folder, options=options.model_options())
    result = execute_plan(plan, options.limits.concurrency)
    assert result.outcome.failed == 0
    assert result.metrics.scorings["exact"]["overall"]["task_accuracy"].value == 1


@pytest.mark.parametrize("manner", Manner)
def test_all_of_mini_is_answered_and_no_slot_stays_empty(manner: Manner, tmp_path: Path) -> None:
    with slot_server(2, manner) as server:
        run(server, tmp_path / "run")
    assert server.replies > 250
    assert server.abandoned == 0
    assert server.used >= 1 / 1.15
    if manner is Manner.TELLS:
        assert server.longest_queue == 0
    if manner is Manner.REFUSES:
        assert server.refused < server.replies
