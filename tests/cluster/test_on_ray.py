"""Real Ray clusters of this machine (make ray): workers and the driving process killed, keys looked for, Ctrl-C."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import tempfile
import textwrap
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.end_to_end.playing import (
    KEY,
    NOISY,
    Player,
    command,
    content_key,
    environment,
    finish,
    go,
    lines,
    replies,
    results,
    snapshot,
    wait_until,
)
from tests.mockserver import Json, Server, serve

pytestmark = [
    pytest.mark.ray,
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed; make ray installs it"),
]

SESSIONS = 12
CLUSTER = ["--engine", "ray", "--set", "limits.workers=2", "--concurrency", "6"]


@pytest.fixture
def sessions() -> Iterator[Path]:
    """Where Ray keeps its sockets and logs; a short path, since sockets' paths must be."""
    folder = Path(tempfile.mkdtemp(prefix="tg"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def begin(arguments: list[str], folder: Path, sessions: Path, **variables: str) -> subprocess.Popen[str]:
    """toolgauge on two CPUs, in a process group of its own as a shell would begin it."""
    settings = {"RAY_TMPDIR": str(sessions), "RAY_OVERRIDE_RESOURCES": '{"CPU": 2}', "RAY_ADDRESS": "local"}
    return subprocess.Popen(
        arguments,
        cwd=folder,
        env=environment() | settings | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ids(folder: Path) -> list[str]:
    return [line["task_id"] for line in lines(folder / "trajectories.jsonl")]


def manifest(folder: Path) -> Json:
    """run.json without the moment at which the run began."""
    content: Json = json.loads((folder / "run.json").read_bytes())
    assert content.pop("started")
    return content


def has_asked(server: Server, enough: int, process: subprocess.Popen[str]) -> bool:
    return len(server.requests) >= enough or process.poll() is not None


def on_the_endpoint(server: Server) -> list[str]:
    arguments = command(
        "run", "mini", "--limit", SESSIONS, "--out", "ray", "--set", "limits.probe=false", server=server
    )
    return arguments + CLUSTER


def test_the_same_as_without_a_cluster(tmp_path: Path, sessions: Path) -> None:
    arguments = command("run", "mini", "-m", NOISY, "--out", "ray") + CLUSTER
    code, out, err = finish(begin(arguments, tmp_path, sessions))
    assert code == 0, err
    go(tmp_path / "here", concurrency=6)
    assert results(tmp_path / "ray") == results(tmp_path / "here")
    assert manifest(tmp_path / "ray") == manifest(tmp_path / "here")
    assert "128 of 128 tasks" in out
    assert {path.name for path in (tmp_path / "ray").iterdir()} == {path.name for path in (tmp_path / "here").iterdir()}


MORTAL = """
    import os
    from pathlib import Path
    from toolgauge.models.registry import open_model

    class Mortal:
        '''Plays well, and takes its process down in conversations that have a file named after them.'''

        def __init__(self, rest, options):
            self.name, self._folder = f"mortal/{rest}", Path(rest)
            self._player = open_model("builtin/noisy?seed=3&rate=0.4")

        async def ask(self, request):
            grave = self._folder / request.episode.replace("/", "-")
            if grave.exists():
                if grave.read_text() == "once":
                    grave.unlink()
                os._exit(9)
            return await self._player.ask(request)

        async def close(self):
            pass

        def describe(self):
            return {"provider": "mortal", "model": "mortal", "base_url": None}
"""


@pytest.fixture
def mortal(tmp_path: Path) -> Path:
    """A folder with a package that brings the provider `mortal`."""
    package = tmp_path / "package"
    (package / "mortal-1.0.dist-info").mkdir(parents=True)
    (package / "mortal.py").write_text(textwrap.dedent(MORTAL))
    (package / "mortal-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mortal\nVersion: 1.0\n")
    (package / "mortal-1.0.dist-info" / "entry_points.txt").write_text("[toolgauge.models]\nmortal = mortal:Mortal\n")
    return package


def test_workers_die_in_the_middle(tmp_path: Path, sessions: Path, mortal: Path) -> None:
    """Two conversations take a worker down once each, one does it always: that one alone is missing."""
    graves = tmp_path / "graves"
    graves.mkdir()
    for name, often in (("mini_1-2", "once"), ("mini_9-0", "once"), ("mini_5-1", "always")):
        (graves / name).write_text(often)
    arguments = command("run", "mini", "-m", f"mortal/{graves}", "--limit", SESSIONS, "--out", "ray", fresh=True)
    arguments += ["--set", "limits.probe=false", *CLUSTER]
    code, _, err = finish(begin(arguments, tmp_path, sessions, PYTHONPATH=str(mortal)))
    assert code == 1, err
    assert len(ids(tmp_path / "ray")) == len(set(ids(tmp_path / "ray"))) == 4 * SESSIONS - 1
    failures = lines(tmp_path / "ray" / "failures.jsonl")
    assert [(line["key"], line["blame"]) for line in failures] == [("mini_5/1", "harness")]
    assert "worker died" in failures[0]["reason"]
    (graves / "mini_5-1").unlink()
    code, _, err = finish(begin(arguments, tmp_path, sessions, PYTHONPATH=str(mortal)))
    assert code == 0, err
    go(tmp_path / "here", limit=SESSIONS)
    assert sorted(ids(tmp_path / "ray")) == sorted(ids(tmp_path / "here"))
    assert (tmp_path / "ray" / "scores.jsonl").read_bytes() == (tmp_path / "here" / "scores.jsonl").read_bytes()


def test_the_driving_process_is_killed_and_continued(tmp_path: Path, sessions: Path) -> None:
    player = Player(replies(limit=SESSIONS))
    with serve(player, latency=0.1) as server:
        for _ in range(3):
            process = begin(on_the_endpoint(server), tmp_path, sessions)
            wait_until(partial(has_asked, server, len(server.requests) + 20, process))
            process.kill()
            process.communicate()
        killed = len(ids(tmp_path / "ray"))
        assert 0 < killed < 4 * SESSIONS
        code, _, err = finish(begin(on_the_endpoint(server), tmp_path, sessions))
        asked = {content_key(body) for body in server.requests}
    assert code == 0, err
    assert asked == set(player.table)
    assert len(ids(tmp_path / "ray")) == len(set(ids(tmp_path / "ray"))) == 4 * SESSIONS
    go(tmp_path / "here", limit=SESSIONS)
    assert (tmp_path / "ray" / "scores.jsonl").read_bytes() == (tmp_path / "here" / "scores.jsonl").read_bytes()


def test_interrupted_in_order_and_continued_without_a_cluster(tmp_path: Path, sessions: Path) -> None:
    """Ctrl-C reaches the whole process group, as it does from a terminal; what went before is not asked again."""
    player = Player(replies(limit=SESSIONS))
    with serve(player, latency=0.1) as server:
        process = begin(on_the_endpoint(server), tmp_path, sessions)
        wait_until(lambda: len(server.requests) >= 30)
        os.killpg(process.pid, signal.SIGINT)
        code, _, err = finish(process)
        assert code == 130
        assert "interrupted" in err
        failures = {line["key"] for line in lines(tmp_path / "ray" / "failures.jsonl")}
        assert len(failures) + len(ids(tmp_path / "ray")) == 4 * SESSIONS
        here = command("run", "mini", "--limit", SESSIONS, "--out", "ray", "--set", "limits.probe=false", server=server)
        code, _, err = finish(begin(here, tmp_path, sessions))
    assert code == 0, err
    assert player.most_repeated == 1
    assert len(ids(tmp_path / "ray")) == len(set(ids(tmp_path / "ray"))) == 4 * SESSIONS


@pytest.mark.parametrize("given", ["option", "environment", "address"])
def test_no_key_in_any_file_or_output(given: str, tmp_path: Path, sessions: Path) -> None:
    password = "letmein-9876"
    with serve(Player(replies(limit=2))) as server:
        arguments = (
            command("run", "mini", "--limit", 2, "--out", "ray", "--set", "limits.probe=false", "-m", "openai/mock")
            + CLUSTER
        )
        variables = {"OPENAI_API_KEY": KEY}
        base_url = server.base_url
        if given == "option":
            arguments, variables = [*arguments, "--set", f"endpoint.api_key={KEY}"], {}
        if given == "address":
            base_url = base_url.replace("://", f"://somebody:{password}@")
        if given == "environment":
            variables["OPENAI_BASE_URL"] = base_url
        else:
            arguments += ["--base-url", base_url]
        code, out, err = finish(begin(arguments, tmp_path, sessions, **variables))
        sent = {header for headers in server.headers for header in headers.values()}
    assert code == 0, err
    assert any(KEY in header or header.startswith("Basic ") for header in sent)
    logs = [path for path in sessions.rglob("*") if path.is_file()]
    assert any("raylet" in path.name for path in logs), "Ray's own logs are not where they were looked for"
    for path in [*logs, *(tmp_path / "ray").iterdir()]:
        content = path.read_bytes()
        assert KEY.encode() not in content, path
        assert password.encode() not in content, path
    assert KEY not in out + err
    assert password not in out + err


def test_an_address_where_there_is_no_cluster(tmp_path: Path, sessions: Path) -> None:
    arguments = command("run", "mini", "-m", NOISY, "--engine", "ray", "--set")
    code, _, err = finish(begin([*arguments, "limits.address=ray://localhost:10001"], tmp_path, sessions))
    assert code == 2
    assert "run this on a machine of the cluster" in err
    code, _, err = finish(begin([*arguments, "limits.address=127.0.0.1:9"], tmp_path, sessions))
    assert code == 2
    assert "cannot connect to a Ray cluster" in err
    assert "Traceback" not in err


def test_generations_are_the_same_as_without_a_cluster(tmp_path: Path, sessions: Path) -> None:
    """Every file, byte for byte, except run.json's date and the order in which dialogues ended."""
    arguments = command("generate", "--demo", "--sample", 8, "--seed", 5, "--language", "zh", "--out")
    code, _, err = finish(begin([*arguments, "ray", *CLUSTER], tmp_path, sessions))
    assert code == 0, err
    code, _, err = finish(begin([*arguments, "here", "--concurrency", "6"], tmp_path, sessions))
    assert code == 0, err
    assert manifest(tmp_path / "ray") == manifest(tmp_path / "here")
    made, expected = snapshot(tmp_path / "ray"), snapshot(tmp_path / "here")
    assert {"sessions.jsonl", "raw.jsonl", "coverage.json", "trajectories.jsonl"} <= set(made)
    for files in (made, expected):
        del files["run.json"]
        files.pop(".toolgauge.json", None)  # checksums, which depend on that order
        files["trajectories.jsonl"] = b"\n".join(sorted(files["trajectories.jsonl"].splitlines()))
    assert made == expected


def test_a_cluster_that_is_there_already(tmp_path: Path, sessions: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two nodes of one CPU each; the run leaves them as they were."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("RAY_TMPDIR", str(sessions))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    node = {"num_cpus": 1, "object_store_memory": 100 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        cluster.add_node(**node)
        arguments = command(
            "run", "mini", "-m", NOISY, "--limit", SESSIONS, *CLUSTER, "--set", f"limits.address={cluster.address}"
        )
        for out in ("first", "second"):
            code, _, err = finish(begin([*arguments, "--out", out], tmp_path, sessions))
            assert code == 0, err
    finally:
        cluster.shutdown()
    go(tmp_path / "here", limit=SESSIONS)
    assert results(tmp_path / "first") == results(tmp_path / "second") == results(tmp_path / "here")
