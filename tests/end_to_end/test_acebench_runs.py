"""ACEBench against an endpoint: faults, an outage half-way and a budget change nothing in the scores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.end_to_end.playing import KEY, lines, options, results, wire_reply
from tests.mockserver import EVERY_FAULT, Fault, Json, rate_limited, serve
from toolgauge.api import RunResult, execute_plan, plan_run
from toolgauge.benchmarks.acebench.asking import Style
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply, Request
from toolgauge.episode import drive
from toolgauge.errors import UsageError
from toolgauge.models.builtin.models import noisy
from toolgauge.models.formats import RequestEncoder
from toolgauge.models.model import Sampling
from toolgauge.runs.options import RunOptions
from toolgauge.runs.plan import plan_with
from toolgauge.runs.roles import Role, RoleModel, as_roles

DATA = Path(__file__).parent.parent / "fixtures" / "acebench" / "data_all"
play = noisy(5, 0.5)


def moments(style: Style) -> dict[str, Json]:
    """Every request of a run of both roles, by its content, with the reply to it."""
    plan = plan_run("acebench", "builtin/oracle", data=DATA, setup=Setup(options={"style": style}))
    encoder, found = RequestEncoder("mock", Sampling()), dict[str, Json]()

    def answer(request: Request) -> Reply:
        reply = play(request)
        found[key_of(msgspec.json.decode(encoder.body(request)))] = wire_reply(reply)
        return reply

    for sample in plan.samples:
        drive(plan.episode(sample), answer)
    return found


def key_of(body: Json) -> str:
    return msgspec.json.encode([body["messages"], body.get("tools")]).decode()


def run(folder: Path, url: str, style: Style, **budget: Any) -> RunResult:
    plan = plan_run(
        "acebench",
        "openai/mock",
        data=DATA,
        out=folder,
        setup=Setup(options={"style": style}),
        options=options(url, max_attempts=12),
        roles=as_roles({"user": f"openai/user@{url}"}),
    )
    return execute_plan(plan, 8, **budget)


@pytest.fixture(scope="module", params=["prompt", "native"])
def style(request: pytest.FixtureRequest) -> Style:
    chosen: Style = request.param
    return chosen


@pytest.fixture(scope="module")
def endpoint(style: Style) -> Callable[[Json], Json]:
    table = moments(style)
    return lambda body: table[key_of(body)]


@pytest.fixture(scope="module")
def undisturbed(style: Style, endpoint: Callable[[Json], Json], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    with serve(endpoint) as server:
        assert run(folder, server.base_url, style).outcome.failed == 0
        assert {body["model"] for body in server.requests} == {"mock", "user"}
    return folder


def faults(number: int, _body: Json) -> Fault | None:
    return EVERY_FAULT[number % len(EVERY_FAULT)] if number % 3 == 0 else None


def test_faults_leave_the_scores_alone(style: Style, endpoint: Any, undisturbed: Path, tmp_path: Path) -> None:
    with serve(endpoint, faults) as server:
        assert run(tmp_path / "run", server.base_url, style).outcome.failed == 0
    assert results(tmp_path / "run")[0] == results(undisturbed)[0]


def test_an_outage_is_made_up_for(style: Style, endpoint: Any, undisturbed: Path, tmp_path: Path) -> None:
    """From some request on nothing is answered; the next run asks only for what is missing."""
    with serve(endpoint, lambda number, _body: rate_limited() if number > 25 else None) as server:
        first = run(tmp_path / "run", server.base_url, style)
    assert first.outcome.failed > 0
    assert first.metrics.missing == first.outcome.failed
    done = len(lines(tmp_path / "run" / "trajectories.jsonl"))
    with serve(endpoint) as server:
        # the manifest names the address: the second endpoint stands for the first one come back
        manifest = tmp_path / "run" / "run.json"
        manifest.write_text(manifest.read_text().replace(first_url(manifest), server.base_url))
        second = run(tmp_path / "run", server.base_url, style)
    assert second.outcome.failed == 0
    assert second.outcome.done == len(lines(undisturbed / "trajectories.jsonl")) - done
    assert results(tmp_path / "run")[0] == results(undisturbed)[0]


def first_url(manifest: Path) -> str:
    url: str = msgspec.json.decode(manifest.read_bytes())["model"]["base_url"]
    return url


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
        chosen = RunOptions.of(find_benchmark("acebench"), given)
        plan = plan_with("acebench", "openai/mock", chosen)
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
