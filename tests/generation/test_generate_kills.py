"""kill -9 at random moments, and the same command again: no dialogue lost or doubled, nothing asked twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path

from tests.end_to_end.playing import command
from tests.generation.replayed_agents import YEAR, Replayed, content_key, strangers
from tests.mockserver import serve

KILLS = 4
CONCURRENCY = 4
DIALOGUES = 16
FILES = (
    "raw.jsonl", "simplified.jsonl", "sessions.jsonl", "openai.jsonl", "sharegpt.jsonl",
    "dialogues.md", "rejected.jsonl", "coverage.json",
)  # fmt: skip


def start(base_url: str, out: str, folder: Path, fresh: bool = False) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LC_"))}
    arguments = command("generate", "-m", "openai/mock", "--base-url", base_url, fresh=fresh)
    arguments += [
        "--set",
        "endpoint.api_key=sk-none",
        "--tasks",
        "2",
        "--scenarios",
        "scenarios.jsonl",
        "--out",
        out,
        "--set",
        "limits.probe=false",
    ]
    arguments += ["--concurrency", str(CONCURRENCY), "--set", f"dialogues.year={YEAR}"]
    return subprocess.Popen(
        arguments,
        cwd=folder,
        env=kept | {"TOOLGAUGE_LANG": "en"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_killed_generation_continues(tmp_path: Path) -> None:
    scenarios = strangers(tmp_path / "scenarios.jsonl", DIALOGUES)
    player, draw = Replayed(tasks=2, scenarios=scenarios), random.Random(5)
    began: list[int] = []
    with serve(player, latency=0.01) as server:
        whole = start(server.base_url, "whole", tmp_path)
        _, err = whole.communicate(timeout=120)
        assert whole.returncode == 0, err
        server.requests.clear()
        for number in range(KILLS):
            began.append(len(server.requests))
            process = start(server.base_url, "run", tmp_path, fresh=number == 0)
            enough = len(server.requests) + draw.randint(1, player.steps // (2 * KILLS))
            end = time.monotonic() + 60
            while number and len(server.requests) < enough and process.poll() is None and time.monotonic() < end:
                time.sleep(0.002)
            time.sleep(draw.uniform(0.0, 0.02) if number else draw.uniform(0.1, 0.5))
            process.kill()
            process.communicate()
        began.append(len(server.requests))
        last = start(server.base_url, "run", tmp_path)
        _, err = last.communicate(timeout=120)
        asked = [content_key(body) for body in server.requests]
    assert last.returncode == 0, err
    for name in FILES:
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert not (tmp_path / "run" / "replies.jsonl").exists()
    assert not list((tmp_path / "run").glob("*.part"))
    ids = [json.loads(line)["task_id"] for line in (tmp_path / "run" / "trajectories.jsonl").read_bytes().splitlines()]
    assert len(ids) == len(set(ids)) == DIALOGUES
    # what was answered and written down is never asked again: at most what was under way when a process was killed
    assert len(asked) <= player.steps + KILLS * CONCURRENCY
    assert set(asked) == set(player.table)
    assert sum(this < following for this, following in zip(began, [*began[1:], len(asked)], strict=True)) > KILLS // 2
