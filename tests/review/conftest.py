"""A review over the embedded benchmark, and one over what a demonstration made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.review.desk import Desk
from toolgauge.review.events import PersonAdded
from toolgauge.review.originals import open_originals
from toolgauge.review.server.access import digest

PEOPLE = ("Ada", "Bo", "Cy")
"""Ada leads."""

OpenDesk = Callable[[], Desk]


@pytest.fixture
def open_desk(tmp_path: Path) -> Iterator[OpenDesk]:
    """Opens the same review again and again; one at a time."""
    ticks = count(1.0)
    opened: list[Desk] = []

    def open_again() -> Desk:
        for one in opened:
            one.close()
        opened.clear()
        desk = Desk(tmp_path / "review", open_originals(MINI_FILE, "en"), lambda: next(ticks))
        opened.append(desk)
        if not desk.state.people:
            for name in PEOPLE:
                desk.happen(PersonAdded(name=name, is_lead=name == "Ada", token_sha256=digest(name)))
        return desk

    yield open_again
    for one in opened:
        one.close()
