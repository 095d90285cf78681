"""Files with lines that are broken, or that are no session: they are told of with their place, and stop nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.review.conftest import ask
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.chat import Json
from toolgauge.errors import DataError
from toolgauge.review.access import PROOF, Hosts, digest, proof
from toolgauge.review.desk import Desk
from toolgauge.review.events import Decided, Outcome, PersonAdded
from toolgauge.review.export import prepared
from toolgauge.review.server import ReviewServer
from toolgauge.review.store import MOST_NAMED, open_originals

MINI = MINI_FILE.read_text("utf-8").splitlines()


def spoiled(line: str, **fields: object) -> str:
    """A record with other fields; None takes one away."""
    record: Json = json.loads(line) | fields
    return json.dumps({key: value for key, value in record.items() if value is not None})


def write(folder: Path, *lines: str) -> Path:
    file = folder / "sessions.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "invalid JSON"),
        ('{"id": "mini', "invalid JSON"),
        ("[1]", "must be an object"),
        ('{"tasks": []}', "missing"),
        ("[" * 200 + "]" * 200, "nested deeper"),
        (MINI[0], "duplicate id"),
    ],
)
def test_a_broken_line_is_named_and_the_others_are_reviewed(line: str, why: str, tmp_path: Path) -> None:
    file = write(tmp_path, MINI[0], line, MINI[1])
    originals = open_originals(file, "en")
    assert [*originals.tasks] == ["mini_0", "mini_1"]
    (note,) = (str(one) for one in originals.notes)
    assert note.startswith(f"{file}:2: ")
    assert why in note
    assert "\n" not in note
    with closing(Desk(tmp_path / "r", originals)) as desk:
        desk.happen(Decided(session="mini_1", base=0, outcome=Outcome.APPROVED, tasks=9))
        assert prepared(desk).sessions == 1


def test_many_broken_lines_are_counted_and_nothing_but_those_is_refused(tmp_path: Path) -> None:
    originals = open_originals(write(tmp_path, MINI[0], *["{"] * 20), "en")
    assert len(originals.notes) == MOST_NAMED + 1
    assert originals.notes[-1] == f"more lines skipped: {20 - MOST_NAMED}"
    with pytest.raises(DataError, match=r"sessions\.jsonl:1: "):
        open_originals(write(tmp_path, "{", "{"), "en")


@contextmanager
def review(folder: Path, *lines: str) -> Iterator[Desk]:
    with closing(Desk(folder / "r", open_originals(write(folder, *lines), "en"))) as desk:
        desk.happen(PersonAdded(name="Ada", is_lead=True, token_sha256=digest("Ada")))
        yield desk


UNREADABLE = [
    spoiled(MINI[1], english_task_types=["nonsense"]),
    spoiled(MINI[1], english_answer_list=None),
    spoiled(MINI[1], english_tasks=None, english_task_types=None),
    spoiled(MINI[1], english_tools="none"),
    spoiled(MINI[1], english_tasks=[7], english_task_types={}),
]


@pytest.mark.parametrize("line", UNREADABLE)
def test_a_session_that_is_none_says_where_and_stops_nobody(line: str, tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    with (
        review(tmp_path, MINI[0], line, MINI[2]) as desk,
        TestClient(ReviewServer(desk, Hosts(80)).app, base_url="http://127.0.0.1") as client,
    ):
        assert client.get("/enter?token=Ada").status_code == 200
        client.headers[PROOF] = proof("Ada")
        answer = client.get("/api/session?id=mini_1")
        assert answer.status_code == 422
        assert f"{desk.originals.file}:2: " in answer.json()["message"]
        approved = ask(client, do="decide", session="mini_1", base=0, outcome="approved")
        assert approved.status_code == 422, "what cannot be read is approved by nobody"
        edits = [{"edit": "utterance", "task": 0, "text": "so"}]
        for command in ({"do": "edit", "edits": edits}, {"do": "undo"}):
            assert ask(client, session="mini_1", base=0, **command).status_code == 422
        for path in ("queue", "session?id=mini_0", "team", "rounds", "figures", "opinions", "search?words=a"):
            assert client.get(f"/api/{path}").status_code == 200, path
        ids = [one["id"] for one in client.get("/api/queue").json()["sessions"]]
        assert ids == ["mini_0", "mini_1", "mini_2"]
        for name in ("mini_0", "mini_2"):
            assert ask(client, do="decide", session=name, base=0, outcome="approved").status_code == 200
        assert (
            ask(client, do="decide", session="mini_1", base=0, outcome="rejected", reason="broken").status_code == 200
        )
        assert ask(client, do="drawround", share=1.0).status_code in (200, 422)
        assert client.get("/api/export").status_code == 200
