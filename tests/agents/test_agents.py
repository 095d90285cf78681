"""Agents are measured like models: what a loop around a built-in model says is what that model says."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner, Result

import toolgauge
from tests.mockserver import serve
from tests.rows import rows
from tests.sizes import in_turn
from toolgauge.agents import conversation
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.judge.mistakes import AGENT_WITHOUT_TOOLS
from toolgauge.models.registry import open_model
from toolgauge.runs.run import RunResult

PLAYERS = "agent/python:tests.agents.players:"


def measured(agent: str, out: Path, **options: object) -> RunResult:
    return toolgauge.run("mini", agent, out=out, **{"limit": 4, **options})


def labels(folder: Path) -> dict[str, dict[str, tuple[str, str | None]]]:
    lines = map(json.loads, (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    return {
        line["task_id"]: {name: (verdict["label"], verdict["mistake"]) for name, verdict in line["scorings"].items()}
        for line in lines
    }


@pytest.mark.parametrize(("history", "language"), in_turn(["gold", "own"], ["en", "zh"]))
@pytest.mark.parametrize(
    ("agent", "model"),
    [("perfect", "builtin/oracle"), ("wrong_values", "builtin/noisy?seed=1&rate=0.5&only=wrong_value")],
)
def test_a_loop_around_a_model_is_judged_like_the_model(
    agent: str, model: str, history: str, language: str, tmp_path: Path
) -> None:
    measured(PLAYERS + agent, tmp_path / "agent", history=history, language=language)
    measured(model, tmp_path / "model", history=history, language=language)
    assert labels(tmp_path / "agent") == labels(tmp_path / "model")


def test_over_mcp_too(tmp_path: Path) -> None:
    measured(PLAYERS + "over_mcp", tmp_path / "agent")
    assert {label for found in labels(tmp_path / "agent").values() for label, _mistake in found.values()} == {"correct"}


@rows(
    ("agent", "why"),
    [
        ("agent/nowhere", "write an address"),
        ("agent/python:tests.agents.players:missing", "cannot load .*: AttributeError"),
        ("agent/python:no.such.module:agent", "cannot load .*: ModuleNotFoundError"),
        ("agent/python:tests.agents.players:not_async", "must be `async def"),
        ("agent/command:", "program missing"),
        ("agent/command:'", "No closing quotation"),
        ("agent/command:no-such-program x", "program not found"),
        ("agent/python:tests.agents.exits_when_imported:agent", "cannot load .*: SystemExit: 5"),
        ("agent/http://localhost:1/v1?mcp_header=a&mcp_field=b", "not both"),
        ("agent/a2a:localhost:1", "write an address"),
        ("agent/http://[::1", "write an address"),
        ("agent/a2a:http://[::1", "write an address"),
    ],
)
def test_names_that_are_no_agents(agent: str, why: str) -> None:
    with pytest.raises(UsageError, match=why.replace("?", r"\?")):
        open_model(agent)


def test_a_login_in_an_address_is_in_no_file_and_no_message(tmp_path: Path) -> None:
    with serve() as server:
        address = server.base_url.replace("http://", "http://bob:geheim@")
        result = measured(f"agent/{address}?model=mine", tmp_path / "run", limit=1)
        assert result.outcome.failed == 0
        sent = {headers["Authorization"].partition(" ")[0] for headers in server.headers}
    assert sent == {"Basic"}
    files = [file for file in (tmp_path / "run").rglob("*") if file.is_file()]
    assert files
    assert [file for file in files if b"geheim" in file.read_bytes()] == []
    with pytest.raises(UsageError) as caught:
        open_model("agent/a2a:http://bob:geheim@[::1")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"dialect": "hermes"}, "--dialect does not apply to agent/.*: agents call their tools themselves"),
        ({"base_url": "http://localhost:1"}, "--base-url does not apply to agents"),
        ({"engine": "batch"}, "batch"),
        ({"own": {"depth": 3}}, "--depth: mini has no such option"),
    ],
)
def test_options_that_are_not_for_agents(options: dict[str, object], why: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=why):
        measured(PLAYERS + "perfect", tmp_path / "run", **options)
    assert not (tmp_path / "run").exists()


PROCESS = """
import json, sys
tools = []
for line in sys.stdin:
    said = json.loads(line)
    if said["type"] == "start":
        tools = [tool["name"] for tool in said["tools"]]
        assert said["mcp_url"].startswith("http://127.0.0.1:") and said["history"]
        assert said["mcp_command"][-1] == said["mcp_url"]
    elif said["type"] == "user":
        print(json.dumps({"type": "call", "id": "1", "name": tools[0], "arguments": {}}), flush=True)
    else:
        print(json.dumps({"type": "final", "text": said["text"]}), flush=True)
"""


def test_a_process_speaks_in_lines(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(PROCESS)
    result = measured(f"agent/command:{sys.executable} {tmp_path}/agent.py", tmp_path / "run", limit=1)
    assert result.metrics.scored == 4
    lines = [json.loads(line) for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()]
    assert all(line["steps"][0]["reply"]["tool_calls"][0]["arguments"] == "{}" for line in lines)


@pytest.mark.parametrize(
    ("query", "header", "field", "model"),
    [
        ("", "X-MCP-Server", None, "agent"),
        ("?mcp_header=Tool-Server", "Tool-Server", None, "agent"),
        ("?mcp_field=tool_server&model=mine", None, "tool_server", "mine"),
    ],
)
def test_an_agent_behind_an_address(
    query: str, header: str | None, field: str | None, model: str, tmp_path: Path
) -> None:
    """It is sent what was said, no tools, and where the tools stand: in a header or in the body, not in both."""
    told: list[str] = []

    def answer(request: dict[str, object]) -> dict[str, object]:
        assert "tools" not in request
        assert request["model"] == model
        sent = {name.lower(): value for name, value in endpoint.headers[-1].items()}
        assert ("x-mcp-server" in sent) is (header == "X-MCP-Server")
        told.append(str(request[field] if field else sent[str(header).lower()]))
        return {"role": "assistant", "content": _called(told[-1])}

    with serve(answer) as endpoint:
        result = measured(f"agent/{endpoint.base_url}{query}", tmp_path / "run", limit=1, api_key="none", concurrency=1)
    assert result.metrics.scored == 4
    assert len(set(told)) == 4, "an address for each conversation"
    lines = [json.loads(line) for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines()]
    assert {line["steps"][0]["reply"]["tool_calls"][0]["name"] for line in lines} == {"look_it_up"}


def _called(address: str) -> str:
    """What the agent's own call of a tool gives, from the thread of its server."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "look_it_up", "arguments": {}}}
    accepted = {"Accept": "application/json, text/event-stream"}
    reply = httpx2.post(address, json=body, headers=accepted, timeout=60).json()
    return str(reply["result"]["content"][0]["text"])


ACEBENCH = Path(__file__).parents[1] / "fixtures" / "acebench" / "data_all"
ACE_USER = "builtin/oracle"


def judged(model: str, out: Path, data: Path, **options: object) -> dict[str, object]:
    """The verdicts by task."""
    result = toolgauge.run("acebench", model, data=data, out=out, **options)
    assert result.outcome.failed == 0, (out / "failures.jsonl").read_text()
    lines = map(json.loads, (out / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    return {line["task_id"]: line["scorings"] for line in lines}


@pytest.mark.parametrize(("agent", "language"), in_turn(["perfect", "over_mcp"], ["en", "zh"]))
def test_a_loop_around_the_oracle_scores_what_the_oracle_scores(agent: str, language: str, tmp_path: Path) -> None:
    model = judged("builtin/oracle", tmp_path / "model", ACEBENCH, language=language, style="native")
    played = judged(PLAYERS + agent, tmp_path / "agent", ACEBENCH, language=language, roles={"user": ACE_USER})
    assert len(model) == 34
    assert played == model
    assert json.loads((tmp_path / "agent" / "run.json").read_text())["style"] == "native"


def test_a_user_without_a_key_is_named_by_the_option_that_chooses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError,
        match=r"the role user is played by openai/gpt-4o, which has no key: set OPENAI_.*--category normal,special",
    ):
        judged(PLAYERS + "perfect", tmp_path / "agent", ACEBENCH, categories=("agent",))


NAMES = "python:tests.agents.players:"
IN_LINES = """import json, sys
for line in sys.stdin:
    if json.loads(line)["type"] == "user":
        print(json.dumps({"type": "final", "text": "I cannot know that."}), flush=True)
"""


def call(*arguments: object) -> Result:
    return CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})


def mistakes(folder: Path) -> set[str]:
    lines = map(json.loads, (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines())
    return {verdict["mistake"] for line in lines for verdict in line["scorings"].values() if verdict["mistake"]}


def test_it_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(IN_LINES)
    for number, agent in enumerate((f"{NAMES}deaf", f"command:python3 {tmp_path}/deaf.py")):
        out = tmp_path / str(number)
        shown = call("run", "mini", "--agent", agent, "--limit", 1, "--out", out)
        assert "No tools/list was completed, and no tool called, in 4 of 4 conversations" in shown.output
        assert mistakes(out) == {AGENT_WITHOUT_TOOLS}


@rows(
    ("agent", "code", "said"),
    [
        ("perfect", 0, "answers, makes a valid tool call and takes the result back"),
        ("deaf", 1, "no tools/list was completed, and no tool called"),
        ("dies", 1, "does not answer a question with a tool: RuntimeError: out of ideas"),
    ],
)
def test_probe(agent: str, code: int, said: str) -> None:
    shown = call("probe", "--agent", NAMES + agent)
    assert (shown.exit_code, said in shown.output) == (code, True), shown.output
    assert "--dialect" not in shown.output


def test_a_trial_of_an_agent(tmp_path: Path) -> None:
    shown = call(
        *("tools", "trial", "mini", "--agent", f"{NAMES}perfect", "--distractors", 2, "--limit", 1),
        *("--out", tmp_path / "trial"),
    )
    assert shown.exit_code == 0, shown.output
    assert json.loads((tmp_path / "trial" / "trial.json").read_bytes())["model"] == f"agent/{NAMES}perfect"


@rows("verb", [("probe",), ("run", "mini"), ("tools", "trial", "mini", "--distractors", "2")])
def test_a_model_or_an_agent(verb: tuple[str, ...]) -> None:
    assert "--agent" in str(call(*verb).exception)
    assert "--agent" in str(call(*verb, "-m", "builtin/oracle", "--agent", f"{NAMES}perfect").exception)


ANSWER = """
for line in sys.stdin:
    if json.loads(line)["type"] == "user":
        print(json.dumps({"type": "final", "text": "done"}), flush=True)
"""


def measured_process(folder: Path, code: str, **options: object) -> RunResult:
    (folder / "agent.py").write_text(f"import json, os, resource, subprocess, sys, time\n{code}\n{ANSWER}")
    agent = f"agent/command:{sys.executable} {folder}/agent.py {folder}"
    return toolgauge.run("mini", agent, out=folder / "run", ids=("mini_0/0",), **options)


def mistake(folder: Path) -> object:
    return json.loads((folder / "run" / "scores.jsonl").read_text())["scorings"]["exact"]["mistake"]


def test_a_start_without_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "START_SECONDS", 0.3)
    measured_process(tmp_path, "time.sleep(600)", timeout=0.3)
    assert mistake(tmp_path) == "agent_error"


@pytest.mark.parametrize("own_session", [False, True])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the environment of processes")
def test_what_a_process_started_ends_with_it(own_session: bool, tmp_path: Path) -> None:
    child = f"subprocess.Popen(['sleep', '600'], start_new_session={own_session})"
    measured_process(tmp_path, f"open(sys.argv[1] + '/child', 'w').write(str({child}.pid))")
    ended = time.monotonic() + 5
    while _runs(int((tmp_path / "child").read_text())):
        assert time.monotonic() < ended, "it goes on"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
