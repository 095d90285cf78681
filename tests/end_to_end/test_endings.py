"""Replies that are cut off or filtered, and conversations that are too long, through the whole path: what is asked
again, what is counted, and what the command, its files, pages and exports say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.end_to_end.playing import call, command, lines
from tests.mockserver import Fault, Json, Server, raw, serve
from toolgauge.cli.main import app

TOO_LONG = Fault(
    status=400,
    body=b'{"error": {"message": "This model\'s maximum context length is 4096 tokens.", "code": 400}}',
)
HM = {"role": "assistant", "content": "Hm."}
HALF = {"id": "a", "type": "function", "function": {"name": "list_transactions", "arguments": '{"category": "gro'}}


def answer(message: Json, finish: str) -> Fault:
    return raw(
        {
            "choices": [{"index": 0, "message": {"role": "assistant"} | message, "finish_reason": finish}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5},
        }
    )


KINDS = {
    "truncated": answer({"content": None, "tool_calls": [HALF]}, "length"),
    "filtered": answer({"content": ""}, "content_filter"),
    "only_reasoning": answer({"content": None, "reasoning_content": "The user wants"}, "stop"),
}


def ask(folder: Path, fault: Any, *more: str) -> tuple[int, str, str]:
    """Run mini's first two sessions on a server that answers "Hm." but where there is a fault; code, output, errors."""
    with serve(lambda _body: HM, fault) as server:
        return go_on(server, folder, *more)


def go_on(server: Server, folder: Path, *more: str) -> tuple[int, str, str]:
    arguments = [
        *command("run", "mini", server=server),
        "--limit",
        "2",
        "--out",
        "run",
        "--set",
        "limits.probe=false",
        *more,
    ]
    return call([*arguments, "--concurrency", "1"], folder)


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})


def test_a_conversation_that_is_too_long_is_asked_once_counted_apart_and_asked_again_by_the_same_command(
    tmp_path: Path,
) -> None:
    with serve(lambda _body: HM, lambda number, _body: TOO_LONG if number in (0, 2) else None) as server:
        code, out, err = go_on(server, tmp_path)
        asked = len(server.requests)
        failed = lines(tmp_path / "run" / "failures.jsonl")
        first = metrics(tmp_path)
        later, out_later, err_later = go_on(server, tmp_path)
        asked_later = len(server.requests) - asked
    assert code == 1
    assert [line["blame"] for line in failed] == ["context", "context"]
    assert "maximum context length is 4096" in failed[0]["reason"]
    assert "2 (context): " in err
    assert "with a longer context first" in err
    assert err.count("maximum context length is 4096") == 1
    assert "sampling" not in err
    assert "failed at the endpoint" not in err
    assert (first["overflows"], first["missing"], first["scored"]) == (2, 2, 6)
    assert asked == first["endings"]["replies"] + 2
    assert "2 tasks" in out
    assert "2 longer than the context" in out

    second = metrics(tmp_path)
    assert later == 0, err_later
    assert (second["overflows"], second["missing"], second["scored"]) == (0, 0, 8)
    assert asked_later == second["endings"]["replies"] - first["endings"]["replies"]
    assert "longer than" not in out_later


def metrics(folder: Path) -> Json:
    found: Json = json.loads((folder / "run" / "metrics.json").read_text())
    return found


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    ask(folder, lambda number, _body: KINDS["truncated"] if number == 2 else None)
    return folder / "run"


def test_pages_and_exports_have_the_warning_beside_the_score(cut_off: Path, tmp_path: Path) -> None:
    assert invoke("report", cut_off, "--out", tmp_path / "site").exit_code == 0
    page = tmp_path / "site" / "runs" / "mini-en-openai_mock.html"
    for place in (page, tmp_path / "site" / "mini-en.html"):
        html = place.read_text(encoding="utf-8")
        assert "10.0% of the replies were cut off by the token limit" in html, place
    assert "10.0% cut off" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "10.0% 被截断" in (tmp_path / "site" / "zh" / "index.html").read_text(encoding="utf-8")
    for to, mark in (
        ("markdown", "**10.0% of the replies were cut off"),
        ("latex", "10.0% of the replies were cut off"),
    ):
        out = tmp_path / f"summary.{to}"
        assert invoke("export", cut_off, "--to", to, "--out", out).exit_code == 0
        assert mark in out.read_text(encoding="utf-8")
    told = invoke("export", cut_off, "--to", "csv", "--out", tmp_path / "rows.csv")
    assert "openai/mock: 10.0% of the replies were cut off" in told.output
