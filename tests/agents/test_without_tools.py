"""An agent that never lists or calls its tools is told so, and no advice for models is given to agents."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from tests.rows import rows
from toolgauge.cli.main import app
from toolgauge.judge.mistakes import AGENT_WITHOUT_TOOLS

PLAYERS = "python:tests.agents.players:"
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
    for number, agent in enumerate((f"{PLAYERS}deaf", f"command:python3 {tmp_path}/deaf.py")):
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
    shown = call("probe", "--agent", PLAYERS + agent)
    assert (shown.exit_code, said in shown.output) == (code, True), shown.output
    assert "--dialect" not in shown.output


def test_a_trial_of_an_agent(tmp_path: Path) -> None:
    shown = call(
        *("tools", "trial", "mini", "--agent", f"{PLAYERS}perfect", "--distractors", 2, "--limit", 1),
        *("--out", tmp_path / "trial"),
    )
    assert shown.exit_code == 0, shown.output
    assert json.loads((tmp_path / "trial" / "trial.json").read_bytes())["model"] == f"agent/{PLAYERS}perfect"


def test_verify_of_an_agent(tmp_path: Path) -> None:
    shown = call(
        *("verify", "--agent", f"{PLAYERS}perfect", "--against", "builtin/oracle", "--limit", 1),
        *("--epochs", 1, "--pass-undecided", "--out", tmp_path / "both"),
    )
    assert shown.exit_code == 0, shown.output
    assert json.loads((tmp_path / "both" / "endpoint" / "run.json").read_bytes())["model"]["provider"] == "agent"


@rows("verb", [("probe",), ("run", "mini"), ("tools", "trial", "mini", "--distractors", "2")])
def test_a_model_or_an_agent(verb: tuple[str, ...]) -> None:
    assert "--agent" in str(call(*verb).exception)
    assert "--agent" in str(call(*verb, "-m", "builtin/oracle", "--agent", f"{PLAYERS}perfect").exception)
