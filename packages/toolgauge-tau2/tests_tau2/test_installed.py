"""toolgauge-tau2 on the real tau2-bench; skipped where that is not installed."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import pytest

from tests_tau2.scripted import scripts
from tests_tau2.test_tau2 import but, perfect, played, verdict
from toolgauge.chat import Reply, Request
from toolgauge.errors import UsageError
from toolgauge_tau2.benchmark import AIRLINE, MOCK, RETAIL, TELECOM, Tau2


def missing() -> str:
    """Why these tests cannot be had; "" where they can."""
    try:
        assert RETAIL.embedded.is_dir()
    except UsageError as error:
        return str(error)
    return ""


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "tau2-bench is installed")

NOT_ANNOTATED = {"mock-7", "mock-8"}
"""Tasks that assert what no annotated action brings about: nobody knows what a perfect model does."""


@pytest.mark.parametrize(("tau2", "count"), [(RETAIL, 114), (AIRLINE, 50), (TELECOM, 114), (MOCK, 10)])
def test_the_tasks_of_a_domain(tau2: Tau2, count: int) -> None:
    dataset = tau2.load(tau2.embedded, "en")
    assert len(dataset.tasks) == count
    assert dataset.tasks[3].id == f"{tau2.domain}-3"


def test_the_parity_record_is_of_these_conversations() -> None:
    record = json.loads((Path(__file__).parents[1] / "parity.json").read_text("utf-8"))
    assert record["version"].split()[0] == metadata.version("tau2")
    assert record["cases"] == sum(record["labels"].values()) == len(scripts(RETAIL.embedded.parent))
    assert record["labels"]["right"] + record["labels"]["wrong"] >= 100
    assert record["differing"] == []


@pytest.mark.parametrize("number", range(10))
def test_a_perfect_model_passes_what_is_annotated(number: int) -> None:
    told = verdict(MOCK, played(MOCK, number, perfect))
    assert told.correct != (f"mock-{number}" in NOT_ANNOTATED), told.detail


@pytest.mark.parametrize(("tau2", "number"), [(RETAIL, 2), (AIRLINE, 7), (TELECOM, 4)])
def test_a_perfect_model_passes(tau2: Tau2, number: int) -> None:
    told = verdict(tau2, played(tau2, number, perfect))
    assert told.correct, told.detail


def test_the_policy_is_the_system_prompt_and_the_customer_has_tools_of_its_own() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        return perfect(request)

    played(TELECOM, 4, answer)
    agent = next(one for one in asked if one.role == "assistant")
    policy = (TELECOM.embedded / "main_policy.md").read_text("utf-8")
    assert policy in str(agent.messages[0].content)
    user = next(one for one in asked if one.role == "user")
    assert "toggle_airplane_mode" in {tool.name for tool in user.tools}
    assert not {tool.name for tool in user.tools} & {tool.name for tool in agent.tools}


def test_an_assertion_about_what_was_never_made_is_wrong() -> None:
    """tau2's evaluator raises: the task that should have been created is not there."""
    told = verdict(MOCK, played(MOCK, 1, but("assistant", 0, Reply("I will not."))))
    assert (told.mistake, told.detail) == ("evaluator_failed", "ValueError: Task task_2 not found")


def test_what_is_different_in_the_world() -> None:
    said = played(RETAIL, 2, but("assistant", 0, Reply("I will not.")))
    outcome = RETAIL.judge(RETAIL.load(RETAIL.embedded, "en").by_id["retail-2"], said.steps, said.extra)["released"]
    assert outcome.mistake == "database"
    assert outcome.states is not None
    expected, actual = outcome.states
    assert isinstance(expected, dict)
    assert isinstance(actual, dict)
    assert expected.keys() == actual.keys()
    assert all(name.startswith(("orders ", "users ")) for name in expected)
