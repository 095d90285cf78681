"""`toolgauge verify` with models: they are asked first, in two run directories; one side may be a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import toolgauge
from tests.end_to_end.playing import lines
from tests.mockserver import serve, status
from toolgauge.analysis.verification import Verification
from toolgauge.cli.main import app
from toolgauge.errors import ToolgaugeError, UsageError
from toolgauge.models.model import Sampling

NOISY = "builtin/noisy?rate=0.1"
CONVERSATIONS, TOKENS_EACH = 12, 18
"""Of three sessions of mini; what the mock endpoint counts for a request."""


def invoke(*arguments: object, **environment: str) -> Result:
    usual = {"TOOLGAUGE_LANG": "en", "COLUMNS": "300"}
    return CliRunner().invoke(app, ["verify", *map(str, arguments)], env=usual | environment)


def manifest(folder: Path) -> Any:
    return json.loads((folder / "run.json").read_bytes())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three Chinese sessions, asked twice."""
    folder = tmp_path_factory.mktemp("runs") / "zh"
    sampling = Sampling(temperature=0.5)
    toolgauge.run("mini", NOISY, out=folder, language="zh", limit=3, epochs=2, sampling=sampling)
    return folder


def test_a_model_against_itself_is_the_same(tmp_path: Path) -> None:
    result = invoke("-m", NOISY, "--against", NOISY, "--margin", 0.15, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "the same, within 15.0 points, over 128 tasks" in result.output
    assert [manifest(tmp_path / name)["epochs"] for name in ("reference", "endpoint")] == [2, 1]


def test_the_same_command_goes_on_and_both_keep_to_one_limit(tmp_path: Path) -> None:
    with serve() as server:
        command = [
            "-m",
            "openai/mock",
            "--base-url",
            server.base_url,
            "--set",
            "endpoint.api_key=k",
            "--against",
            f"openai/mock@{server.base_url}",
        ]
        command += [
            "--epochs",
            "1",
            "--limit",
            "3",
            "--set",
            "limits.probe=false",
        ]
        command += ["--concurrency", "1"]

        def go(folder: str, *limit: object) -> Result:
            return invoke(*command, "--out", tmp_path / folder, *limit, OPENAI_API_KEY="k")

        whole = go("whole")
        of_reference = len(server.requests) // 2 * TOKENS_EACH
        stopped = go("parts", "--set", f"limits.max_tokens_total={of_reference // 2}")
        assert stopped.exit_code == 1
        assert "The same command continues." in stopped.stderr
        assert not stopped.stdout
        assert not (tmp_path / "parts" / "endpoint").exists()
        kept = lines(tmp_path / "parts" / "reference" / "trajectories.jsonl")
        assert 0 < len(kept) < CONVERSATIONS

        go("parts", "--set", f"limits.max_tokens_total={of_reference + 2 * TOKENS_EACH}")
        assert lines(tmp_path / "parts" / "reference" / "trajectories.jsonl")[: len(kept)] == kept
        assert 0 < len(lines(tmp_path / "parts" / "endpoint" / "trajectories.jsonl")) <= 2
        assert go("parts").stdout == whole.stdout
        assert len(server.requests) == 4 * of_reference // TOKENS_EACH


def test_nothing_is_decided_where_conversations_failed(tmp_path: Path) -> None:
    broken_from = 2
    with serve(faults=lambda number, _body: status(400) if number >= broken_from else None) as server:

        def decide(most: int | None = None) -> Verification:
            return toolgauge.verify(
                "openai/mock",
                "builtin/oracle",
                base_url=server.base_url,
                api_key="k",
                concurrency=1,
                limit=1,
                max_tokens_total=most,
                out=tmp_path,
            )

        with pytest.raises(ToolgaugeError, match="stopped early: "):
            decide(1)
        with pytest.raises(ToolgaugeError, match="conversations are missing, so there is no decision"):
            decide()
        broken_from = 1000
        assert decide().tasks == 4


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("--against {model}", "name a run directory, a model with --model, or an agent with --agent"),
        ("-m openia/gpt-5 --against {model}", "openia/gpt-5: neither a run directory nor a model: model 'openia/"),
        ("-m {model} --against nowhere", "nowhere: neither a run directory nor a model"),
        ("mini --against {model}", "mini: neither a run directory nor a model"),
        ("minni -m {model} --against {model}", "'minni'"),
        ("-m {model} --against {run}/..", "run.json: No such file"),
        ("-m {model} --against {run} --limit 3", "--limit cannot be used: "),
        ("-m {model} --against {run} --epochs 3", "--epochs cannot be used: "),
        ("mini -m {model} --against {run}", "--benchmark cannot be used: "),
        ("{run} --against {model} --base-url http://h/v1", "--base-url cannot be used: "),
        ("{run} --against {model} --history own", "--history cannot be used: "),
        ("{run} --against {run} --margin 0.2", "--out cannot be used: "),
        ("-m {model} --against {model} --style native", "--style: mini has no such option"),
    ],
)
def test_what_is_wrong_with_the_sides_is_said_before_anybody_is_asked(
    arguments: str, error: str, run: Path, tmp_path: Path
) -> None:
    result = invoke(*arguments.format(model=NOISY, run=run).split(), "--out", tmp_path)
    assert isinstance(result.exception, UsageError)
    assert error in result.exception.text
    assert not list(tmp_path.iterdir())
