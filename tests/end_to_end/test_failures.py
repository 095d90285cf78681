"""What endpoints do: faults, outages, broken, strange and cut off replies; none of it is scored as the model's."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.end_to_end.playing import (
    KEY,
    Player,
    call,
    command,
    content_key,
    go,
    lines,
    options,
    replies,
    results,
    wait_until,
)
from tests.mockserver import EVERY_FAULT, HTML, Fault, Json, Server, raw, reserved_port, serve
from tests.sizes import in_turn
from toolgauge.api import RunResult
from toolgauge.cli.main import app

SESSIONS = 6


@pytest.fixture
def port() -> Iterator[int]:
    with reserved_port() as one:
        yield one


def url(port: int) -> str:
    return f"http://127.0.0.1:{port}/v1"


def run_until_gone(pool: ThreadPoolExecutor, port: int, out: Path, patience: float) -> Future[RunResult]:
    """A run whose endpoint closes its port after some answers, so that connections are refused."""
    reached = options(url(port), patience=patience, max_attempts=3)
    with serve(Player(replies(limit=SESSIONS)), port=port, hold_from=15) as server:
        running = pool.submit(go, out, "openai/mock", reached=reached, limit=SESSIONS)
        wait_until(lambda: len(server.requests) > 15)
    return running


def test_an_endpoint_that_comes_back_in_time_costs_nothing(port: int, tmp_path: Path) -> None:
    player = Player(replies(limit=SESSIONS))
    with ThreadPoolExecutor(1) as pool:
        running = run_until_gone(pool, port, tmp_path / "run", patience=60.0)
        time.sleep(0.3)
        assert not running.done()
        with serve(player, port=port):
            outcome = running.result().outcome
    assert (outcome.done, outcome.failed, outcome.stopped) == (4 * SESSIONS, 0, None)
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def test_an_endpoint_that_stays_away_ends_the_run_in_order(port: int, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with ThreadPoolExecutor(1) as pool:
        result = run_until_gone(pool, port, folder, patience=0.0).result()
    outcome, missing = result.outcome, result.outcome.missing
    assert outcome.stopped is not None
    assert "conversations in a row failed" in str(outcome.stopped)
    assert "connection failed" in str(outcome.stopped)
    assert outcome.done + missing == 4 * SESSIONS
    failures = lines(folder / "failures.jsonl")
    assert len(failures) == missing
    assert "provider" in {line["blame"] for line in failures}
    done = {line["task_id"] for line in lines(folder / "trajectories.jsonl")}
    assert not done & {line["key"] for line in failures}
    assert {line["task_id"] for line in lines(folder / "scores.jsonl")} == done
    assert result.metrics.missing == missing
    with serve(Player(replies(limit=SESSIONS)), port=port):
        again = go(folder, "openai/mock", reached=options(url(port)), limit=SESSIONS)
    assert (again.outcome.done, again.outcome.failed, again.outcome.stopped) == (missing, 0, None)
    assert lines(folder / "failures.jsonl") == []
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(folder) == results(tmp_path / "whole")


def choice(message: Any, finish: str | None, **more: Any) -> Fault:
    return raw({"choices": [{"index": 0, "message": message, "finish_reason": finish, **more}]})


BROKEN = (
    choice({"role": "assistant", "content": "Half an ans"}, "error", error={"code": 502, "message": "Upstream error"}),
    choice({"role": "assistant", "content": ""}, "error"),
    choice(None, "stop"),
    raw({"choices": [{}]}),
    raw({"error": {"message": "Internal error", "code": 500}}),
    choice({"role": "assistant", "content": ""}, None),
    HTML,
)
"""Every one of these was once scored as a mistake of the model, or could have been."""
SILENCE = Fault(hang=30.0)
SECONDS = 2.0
"""For an answer: a good one that takes longer on a busy machine is only asked for again."""


def test_faults_of_every_kind_change_nothing(tmp_path: Path) -> None:
    """The first attempt of every second request, by its content: the order in which they come is no matter."""
    table, faults = replies(limit=SESSIONS), (*EVERY_FAULT, *BROKEN, SILENCE)
    waiting = {key: faults[place % len(faults)] for place, key in enumerate(sorted(table)[::2])}
    assert len(waiting) >= len(faults)
    player = Player(table)
    with serve(player, lambda _number, body: waiting.pop(content_key(body), None)) as server:
        reached = options(server.base_url, timeout=SECONDS, max_attempts=12)
        outcome = go(tmp_path / "run", "openai/mock", reached=reached, limit=SESSIONS).outcome
    assert (outcome.failed, outcome.stopped) == (0, None)
    assert not waiting, "every fault was met"
    assert set(player.answered) == set(table)
    go(tmp_path / "whole", limit=SESSIONS)
    assert results(tmp_path / "run") == results(tmp_path / "whole")


def labels_of(result: RunResult) -> dict[str, Any]:
    return {line["task_id"]: line["scorings"] for line in lines(result.folder / "scores.jsonl")}


def test_what_stays_broken_is_not_scored_and_the_command_says_so(tmp_path: Path) -> None:
    """Of three in ten requests, by their content, every answer is broken."""
    table = replies(limit=SESSIONS)
    keys = sorted(table)
    hopeless = {key: BROKEN[place % len(BROKEN)] for place, key in enumerate(keys) if place % 10 < 3}

    def fault(_number: int, body: Json) -> Fault | None:
        return hopeless.get(content_key(body))

    with serve(Player(table), fault) as server:
        arguments = [*command("run", "mini", server=server), "--limit", str(SESSIONS), "--out", "run"]
        arguments += ["--set", "limits.probe=false", "--set", "endpoint.max_attempts=1", "--set", "endpoint.patience=0"]
        arguments += ["--concurrency", "1"]
        code, _, err = call(arguments, tmp_path)
    failed = lines(tmp_path / "run" / "failures.jsonl")
    whole = go(tmp_path / "whole", limit=SESSIONS)
    expected = labels_of(whole)
    scored = {line["task_id"]: line["scorings"] for line in lines(tmp_path / "run" / "scores.jsonl")}
    assert failed
    assert scored
    assert scored == {key: scorings for key, scorings in expected.items() if key in scored}
    assert set(scored) == set(expected) - {line["key"] for line in failed}
    assert {line["blame"] for line in failed} == {"provider"}
    assert code == 1
    assert f"Missing: {len(failed)} conversations, excluded from all rates" in err
    assert f"  {len(failed)} (provider): openai/mock at " in err
    assert KEY not in err
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_bytes())
    assert metrics["missing"] == len(failed)


LONG = "a megabyte " * 100_000


def calls(*functions: Any, ids: tuple[Any, ...] = ()) -> Json:
    named = [
        {"id": ids[place] if ids else f"c{place}", "type": "function", "function": function}
        for place, function in enumerate(functions)
    ]
    return {"role": "assistant", "content": None, "tool_calls": named}


STRANGE: dict[str, Any] = {
    "much text": {"role": "assistant", "content": LONG},
    "much reasoning": {"role": "assistant", "content": "Hm.", "reasoning_content": LONG},
    "no content": {"role": "assistant", "content": None},
    "content in parts": {"role": "assistant", "content": [{"type": "text", "text": "Hi"}, "there"]},
    "an unknown tool": calls({"name": "no_such_tool", "arguments": "{}"}),
    "a pseudo-action as tool": calls({"name": "prepare_to_answer", "arguments": "{}"}),
    "1,000 calls": calls(*[{"name": "no_such_tool", "arguments": "{}"}] * 1000),
    "calls that are nothing": {"role": "assistant", "content": None, "tool_calls": [None, 7, "x", {}, []]},
    "calls without names": calls({"arguments": "{}"}, {"name": None, "arguments": "{}"}, {"name": 7}),
    "calls without ids": calls({"name": "no_such_tool", "arguments": "{}"}, ids=(None,)),
    "lone surrogates": {"role": "assistant", "content": "\\ud800 and \\udfff \\u0000"},
}


def labelled(folder: Path, tasks: int) -> None:
    """Every task has a label in every scoring."""
    scores = lines(folder / "scores.jsonl")
    assert len(scores) == tasks
    assert {verdict["label"] for line in scores for verdict in line["scorings"].values()} <= {"correct", "error"}


@pytest.mark.parametrize(("kind", "history"), in_turn(STRANGE, ["gold", "own"]))
def test_strange_replies_get_a_label(kind: str, history: str, tmp_path: Path) -> None:
    with serve(lambda _body: {"choices": [{"index": 0, "finish_reason": "stop", "message": STRANGE[kind]}]}) as server:
        reached = options(server.base_url)
        first = go(tmp_path / "run", "openai/mock", reached=reached, history=history, limit=1)
        before, asked = results(tmp_path / "run"), len(server.requests)
        go(tmp_path / "run", "openai/mock", reached=reached, history=history, limit=1)
        assert len(server.requests) == asked
    assert (first.outcome.failed, first.outcome.stopped) == (0, None)
    labelled(tmp_path / "run", 4)
    assert results(tmp_path / "run") == before


TOO_LONG = Fault(
    status=400, body=b'{"error": {"message": "This model\'s maximum context length is 4096 tokens.", "code": 400}}'
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
    arguments = ["run", "mini", "--limit", "2", "--out", "run", "--set", "limits.probe=false", "--concurrency", "1"]
    return call(command(*arguments, *more, server=server), folder)


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
