"""Making, annotating and scripted agents can be used without each other, as far as their purposes allow."""

from __future__ import annotations

import subprocess
import sys

import pytest

ROOMS = ("annotation", "generation", "demo")


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("toolgauge.annotation.graph", ("generation", "demo", "models", "runs")),
        ("toolgauge.annotation.grounding.sources", ("generation", "demo", "models", "runs")),
        ("toolgauge.generation.episode", ("demo", "runs")),
        ("toolgauge.generation.spec", ("demo",)),
        ("toolgauge.tools.library", ROOMS),
        ("toolgauge.demo", ("models", "runs")),
    ],
)
def test_a_room_is_imported_without_the_others(imported: str, absent: tuple[str, ...]) -> None:
    """In a process of its own, so that nothing else has imported them before."""
    code = f"import {imported}, sys; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    rooms = {name.split(".")[1] for name in names if name.startswith("toolgauge.")}
    assert imported.split(".")[1] in rooms
    assert not rooms & set(absent)
