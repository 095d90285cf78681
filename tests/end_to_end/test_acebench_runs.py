"""ACEBench against endpoints of its two roles: an outage changes nothing in the scores, the user is bounded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.end_to_end.playing import KEY, content_key, lines, options, replies_of, results
from tests.mockserver import rate_limited, serve
from toolgauge.api import RunResult, execute_plan, plan_run
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.errors import UsageError
from toolgauge.models.builtin.models import noisy
from toolgauge.runs.options import RunOptions
from toolgauge.runs.plan import plan_with
from toolgauge.runs.roles import Role, RoleModel, as_roles

DATA = Path(__file__).parent.parent / "fixtures" / "acebench" / "data_all"


def run(folder: Path, url: str) -> RunResult:
    roles, reached = as_roles({"user": f"openai/user@{url}"}), options(url, max_attempts=12)
    return execute_plan(plan_run("acebench", "openai/mock", data=DATA, out=folder, options=reached, roles=roles), 8)


def test_an_outage_is_made_up_for(tmp_path: Path) -> None:
    """From some request on nothing is answered; the next run, at another address, asks only for what is missing."""
    table = replies_of(plan_run("acebench", "builtin/oracle", data=DATA), noisy(5, 0.5))
    with serve(lambda body: table[content_key(body)]) as server:
        whole = run(tmp_path / "whole", server.base_url)
        assert {body["model"] for body in server.requests} == {"mock", "user"}
    with serve(
        lambda body: table[content_key(body)], lambda number, _body: rate_limited() if number > 25 else None
    ) as server:
        first = run(tmp_path / "run", server.base_url)
    assert first.outcome.failed > 0
    assert first.metrics.missing == first.outcome.failed
    done = len(lines(tmp_path / "run" / "trajectories.jsonl"))
    with serve(lambda body: table[content_key(body)]) as server:
        second = run(tmp_path / "run", server.base_url)
    assert (second.outcome.failed, second.outcome.done) == (0, whole.outcome.done - done)
    assert results(tmp_path / "run")[0] == results(tmp_path / "whole")[0]


def test_the_simulated_user_is_bounded_and_a_run_goes_on_with_the_same_bound_only(tmp_path: Path) -> None:
    def asked_with(most: int | None, timeout: float | None = None) -> None:
        bounds = {"max_tokens": most, "timeout": timeout}
        settings = {name: value for name, value in bounds.items() if value is not None}
        given = {
            "data": DATA,
            "out": tmp_path / "run",
            "base_url": server.base_url,
            "api_key": KEY,
            "max_tokens": 99,
            "roles": {"user": Role((RoleModel("openai/user", server.base_url),), settings)},
            "categories": ("agent",),
            "max_turns": 6,
        }
        plan = plan_with("acebench", "openai/mock", RunOptions.of(find_benchmark("acebench"), given))
        assert plan.openings["user"].options.timeout == (timeout or 300.0)
        execute_plan(plan, 4)

    with serve(lambda _body: {"content": "Hello."}) as server:
        asked_with(40)
        assert {(body["model"], body["max_tokens"]) for body in server.requests} == {("mock", 99), ("user", 40)}
        assert json.loads((tmp_path / "run" / "run.json").read_text())["user_sampling"] == {"max_tokens": 40}
        asked_with(40, 7.0)
        for other in (41, None):
            with pytest.raises(UsageError, match=r"was run with --set user.\* 40, this command says"):
                asked_with(other)
