"""The run directory: torn and damaged files, full disks, locks, folders that cannot be used."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import NOISY, Player, call, command, go, lines, options, replies, results, snapshot
from tests.mockserver import Json, Server, serve
from toolgauge.api import RunResult
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.chat import Reply
from toolgauge.errors import StoreError, ToolgaugeError
from toolgauge.files import only_one
from toolgauge.results import open_run
from toolgauge.runs.scoring import score_run
from toolgauge.runs.store import FAILURES, LOCK, REPLIES, TRAJECTORIES, RunStore

SESSIONS = 3


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    go(folder, limit=SESSIONS)
    return folder


class Endpoint:
    """The mock endpoint and runs against it."""

    def __init__(self, server: Server, player: Player) -> None:
        self.server, self.player = server, player

    def go(self, folder: Path, **more: Any) -> RunResult:
        return go(folder, "openai/mock", reached=options(self.server.base_url), limit=SESSIONS, **more)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    player = Player(replies(limit=SESSIONS))
    with serve(player) as server:
        yield Endpoint(server, player)


def under_way(folder: Path) -> list[Json]:
    """The replies kept of conversations that are not finished."""
    finished = {line["task_id"] for line in lines(folder / TRAJECTORIES)}
    return [line for line in lines(folder / REPLIES) if line["key"] not in finished]


@pytest.fixture
def begun(endpoint: Endpoint, tmp_path: Path) -> Path:
    """A run that its budget stopped on the way, with something in each of its files."""
    folder = tmp_path / "begun"
    for tokens in range(90, 1800, 18):
        endpoint.go(folder, concurrency=2, max_tokens_total=tokens)
        if len(lines(folder / TRAJECTORIES)) > 1 and under_way(folder):
            break
    assert lines(folder / FAILURES)
    endpoint.player.answered.clear()
    return folder


# Torn and damaged lines


@pytest.mark.parametrize(("name", "cut"), [(TRAJECTORIES, 1), (TRAJECTORIES, 40), (REPLIES, 2), (FAILURES, 40)])
def test_a_torn_last_line_is_reported_and_redone(
    name: str, cut: int, begun: Path, endpoint: Endpoint, whole: Path
) -> None:
    file = begun / name
    content = file.read_bytes()
    torn = len(content[:-1].rpartition(b"\n")[2]) + 1 - cut
    os.truncate(file, len(content) - cut)
    assert f"{name}: removed an incomplete last line ({torn} bytes)" in endpoint.go(begun).notes
    assert results(begun) == results(whole)
    ids = [line["task_id"] for line in lines(begun / TRAJECTORIES)]
    assert len(ids) == len(set(ids)) == 4 * SESSIONS


@pytest.mark.parametrize(
    ("name", "garbage"), [(TRAJECTORIES, b"{}"), (TRAJECTORIES, b"[" * 5000), (REPLIES, b"\x00" * 20)]
)
def test_garbage_in_the_middle_is_named_with_its_line(
    name: str, garbage: bytes, begun: Path, endpoint: Endpoint
) -> None:
    file = begun / name
    first, *rest = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([first, b"\n", garbage + b"\n", *rest]))
    with pytest.raises(StoreError, match="remove this line to have it asked again") as caught:
        endpoint.go(begun)
    assert str(caught.value).startswith(f"{file}:3: ")
    assert caught.value.exit_code == 1
    file.write_bytes(first + b"".join(rest))  # as the error says, and in the same process: the folder is free again
    assert endpoint.go(begun).outcome.failed == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_an_unreadable_manifest_is_an_error(content: bytes, begun: Path) -> None:
    (begun / "run.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"run\.json: cannot be parsed"):
        go(begun, limit=SESSIONS)


# Disks and folders


class FullDisk:
    """Stands in for os.pwrite: after so many bytes there is no space left, in the middle of a line as real disks do."""

    def __init__(self, space: int, error: int = errno.ENOSPC) -> None:
        self.space, self.error, self.write = space, error, os.pwrite

    def __call__(self, descriptor: int, data: bytes, offset: int) -> int:
        if self.space <= 0:
            raise OSError(self.error, os.strerror(self.error))
        written = self.write(descriptor, data[: self.space], offset)
        self.space -= written
        return written


@pytest.mark.parametrize("space", [0, 700, 30_000])
def test_a_full_disk_loses_nothing(space: int, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", FullDisk(space))
        with pytest.raises(StoreError) as caught:
            go(folder, limit=SESSIONS)
    assert "No space left on device. Everything written before is safe: free some space" in str(caught.value)
    assert caught.value.exit_code == 1
    for name in (TRAJECTORIES, REPLIES, FAILURES):
        assert (folder / name).read_bytes()[-1:] in (b"", b"\n")
    kept = (folder / TRAJECTORIES).read_bytes()
    assert go(folder, limit=SESSIONS).notes == ()
    assert (folder / TRAJECTORIES).read_bytes().startswith(kept)
    assert results(folder) == results(whole)


@pytest.mark.parametrize("at", ["mkdir", "open"])
def test_a_read_only_folder_is_an_error(at: str, begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: dict[str, Callable[..., Any]] = {"mkdir": os.mkdir, "open": os.open}

    def refuse(path: Any, *more: Any, **named: Any) -> Any:
        if str(path).startswith(str(begun.parent)):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real[at](path, *more, **named)

    before = snapshot(begun)
    with monkeypatch.context() as patched:
        patched.setattr(os, at, refuse)
        with pytest.raises(ToolgaugeError, match="Read-only file system"):
            go(begun / "new" if at == "mkdir" else begun, limit=SESSIONS)
    assert snapshot(begun) == before


def test_only_one_process_at_a_time(tmp_path: Path, endpoint: Endpoint) -> None:
    arguments = [*command("run", "mini", server=endpoint.server), "--out", "run", "--limit", str(SESSIONS)]
    store = RunStore(tmp_path / "run").open(Manifest(trajectory_version=1))
    before = snapshot(tmp_path / "run")
    code, _, err = call(arguments, tmp_path)
    assert code == 1
    assert err.splitlines()[-1] == (
        "toolgauge: run: another process is using this folder; wait for it or choose another --out"
    )
    assert snapshot(tmp_path / "run") == before
    store.close(complete=False)
    assert endpoint.server.requests == []


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


def test_numbers_of_an_endpoints_run_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """run.json tells how calls came through before the numbers are sealed."""
    with serve(Player(replies(limit=1))) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), limit=1)
    monkeypatch.setattr("toolgauge.results.derive", None)
    opened = open_run(tmp_path / "run")
    assert opened.manifest.interface
    assert opened.metrics.scored == 4


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
