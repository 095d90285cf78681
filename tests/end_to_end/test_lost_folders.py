"""The run directory goes away or cannot be written any more: asking stops at once, for it would be paid and lost."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.playing import Player, call, command, finish, lines, replies, snapshot, start, wait_until
from tests.mockserver import serve

SESSIONS = 6
CONCURRENCY = 4


def removed(folder: Path) -> None:
    shutil.rmtree(folder)


def moved(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def replaced(folder: Path) -> None:
    shutil.copytree(folder, folder.with_name("copy"))
    shutil.rmtree(folder)
    folder.with_name("copy").rename(folder)


@pytest.mark.parametrize("verb", ["run", "generate"])
@pytest.mark.parametrize("loss", [removed, moved, replaced])
def test_asking_stops_when_the_folder_is_gone(loss: Callable[[Path], None], verb: str, tmp_path: Path) -> None:
    with serve(Player(replies(limit=SESSIONS)), latency=0.2) as server:
        chosen = ["run", "mini", "--limit", SESSIONS] if verb == "run" else ["generate", "--sample", 16]
        arguments = command(
            *chosen, "--out", "out", "--set", "limits.probe=false", "--concurrency", CONCURRENCY, server=server
        )
        process = start(arguments, tmp_path)
        wait_until(lambda: len(server.requests) >= 6)
        loss(tmp_path / "out")
        asked = len(server.requests)
        code, _, err = finish(process)
        after = len(server.requests) - asked
    assert after <= 2 * CONCURRENCY, "at most one more of each conversation that had just got its reply"
    assert code == 1
    assert "removed, moved or replaced while in use" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_asking_stops_when_the_disk_is_full(tmp_path: Path) -> None:
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000)); "
    limited += "os.execv(sys.executable, sys.argv[1:])"
    with serve(Player(replies(limit=SESSIONS)), latency=0.05) as server:
        arguments = command(
            "run", "mini", "--limit", SESSIONS, "--out", "run", "--set", "limits.probe=false", server=server, fresh=True
        )
        arguments += ["--concurrency", str(CONCURRENCY)]
        code, _, err = call([sys.executable, "-c", limited, *arguments], tmp_path)
        asked = len(server.requests)
    kept = sum(len(line["steps"]) for line in lines(tmp_path / "run" / "trajectories.jsonl"))
    kept += len(lines(tmp_path / "run" / "replies.jsonl"))
    assert code == 1
    assert "File too large. Everything written before is safe" in err.splitlines()[-1]
    assert asked <= kept + 2 * CONCURRENCY
    assert asked < len(replies(limit=SESSIONS))


# What a newer toolgauge wrote


def newer_manifest(folder: Path) -> str:
    file = folder / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"trajectory_version": 99}))
    return file.name


def newer_line(name: str) -> Callable[[Path], str]:
    def append(folder: Path) -> str:
        line: dict[str, Any] = {"version": 99, "what": "nobody knows"}
        with (folder / name).open("a") as file:
            file.write(json.dumps(line) + "\n")
        return name

    append.__name__ = name
    return append


NEWER = [newer_manifest, *map(newer_line, ("trajectories.jsonl", "replies.jsonl", "failures.jsonl"))]


@pytest.mark.parametrize("change", NEWER)
def test_what_a_newer_version_wrote_is_refused_before_anything_is_asked(
    change: Callable[[Path], str], tmp_path: Path
) -> None:
    with serve(Player(replies(limit=1))) as server:
        arguments = command(
            "run", "mini", "--limit", 1, "--out", "run", "--set", "limits.max_tokens_total=20", server=server
        )
        call(arguments, tmp_path)
        name = change(tmp_path / "run")
        before, asked = snapshot(tmp_path / "run"), len(server.requests)
        code, _, err = call(arguments, tmp_path)
        assert len(server.requests) == asked
    assert code == 1
    assert err.splitlines()[-1] == f"toolgauge: run/{name}: written by a newer version of toolgauge; upgrade toolgauge"
    assert snapshot(tmp_path / "run") == before
