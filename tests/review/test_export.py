"""What leaves: a benchmark that passes the checks, corrections that make it of the original, and nothing else."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import toolgauge
from tests.end_to_end.playing import call, command, lines
from tests.review.conftest import OpenDesk, decide, edit
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.data.session import TaskType
from toolgauge.errors import UsageError
from toolgauge.review import commands
from toolgauge.review.access import PROOF, Hosts, digest, proof
from toolgauge.review.desk import Desk
from toolgauge.review.events import Outcome, PersonAdded
from toolgauge.review.export import CORRECTIONS, SESSIONS, prepared, write
from toolgauge.review.handling import do
from toolgauge.review.server import ReviewServer
from toolgauge.review.store import open_originals

FILES = (
    "sessions.jsonl",
    "corrections.jsonl",
    "card.json",
    "openai.jsonl",
    "sharegpt.jsonl",
)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a generation of which some sessions were edited and approved, one was rejected, one was not seen."""
    folder = tmp_path_factory.mktemp("made") / "g"
    toolgauge.generate("builtin/oracle", paths="single,clarify; multi; chat,single; single,multi", out=folder)
    originals = open_originals(folder / "sessions.jsonl")
    with closing(Desk(folder / "sessions.review", originals, lambda: 1_700_000_000.0)) as desk:
        desk.happen(PersonAdded(name="Ada", is_lead=True, token_sha256=digest("Ada")))
        first, second, third, _unseen = originals.tasks
        edit(desk, "Words of Ada's own.", session=first)
        for name in (first, second):
            decide(desk, "Ada", name)
        decide(desk, "Ada", third, Outcome.REJECTED)
    return folder


def ids(content: bytes) -> list[str]:
    return [json.loads(line)["id"] for line in content.splitlines()]


def test_what_leaves_is_a_benchmark(generated: Path, tmp_path: Path) -> None:
    out = tmp_path / "reviewed"
    code, said, _ = call(command("review", generated, "--export", out), tmp_path)
    assert code == 0
    assert "2 sessions" in said
    assert sorted(one.name for one in out.iterdir() if one.name[0] != ".") == sorted(FILES)
    original = generated / SESSIONS
    assert ids((out / SESSIONS).read_bytes()) == ids(original.read_bytes())[:2]
    assert call(command("data", "check", out / SESSIONS), tmp_path)[0] == 0
    run = ("run", "wildtoolbench", "--data", out / SESSIONS, "-m", "builtin/oracle", "--out", tmp_path / "run")
    assert call(command(*run), tmp_path)[0] == 0
    labels = {found["label"] for one in lines(tmp_path / "run" / "scores.jsonl") for found in one["scorings"].values()}
    assert labels == {"correct"}
    applied = tmp_path / "applied.jsonl"
    code, said, errors = call(
        command("data", "correct", out / CORRECTIONS, "--data", original, "--out", applied), tmp_path
    )
    assert code == 0, said + errors
    kept = [json.loads(line) for line in applied.read_bytes().splitlines()][:2]
    assert kept == [json.loads(line) for line in (out / SESSIONS).read_bytes().splitlines()]


@pytest.mark.parametrize("unapproved", [False, True])
def test_what_was_rejected_never_leaves(generated: Path, tmp_path: Path, unapproved: bool) -> None:
    names = ids((generated / SESSIONS).read_bytes())
    originals = open_originals(generated / SESSIONS)
    made = prepared(Desk(generated / "sessions.review", originals, is_read_only=True), unapproved)
    assert ids(made.files[SESSIONS]) == [name for name in names if name != names[2]][: 3 if unapproved else 2]
    for content in made.files.values():
        assert names[2].encode() not in content
    assert json.loads(made.files["card.json"])["sessions"] == len(names) - 2 + unapproved


def test_an_earlier_export_is_replaced_and_nothing_else(generated: Path, tmp_path: Path) -> None:
    originals = open_originals(generated / SESSIONS)
    made = prepared(Desk(generated / "sessions.review", originals, is_read_only=True))
    out = tmp_path / "out"
    write(made, out)
    (out / SESSIONS).write_text("Sessions of my own.")
    (out / "notes.txt").write_text("mine")
    write(made, out)
    assert (out / SESSIONS).read_bytes() == made.files[SESSIONS]
    for name in ("card.json", SESSIONS):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text('{"title": "mine"}')
        with pytest.raises(UsageError, match=f"{name} exists; choose a new folder, or use --overwrite"):
            write(made, folder)
        assert {path.name: path.read_text() for path in folder.iterdir()} == {name: '{"title": "mine"}'}
        (folder / "notes.txt").write_text("mine")
        write(made, folder, overwrite=True)
        assert (folder / name).read_bytes() == made.files[name]
        assert (out / "notes.txt").read_text() == (folder / "notes.txt").read_text() == "mine"


def test_the_last_check_names_session_and_place(open_desk: OpenDesk, tmp_path: Path) -> None:
    desk = open_desk()
    name = next(iter(desk.originals.tasks))
    change = commands.SetType(task=0, type=TaskType.PARALLEL_TOOLS)
    do(desk, "Ada", commands.Edit(session=name, base=0, edits=(change,)))
    decide(desk, "Ada", name)
    made = prepared(desk)
    assert not made.files
    assert made.problems
    for one in made.problems:
        assert one.session == name
        assert str(one.message).startswith(f"'{name}': english_answer_list[0]")
    done = command("review", MINI_FILE, "--language", "en", "--out", tmp_path / "review", "--export", tmp_path / "x")
    code, said, errors = call(done, tmp_path)
    assert (code, name in said, "Nothing was written" in errors) == (1, True, True)
    assert not (tmp_path / "x").exists()


def test_a_lead_asks_for_the_last_check(open_desk: OpenDesk) -> None:
    desk = open_desk()
    app = ReviewServer(desk, Hosts(8770)).app
    with TestClient(app, base_url="http://127.0.0.1:8770") as client:
        client.get("/enter?token=Ada")
        client.headers[PROOF] = proof("Ada")
        assert client.get("/api/export?check=1").status_code == 422
        change = commands.SetType(task=0, type=TaskType.PARALLEL_TOOLS)
        do(desk, "Ada", commands.Edit(session="mini_0", base=0, edits=(change,)))
        for name in ("mini_0", "mini_1"):
            decide(desk, "Ada", name)
        told = client.get("/api/export?check=1").json()
        assert (told["sessions"], told["left_out"]) == (2, len(desk.state.sessions) - 2)
        assert {one["session"] for one in told["problems"]} == {"mini_0"}
        assert client.get("/api/export").status_code == 422
        client.get("/enter?token=Bo")
        assert client.get("/api/export?check=1").status_code == 403
