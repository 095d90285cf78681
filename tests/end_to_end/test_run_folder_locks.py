"""Two processes and one folder, folders that vanish, disks that do not keep what they were given."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import NOISY, go, results
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.chat import Reply
from toolgauge.errors import StoreError
from toolgauge.files import only_one, sync_folder
from toolgauge.limits import MAX_FILE_BYTES
from toolgauge.reasons import Blame
from toolgauge.runs.executors.batch_log import ANSWERS, BATCHES, BatchLog
from toolgauge.runs.scoring import score_run
from toolgauge.runs.store import FAILURES, LOCK, REPLIES, TRAJECTORIES, Failure, RunStore

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


def test_a_lock_file_that_is_replaced_while_it_is_being_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that went before takes its lock file away between our opening and our locking it."""
    import fcntl

    run, flock, lost = tmp_path / "run", fcntl.flock, [True]
    run.mkdir()

    def late(descriptor: int, operation: int) -> None:
        if lost and (run / LOCK).exists():
            lost.pop()
            (run / LOCK).unlink()
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    store = opened(run)
    with pytest.raises(StoreError, match=BUSY):
        opened(run)
    store.close(complete=True)


def _remove_folder(run: Path) -> None:
    shutil.rmtree(run)


def _move_folder(run: Path) -> None:
    run.rename(run.with_name("elsewhere"))


def _replace_folder(run: Path) -> None:
    shutil.rmtree(run)
    opened(run).close(complete=False)


def _remove_file(run: Path) -> None:
    (run / REPLIES).unlink()


def _replace_file(run: Path) -> None:
    (run / "new").write_bytes(b"")
    (run / "new").replace(run / REPLIES)


def _remove_another_file(run: Path) -> None:
    (run / FAILURES).unlink()


@pytest.mark.parametrize(
    "lose", [_remove_folder, _move_folder, _replace_folder, _remove_file, _replace_file, _remove_another_file]
)
def test_a_run_that_lost_its_files_says_so_at_once(lose: Callable[[Path], None], tmp_path: Path) -> None:
    store = opened(tmp_path / "run")
    store.check()
    store.add_reply("a", 0, REPLY)
    lose(tmp_path / "run")
    with pytest.raises(StoreError, match=r"\.jsonl: removed, moved or replaced while in use"):
        store.add_reply("a", 1, REPLY)
    with pytest.raises(StoreError, match="removed, moved or replaced"):
        store.check()
    store.close(complete=False)


def test_a_relative_folder_is_still_ours_in_another_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = opened(Path("run"))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    store.add_reply("a", 0, REPLY)
    store.check()
    store.close(complete=False)


class Failing:
    """os.fsync of a disk that loses what it was given."""

    def __init__(self, error: int = errno.EIO, only: Callable[[int], bool] = lambda _: True) -> None:
        self.error, self.only, self.fsync = error, only, os.fsync

    def __call__(self, descriptor: int) -> None:
        if self.only(descriptor):
            raise OSError(self.error, os.strerror(self.error))
        self.fsync(descriptor)


def test_a_disk_that_loses_lines_is_an_error_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = opened(tmp_path / "run")
    store.add_reply("a", 0, REPLY)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", Failing())
        with pytest.raises(StoreError, match="Input/output error; the last lines may be lost"):
            store.close(complete=True)
    assert (tmp_path / "run" / REPLIES).exists()  # what is not known to be written down elsewhere stays
    opened(tmp_path / "run").close(complete=True)  # and everything was let go


def test_a_disk_that_loses_lines_ends_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolgauge.runs.lines.SYNC_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", Failing(only=lambda one: _name(one) == TRAJECTORIES))
        with pytest.raises(StoreError, match=f"{TRAJECTORIES}: Input/output error; the last lines"):
            go(tmp_path / "run", limit=2)
    go(tmp_path / "whole", limit=2)
    go(tmp_path / "run", limit=2)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def test_a_file_system_that_cannot_sync_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", Failing(errno.EINVAL))
    go(tmp_path / "run", limit=1)


def _name(descriptor: int) -> str:
    link = Path(f"/proc/self/fd/{descriptor}")
    return link.readlink().name if link.parent.exists() else ""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs the names of open files")
def test_folders_are_on_the_disk_before_anything_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        synced.append(_name(descriptor))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    store = opened(tmp_path / "a" / "b" / "run")
    assert [name for name in synced if "." not in name] == ["b", "a", tmp_path.name, "run", "run"]
    log = BatchLog(store.folder)
    assert synced[-1] == "run"
    batch = log.uploaded("file", "assistant", ["x"])
    log.made(batch, "batch")
    log.over(batch, "completed", b"answers")
    assert synced[-1] == ANSWERS
    log.close()
    log.clear()
    assert not (store.folder / ANSWERS).exists()
    assert (store.folder / BATCHES).exists()
    store.close(complete=True)


def test_paid_answers_may_be_larger_than_other_files(tmp_path: Path) -> None:
    log = BatchLog(tmp_path)
    batch = log.uploaded("file", "", ["x"])
    log.over(batch, "completed", b"answers")
    (kept,) = (tmp_path / ANSWERS).iterdir()
    os.truncate(kept, MAX_FILE_BYTES + 1)
    assert len(log.answers(batch)) == MAX_FILE_BYTES + 1
    log.close()


def test_answers_in_a_folder_with_something_else(tmp_path: Path) -> None:
    log = BatchLog(tmp_path)
    log.over(log.uploaded("file", "", ["x"]), "completed", b"answers")
    (tmp_path / ANSWERS / "mine").write_bytes(b"keep")
    log.close()
    log.clear()
    assert [path.name for path in (tmp_path / ANSWERS).iterdir()] == ["mine"]


def test_what_should_not_have_begun_is_taken_away_under_its_lock(tmp_path: Path) -> None:
    store = opened(tmp_path / "run")
    store.add_failure(Failure("a", "a", Blame.HARNESS, "why"))
    store.discard()
    assert not (tmp_path / "run").exists()
    store.close(complete=True)
    other = opened(tmp_path / "run")
    store.close(complete=True)  # lets go nothing of anybody else
    with pytest.raises(StoreError, match=BUSY):
        opened(tmp_path / "run")
    other.add_failure(Failure("a", "a", Blame.HARNESS, "why"))
    other.close(complete=False)
    assert (tmp_path / "run" / FAILURES).read_bytes()


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


def test_leftovers_go_and_what_is_being_written_stays(tmp_path: Path) -> None:
    from toolgauge.files import clear_leftovers, replacing

    left = tmp_path / f".toolgauge-{'0' * 16}.new"
    left.write_bytes(b"half")
    (tmp_path / ".toolgauge-mine.new").write_bytes(b"")
    with replacing(tmp_path / "file") as file:
        file.write(b"whole")
        clear_leftovers(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"file", ".toolgauge-mine.new"}
    sync_folder(tmp_path)


def test_what_a_killed_process_left_of_an_answers_file_goes_with_the_others(tmp_path: Path) -> None:
    log = BatchLog(tmp_path)
    batch = log.uploaded("file-1", "openai/m", ["a"])
    log.made(batch, "batch-1")
    log.over(batch, "completed", b"{}\n")
    (tmp_path / "batches" / f".toolgauge-{'0' * 16}.new").write_bytes(b"{")
    log.close()
    log.clear()
    assert not (tmp_path / "batches").exists()
