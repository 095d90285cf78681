"""`toolgauge score` of a folder of `data import`: the files, the tables, and never an accuracy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.conversations.test_checks import ASKED, BOOK, TOLD, calls, conversation, result, says
from toolgauge.cli.main import app
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.files import CONVERSATIONS, conversation_line


def invoke(*arguments: object) -> tuple[str, str]:
    """What `score` prints, and its error."""
    environment = {"COLUMNS": "200"}
    done = CliRunner().invoke(app, ["score", *map(str, arguments)], env=environment)
    return done.output, str(done.exception or "")


GOOD = conversation(ASKED, calls("get_order", order_id="AB-4821"), TOLD, says("It was sent with DPX."))
BAD = conversation(
    BOOK,
    calls("book_table", restaurant="Larkspur", date="2025-03-13", guests=6),
    result({"error": "|full|\x1b[31m"}),
    says("Booked, <b>see you</b> tomorrow!"),
)


def log(folder: Path, *conversations: Conversation) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / CONVERSATIONS).write_bytes(b"".join(map(conversation_line, conversations)))
    return folder


def test_the_folder_gets_findings_tables_and_a_page(tmp_path: Path) -> None:
    output, error = invoke(log(tmp_path / "log", GOOD, BAD))
    assert not error
    assert "Calls with faults: 1 of 2; conversations with faults: 1 of 2" in output
    assert "no accuracy" in output
    findings = [json.loads(line) for line in (tmp_path / "log/checks.jsonl").read_text("utf-8").splitlines()]
    assert [one["code"] for one in findings] == ["invented_value", "unhandled_error"]
    assert findings[0]["at"] == {"message": 2, "call": 0, "path": "guests", "value": "6"}
    tables = json.loads((tmp_path / "log/checks.json").read_text("utf-8"))
    assert (tables["kind"], tables["version"], tables["accuracy"]) == ("toolgauge.checks", 1, None)
    assert tables["calls"] == {"found": 1, "total": 2, "conversations": 1, "value": 0.5, "ci95": [0.094531, 0.905469]}
    rows = {row["code"]: row["rate"] for row in tables["rows"]}
    assert (rows["unhandled_error"]["found"], rows["unhandled_error"]["total"]) == (1, 1)
    assert tables["tools"][0]["codes"] == {"invented_value": 1, "unhandled_error": 1}


def test_the_page_shows_findings_in_their_dialogues_and_no_markup_of_others(tmp_path: Path) -> None:
    invoke(log(tmp_path / "log", BAD))
    page = (tmp_path / "log/checks.md").read_text("utf-8")
    assert "## invented values (1)" in page
    assert '- 3 · assistant → **`book_table({"restaurant": "Larkspur", "date": "2025-03-13", "guests": 6})`**' in page
    assert "`Booked, <b>see you</b> tomorrow!`" in page
    assert "\x1b" not in page


def test_the_same_again_and_never_over_somebody_elses_file(tmp_path: Path) -> None:
    folder = log(tmp_path / "log", GOOD, BAD)
    invoke(folder)
    first = (folder / "checks.jsonl").read_bytes()
    assert not invoke(folder / CONVERSATIONS)[1]
    assert (folder / "checks.jsonl").read_bytes() == first
    (folder / "checks.json").write_text('{"my": "notes"}')
    assert "checks.json exists; use --overwrite to replace it" in invoke(folder)[1].replace(
        "checks.jsonl", "checks.json"
    )
    assert (folder / "checks.json").read_text() == '{"my": "notes"}'
    assert not invoke(folder, "--overwrite")[1]
    assert (folder / "checks.jsonl").read_bytes() == first


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("", (), "no conversation in this file"),
        ("[]\n", (), "conversations.jsonl:1: "),
        ('{"version":1,"id":"a"}\n', (), "conversations.jsonl:1: "),
        ('{"version":1,"id":"a","messages":[]}\n', ("--scoring", "exact"), "no annotation"),
    ],
)
def test_what_cannot_be_checked_is_one_line(tmp_path: Path, text: str, options: tuple[str, ...], said: str) -> None:
    (tmp_path / CONVERSATIONS).write_text(text)
    assert said in invoke(tmp_path, *options)[1]
    assert {one.name for one in tmp_path.iterdir()} == {CONVERSATIONS}
