"""The options of a run: keywords have their types and defaults, and benchmarks theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import toolgauge
from tests.rows import rows
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.options import declared
from toolgauge.runs.options import RunOptions
from toolgauge.runs.roles import Role, RoleModel

ACEBENCH = Path(__file__).parent.parent / "fixtures" / "acebench" / "data_all"


@rows(("verb", "most"), [("run", 25), ("verify", 30), ("generate", 32), ("review", 12), ("probe", 30)])
def test_the_help_is_short_and_every_flag_is_an_option_of_a_group(verb: str, most: int) -> None:
    command: Any = get_command(app).commands[verb]  # type: ignore[attr-defined]
    command.make_context(verb, ["--help"], resilient_parsing=True)
    shown = [one for one in command.params if one.opts[0].startswith("-") and not one.hidden]
    assert len(shown) + 1 <= most  # --help


def test_rare_options_are_listed_and_set() -> None:
    shown = CliRunner().invoke(app, ["run", "--help-all"]).output
    for group in RunOptions.groups().values():
        for one in declared(group):
            assert (one.name in shown.replace("-", "_")) or one.flag in shown
    assert "benchmark.max_turns" in shown


@rows(
    ("given", "error"),
    [
        ("endpoint.timeout", "must be GROUP.NAME=VALUE"),
        ("endpoint.timout=5", "did you mean 'endpoint.timeout'?"),
        ("endpoint.timeout=soon", "endpoint.timeout must be a number >= 0.1"),
        ("sampling.top_p=1.5", "must be a number from 0 to 1"),
        ("sampling.extra_body=[1]", "must be a JSON object"),
        ("limits.probe=maybe", "limits.probe must be true or false"),
        ("limits.workers=2", "goes with --engine ray"),
        ("benchmark.max_turns=3", "mini has no such option"),
        ("user.temperature=0", "unknown role of mini"),
        ("user.temper=0", "unknown option"),
    ],
)
def test_what_cannot_be_set_is_named(given: str, error: str) -> None:
    result = CliRunner().invoke(app, ["run", "mini", "-m", "builtin/oracle", "--set", given])
    assert error in str(result.exception)


def test_a_role_may_be_a_pool_of_which_one_is_drawn_per_conversation(tmp_path: Path) -> None:
    users = ["builtin/oracle", "builtin/noisy?rate=0"]
    options: dict[str, Any] = {"data": ACEBENCH, "categories": ("agent_multi_turn",), "out": tmp_path}
    result = toolgauge.run("acebench", "builtin/oracle", roles={"user": users}, **options)
    assert result.outcome.missing == 0
    manifest = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert {record["name"] for record in manifest["role_models"].values()} == set(users)
    with pytest.raises(UsageError, match="--role"):
        toolgauge.run("acebench", "builtin/oracle", roles={"user": users[0]}, **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"style": "native"}, "--style: mini has no such option"),
        ({"history": "mine"}, "--history: invalid value 'mine'"),
        ({"own": {"history": 3}}, "--history: invalid value 3"),
    ],
)
def test_options_that_a_benchmark_does_not_take(options: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        toolgauge.run("mini", "builtin/oracle", out=tmp_path / "run", **options)


def test_options_are_shown_without_keys() -> None:
    hidden = {"api_key": "sk-hidden", "base_url": "http://me:letmein@h/v1"}
    roles = {"user": Role((RoleModel("openai/m", "http://me:letmein@u"),), {"api_key": "sk-hidden"})}
    shown = repr(RunOptions.of(find_benchmark("mini"), hidden | {"roles": roles}))
    assert "language='en'" in shown
    assert "sk-hidden" not in shown
    assert "letmein" not in shown
