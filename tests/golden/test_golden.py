"""What must not change: the records are made again and compared, the folders of an earlier version are used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.end_to_end.playing import call, command, lines
from tests.golden.make import OWN, PUBLIC, difference
from tests.models.fakes import playing, script
from tests.review.test_kills import KilledServer

FOLDERS = Path(__file__).parent / "folders"
"""What the commands of version 0.1.0 left on the disk: later ones have to continue, score, show and export it."""
KEY = "key-of-mine-0123456789abcdef"
SESSIONS = 4
FINISHED = ("run", "mini", "-m", "builtin/noisy?seed=1&rate=0.5", "--limit", SESSIONS, "--out", "finished")
UNFINISHED = ("run", "mini", "-m", "vllm/some-model", "--limit", SESSIONS, "--out", "unfinished", "--concurrency", 1,
              "--set", "limits.probe=false", "--set", f"endpoint.api_key={KEY}")  # fmt: skip
GENERATION = ("generate", "--demo", "--paths", "single; chat; clarify; single,chat", "--concurrency", 1,
              "--set", "dialogues.year=2025", "--out", "generation")  # fmt: skip
"""The commands, as they were given; the second one with `--base-url`, and with a budget that ended it early."""
REVIEWERS = ("Ada", "Bo")


@pytest.mark.parametrize("name", OWN)
def test_a_record_is_as_it_was(name: str, tmp_path: Path) -> None:
    changed = difference(name, OWN[name](tmp_path))
    assert changed is None, changed


@pytest.mark.shared
@pytest.mark.parametrize("name", PUBLIC)
def test_a_record_of_public_data_is_as_it_was(name: str, shared: Path, tmp_path: Path) -> None:
    changed = difference(name, PUBLIC[name](tmp_path, shared))
    assert changed is None, changed


def copied(name: str, folder: Path) -> Path:
    """One of folders/, where it may be changed."""
    return Path(shutil.copytree(FOLDERS / name, folder / name))


def test_a_finished_run_is_scored_compared_and_shown(tmp_path: Path) -> None:
    run = copied("finished", tmp_path)
    scores = (run / "scores.jsonl").read_bytes()
    for arguments in (["score", "finished"], ["compare", "finished", "finished"], ["report", "finished", "--out", "s"]):
        code, out, err = call(command(*arguments), tmp_path)
        assert code == 0, out + err
    assert (run / "scores.jsonl").read_bytes() == scores.replace(b'"readings"', b'"scorings"')
    assert (run / "details.csv").exists()
    assert (tmp_path / "s" / "index.html").exists()
    recorded = (run / "trajectories.jsonl").read_bytes()
    code, out, err = call(command(*FINISHED), tmp_path)
    assert code == 0, out + err
    assert (run / "trajectories.jsonl").read_bytes() == recorded


def test_an_unfinished_run_continues_and_asks_what_is_missing(tmp_path: Path) -> None:
    run = copied("unfinished", tmp_path)
    recorded = (run / "trajectories.jsonl").read_bytes()
    answered = {(line["key"], line["step"]) for line in lines(run / "replies.jsonl")}
    for line in lines(run / "trajectories.jsonl"):
        answered |= {(line["task_id"], number) for number in range(len(line["steps"]))}
    everything = script("gold", SESSIONS)
    with playing("vllm", KEY, everything) as fake:
        code, out, err = call(command(*UNFINISHED, "--base-url", fake.base_url), tmp_path)
        assert code == 0, out + err
    assert 0 < len(answered) == len(everything) - len(fake.server.requests)
    assert (run / "trajectories.jsonl").read_bytes().startswith(recorded)
    scores = lines(run / "scores.jsonl")
    assert len(scores) == 4 * SESSIONS
    assert all(verdict["label"] == "correct" for score in scores for verdict in score["scorings"].values())


def test_a_generation_of_an_earlier_version_is_refused_and_its_sessions_are_used(tmp_path: Path) -> None:
    folder = copied("generation", tmp_path)
    recorded = (folder / "trajectories.jsonl").read_bytes()
    code, _out, err = call(command(*GENERATION), tmp_path)
    assert code == 2
    assert "was made by toolgauge 0.1.0, whose generations this version cannot continue" in err
    assert (folder / "trajectories.jsonl").read_bytes() == recorded
    sessions = copied("review", tmp_path) / "sessions.jsonl"
    count = len(lines(sessions))
    code, out, err = call(
        command("run", "wildtoolbench", "--data", sessions, "-m", "builtin/oracle", "--out", "r"), tmp_path
    )
    assert code == 0, out + err
    assert all(score["scorings"]["exact"]["label"] == "correct" for score in lines(tmp_path / "r" / "scores.jsonl"))
    resumed = ("generate", "--demo", "--resume-from", sessions, "--paths", "chat", "--out", "next")
    code, out, err = call(command(*resumed), tmp_path)
    assert code == 0, out + err
    assert len(lines(tmp_path / "next" / "sessions.jsonl")) == count


def test_a_review_opens_and_exports(tmp_path: Path) -> None:
    folder = copied("review", tmp_path)
    sessions, journal = folder / "sessions.jsonl", folder / "journal"
    server = KilledServer(sessions, journal, list(REVIEWERS))
    try:
        approved, rejected = (server.ask("Ada", f"/api/session?id={line['id']}") for line in lines(sessions))
    finally:
        server.kill()
    assert (approved["status"], rejected["status"]) == ("approved", "rejected")
    assert [comment["text"] for comment in approved["comments"]] == ["Is this what people say?"]
    code, out, err = call(command("review", sessions, "--out", journal, "--export", "benchmark"), tmp_path)
    assert code == 0, out + err
    (session,) = lines(tmp_path / "benchmark" / "sessions.jsonl")
    assert session["english_tasks"] == ["Find me a course on statistics, please."]
    assert json.dumps(lines(tmp_path / "benchmark" / "corrections.jsonl")).count("statistics") > 0
