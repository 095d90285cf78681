"""What a run does before its first request: nothing is loaded, walked through or made that can wait."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from toolgauge.cli.verbs import verbs_for

LATER = ("numpy", "rich.progress", "toolgauge.cli.review", "toolgauge.analysis.table")
"""Loaded by other verbs, or when tables are made or shown."""
LOADED = """
import sys
from toolgauge.runs.executors.local import LocalExecutor

ask, loaded = LocalExecutor._ask, set()

def asking(*given):
    loaded.update(loaded or sys.modules)
    return ask(*given)

LocalExecutor._ask = asking
from toolgauge.__main__ import main
with suppress(SystemExit):
    main()
print(sorted(loaded & set(LATER)))
"""


def last_line_of(program: str, folder: Path) -> str:
    """What a program says last that runs some tasks as the command line does."""
    arguments = ("run", "mini", "-m", "builtin/oracle", "--limit", "2", "--out", str(folder))
    command = [sys.executable, "-c", f"from contextlib import suppress\n{LATER=}\n{program}", *arguments]
    return subprocess.check_output(command, text=True).splitlines()[-1]


def test_what_can_wait_is_loaded_when_requests_are_under_way(tmp_path: Path) -> None:
    assert last_line_of(LOADED, tmp_path / "run") == "[]"


@pytest.mark.parametrize(
    ("arguments", "loaded"),
    [
        (["run", "mini"], ["run"]),
        (["--debug", "data", "list"], ["data"]),
        (["report", "--help"], ["report"]),
        (["--version"], []),
        (["--help", "run"], []),
        (["rum"], []),
        ([], []),
    ],
)
def test_the_verb_that_is_used_is_loaded_alone(arguments: Sequence[str], loaded: Sequence[str]) -> None:
    assert list(verbs_for(arguments)) == list(loaded)
