"""Agents that are processes: their start does not count, they are not limited, and what they started ends with them."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

import pytest

import toolgauge
from toolgauge.agents import conversation
from toolgauge.runs.run import RunResult

ANSWER = """
for line in sys.stdin:
    if json.loads(line)["type"] == "user":
        print(json.dumps({"type": "final", "text": "done"}), flush=True)
"""


def measured(folder: Path, code: str, **options: object) -> RunResult:
    (folder / "agent.py").write_text(f"import json, os, resource, subprocess, sys, time\n{code}\n{ANSWER}")
    agent = f"agent/command:{sys.executable} {folder}/agent.py {folder}"
    return toolgauge.run("mini", agent, out=folder / "run", ids=("mini_0/0",), **options)


def mistake(folder: Path) -> object:
    return json.loads((folder / "run" / "scores.jsonl").read_text())["scorings"]["exact"]["mistake"]


def test_a_start_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "START_SECONDS", 0.3)
    measured(tmp_path, "time.sleep(600)", timeout=0.3)
    assert mistake(tmp_path) == "agent_error"


def test_address_space_is_not_limited(tmp_path: Path) -> None:
    measured(tmp_path, "open(sys.argv[1] + '/limit', 'w').write(str(resource.getrlimit(resource.RLIMIT_AS)))")
    assert (tmp_path / "limit").read_text() == str(resource.getrlimit(resource.RLIMIT_AS))


@pytest.mark.parametrize("own_session", [False, True])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the environment of processes")
def test_what_a_process_started_ends_with_it(own_session: bool, tmp_path: Path) -> None:
    child = f"subprocess.Popen(['sleep', '600'], start_new_session={own_session})"
    measured(tmp_path, f"open(sys.argv[1] + '/child', 'w').write(str({child}.pid))")
    ended = time.monotonic() + 5
    while _runs(int((tmp_path / "child").read_text())):
        assert time.monotonic() < ended, "it goes on"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
