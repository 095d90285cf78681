"""`toolgauge score` of a folder of `data import`: what code can know without gold, and never an accuracy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tests.logs.log_files import read
from tests.rows import rows
from toolgauge.chat import Tool, ToolCall
from toolgauge.cli.main import app
from toolgauge.logs.checks import Finding, FindingCode, check_conversation
from toolgauge.logs.conversation import Conversation, LogMessage
from toolgauge.logs.files import CONVERSATIONS, conversation_line

SHARED = Path(__file__).parents[3] / "shared" / "cases"
BOOK_TABLE = {
    "type": "object",
    "properties": {
        "restaurant": {"type": "string"},
        "guests": {"type": "integer"},
        "area": {"type": "string", "enum": ["inside", "outside"]},
    },
    "required": ["restaurant", "guests"],
}
TOOLS = (
    Tool("get_order", "", {"type": "object", "properties": {"order_id": {"type": "string"}}}),
    Tool("book_table", "", BOOK_TABLE),
)
ASKED = LogMessage("user", "Where is my order AB-4821?")
GOOD_CALL: dict[str, Any] = {"restaurant": "Larkspur", "guests": 4}


def says(text: str) -> LogMessage:
    return LogMessage("assistant", text)


def calls(name: str, number: int = 0, **arguments: Any) -> LogMessage:
    return LogMessage("assistant", None, (ToolCall(f"c{number}", name, json.dumps(arguments)),))


def result(value: Any, number: int = 0, is_error: bool | None = None) -> LogMessage:
    text = value if isinstance(value, str) else json.dumps(value)
    return LogMessage("tool", text, tool_call_id=f"c{number}", is_error=is_error)


def conversation(*messages: LogMessage, tools: tuple[Tool, ...] = TOOLS) -> Conversation:
    return Conversation("log-1", messages, tools)


def found(*messages: LogMessage, tools: tuple[Tool, ...] = TOOLS) -> list[Finding]:
    return [one for call in check_conversation(conversation(*messages, tools=tools)) for one in call.findings]


@rows(
    ("name", "arguments", "code", "path"),
    [
        ("book_table", {"restaurant": "Larkspur"}, FindingCode.MISSING_ARGUMENT, None),
        ("book_table", {**GOOD_CALL, "smoking": False}, FindingCode.UNKNOWN_ARGUMENT, "smoking"),
        ("book_table", {**GOOD_CALL, "guests": "4"}, FindingCode.WRONG_TYPE, "guests"),
        ("book_table", {**GOOD_CALL, "area": "garden"}, FindingCode.REFUSED_VALUE, "area"),
        ("book_tables", GOOD_CALL, FindingCode.UNKNOWN_TOOL, None),
    ],
)
def test_one_thing_is_wrong_with_a_call(
    name: str, arguments: dict[str, Any], code: FindingCode, path: str | None
) -> None:
    (one,) = found(ASKED, calls(name, **arguments))
    assert (one.code, one.path, one.message, one.call) == (code, path, 1, 0)
    assert one.near == ("book_table" if code is FindingCode.UNKNOWN_TOOL else None)
    assert not found(ASKED, calls(name, **arguments), tools=()), "nothing is said where the log has no tools"


@rows(
    ("first", "second", "between", "count"),
    [
        (result("x", 1), result("x", 2), [], 1),
        (result("x", 1), result("y", 2), [], 0),
        (result("x", 1, is_error=True), result("x", 2), [], 0),
        (result("x", 1), result("x", 2), [says("Sent."), ASKED], 0),
    ],
    ids=["again", "another result", "after an error", "asked again"],
)
def test_the_same_call_again(first: LogMessage, second: LogMessage, between: list[LogMessage], count: int) -> None:
    one, other = calls("get_order", 1, order_id="AB-4821"), calls("get_order", 2, order_id="AB-4821")
    codes = [one.code for one in found(ASKED, one, first, *between, other, second, says("Sent."))]
    assert codes == [FindingCode.REPEATED_CALL] * count


@rows(
    ("reply", "is_error", "count"),
    [
        ("It is booked.", True, 1),
        ("已经订好了。", True, 1),
        ("It is booked.", None, 0),
        ("Sorry, I could not book it.", True, 0),
        ("The service timed out.", True, 0),
        ("Shall I try again?", True, 0),
        ("没有订成。", True, 0),
    ],
)
def test_a_failed_call_told_as_success(reply: str, is_error: bool | None, count: int) -> None:
    said = (ASKED, calls("book_table", **GOOD_CALL), result("timed out", is_error=is_error), says(reply))
    assert [one.code for one in found(*said)] == [FindingCode.ERROR_AS_SUCCESS] * count
    worked = (*said[:3], calls("book_table", 1, **GOOD_CALL), result("ok", 1), says(reply))
    assert not found(*worked)


@pytest.mark.skipif(not SHARED.exists(), reason="the shared cases are not here")
def test_right_calls_have_no_finding_and_the_hidden_failure_has_one() -> None:
    sums, _left_out = read("auto", SHARED / "logs" / "arith.jsonl")
    assert not [one for each in sums for call in check_conversation(each) for one in call.findings]
    (hotel,), _left_out = read("auto", SHARED / "logs" / "08_anthropic.jsonl")
    assert [one.code for call in check_conversation(hotel) for one in call.findings] == [FindingCode.ERROR_AS_SUCCESS]


_JSON = st.recursive(
    st.none() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one), max_leaves=8
)
_CALLS = st.builds(
    ToolCall, st.none() | st.text(max_size=3), st.none() | st.sampled_from(["get_order", "x"]), _JSON | st.text()
)
_MESSAGES = st.builds(
    LogMessage,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.none() | st.text() | _JSON.map(json.dumps),
    st.lists(_CALLS, max_size=3).map(tuple),
    st.none() | st.text(max_size=3),
    is_error=st.sampled_from([None, True]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_MESSAGES, max_size=8), st.booleans())
def test_nothing_in_a_log_raises(messages: list[LogMessage], with_tools: bool) -> None:
    made = check_conversation(conversation(*messages, tools=TOOLS if with_tools else ()))
    assert len(made) == sum(len(message.tool_calls) for message in messages)


def invoke(*arguments: object) -> tuple[str, str]:
    """What `score` prints, and its error."""
    done = CliRunner().invoke(app, ["score", *map(str, arguments)], env={"COLUMNS": "200"})
    return done.output, str(done.exception or "")


GOOD = conversation(ASKED, calls("get_order", order_id="AB-4821"), result("sent"), says("It was sent."))
BAD = conversation(
    ASKED, calls("book_table", **{**GOOD_CALL, "guests": "\x1b[31m"}), result("|full|", is_error=True), says("Booked.")
)


def log(folder: Path, *conversations: Conversation) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / CONVERSATIONS).write_bytes(b"".join(map(conversation_line, conversations)))
    return folder


def test_the_folder_gets_findings_and_tables(tmp_path: Path) -> None:
    output, error = invoke(log(tmp_path / "log", GOOD, BAD))
    assert not error
    assert "Calls with findings: 1 of 2; conversations: 1 of 2" in output
    assert "No accuracy" in output
    assert "\x1b[31m" not in output
    findings = [json.loads(line) for line in (tmp_path / "log/checks.jsonl").read_text("utf-8").splitlines()]
    assert [one["code"] for one in findings] == ["wrong_type", "error_as_success"]
    tables = json.loads((tmp_path / "log/checks.json").read_text("utf-8"))
    assert (tables["kind"], tables["version"], tables["accuracy"]) == ("toolgauge.checks", 2, None)
    assert tables["calls"] == {"found": 1, "total": 2, "conversations": 1, "value": 0.5, "ci95": [0.094531, 0.905469]}
    rows = {row["code"]: row["rate"] for row in tables["rows"]}
    assert (rows["error_as_success"]["found"], rows["error_as_success"]["total"]) == (1, 1)
    assert tables["tools"][0]["codes"] == {"wrong_type": 1, "error_as_success": 1}


def test_the_same_again_and_never_over_somebody_elses_file(tmp_path: Path) -> None:
    folder = log(tmp_path / "log", GOOD, BAD)
    invoke(folder)
    first = (folder / "checks.jsonl").read_bytes()
    assert not invoke(folder / CONVERSATIONS)[1]
    assert (folder / "checks.jsonl").read_bytes() == first
    (folder / "checks.json").write_text('{"my": "notes"}')
    assert "exists; use --overwrite to replace it" in invoke(folder)[1]
    assert (folder / "checks.json").read_text() == '{"my": "notes"}'
    assert not invoke(folder, "--overwrite")[1]


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
