"""Two processes and one folder, folders that vanish, disks that do not keep what they were given."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import NOISY, go, results
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.chat import Reply
from toolgauge.errors import StoreError
from toolgauge.files import only_one
from toolgauge.runs.scoring import score_run
from toolgauge.runs.store import LOCK, TRAJECTORIES, RunStore

REPLY = Reply(content="paid for")
BUSY = "another process is using this folder"


def opened(folder: Path) -> RunStore:
    return RunStore(folder).open(Manifest(trajectory_version=1))


@pytest.mark.parametrize("replaced", [False, True])
def test_a_lock_that_was_removed_lets_nobody_in(replaced: bool, tmp_path: Path) -> None:
    first = opened(tmp_path / "run")
    (tmp_path / "run" / LOCK).unlink()
    if replaced:
        (tmp_path / "run" / LOCK).write_bytes(b"")
    before = sorted(path.name for path in (tmp_path / "run").iterdir())
    for _ in range(2):
        with pytest.raises(StoreError, match=BUSY):
            opened(tmp_path / "run")
    first.add_reply("a", 0, REPLY)
    first.close(complete=False)
    assert {*before, LOCK} == {path.name for path in (tmp_path / "run").iterdir()}
    second = opened(tmp_path / "run")
    assert second.begun == {"a": [REPLY]}
    second.close(complete=True)


class Failing:
    """os.fsync of a disk that loses what it was given."""

    def __init__(self, error: int = errno.EIO, only: Callable[[int], bool] = lambda _: True) -> None:
        self.error, self.only, self.fsync = error, only, os.fsync

    def __call__(self, descriptor: int) -> None:
        if self.only(descriptor):
            raise OSError(self.error, os.strerror(self.error))
        self.fsync(descriptor)


def test_a_disk_that_loses_lines_ends_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgauge.runs.lines.SYNC_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", Failing(only=lambda one: _name(one) == TRAJECTORIES))
        with pytest.raises(StoreError, match=f"{TRAJECTORIES}: Input/output error; the last lines"):
            go(tmp_path / "run", limit=2)
    go(tmp_path / "whole", limit=2)
    go(tmp_path / "run", limit=2)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def _name(descriptor: int) -> str:
    link = Path(f"/proc/self/fd/{descriptor}")
    return link.readlink().name if link.parent.exists() else ""


def test_two_scorings_of_one_folder_wait_for_one_another(tmp_path: Path) -> None:
    go(tmp_path / "run", NOISY, limit=1)
    before = results(tmp_path / "run")
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(score_run(tmp_path / "run", None)))
    with only_one(tmp_path / "run"):
        thread.start()
        thread.join(0.5)
        assert thread.is_alive()
        assert done == []
    thread.join(60)
    assert len(done) == 1
    assert results(tmp_path / "run") == before
