"""Limits, roles, epochs and the command line of Inspect; models whose every output the test writes (mockllm)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("Inspect AI is not installed; make inspect installs it", allow_module_level=True)

from inspect_ai import score
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.tool import ToolCall

from tests.inspect.evaluating import ACE, attempt, evaluate, labels_of, plain
from toolgauge.chat import Tool
from toolgauge.integrations.inspect_ai.metrics import session_accuracy, stderr, task_accuracy
from toolgauge.integrations.inspect_ai.schemas import tool_info
from toolgauge.integrations.inspect_ai.scorer import labels

pytestmark = pytest.mark.inspect


COUNTED = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
"""Where mockllm is not told, it fetches a tokenizer to count."""


def test_references_of_a_tool_are_followed_and_those_to_themselves_end() -> None:
    parts = {"day": {"$ref": "#/$defs/day"}, "left": {"$ref": "#"}, "right": {"$ref": "#"}, "lost": {"$ref": "#/none"}}
    schema = {"type": "object", "properties": parts, "$defs": {"day": {"type": "string", "enum": ["Monday"]}}}
    properties = tool_info(Tool("plan", "", schema)).parameters.properties
    assert (properties["day"].type, properties["day"].enum) == ("string", ["Monday"])
    assert (properties["left"].type, properties["lost"].type) == ("object", None)


def mock(outputs: Any) -> Any:
    return get_model("mockllm/model", custom_outputs=outputs)


def output(content: Any = "", calls: list[ToolCall] | None = None) -> ModelOutput:
    message = ChatMessageAssistant(content=content, tool_calls=calls)
    return ModelOutput(model="mock", choices=[ChatCompletionChoice(message=message)], usage=COUNTED)


@pytest.mark.parametrize(
    ("said", "mistake"),
    [
        (output(), {"empty_output"}),
        (output([ContentReasoning(reasoning="Hm."), ContentText(text="")]), {"only_reasoning"}),
        (output(calls=[ToolCall("1", "no_such_tool", {})]), {"unknown_tool", "needless_tool"}),
    ],
)
def test_what_a_model_says_arrives(said: ModelOutput, mistake: set[str], tmp_path: Path) -> None:
    log = evaluate("toolgauge/mini", mock(lambda *_: said), tmp_path, task_args={"sessions": 2})
    assert {verdict["exact"]["mistake"] for verdict in labels_of(log).values()} <= mistake


@pytest.mark.parametrize(
    "failed",
    [
        ModelOutput(model="mock", usage=COUNTED),
        ModelOutput(model="mock", usage=COUNTED, choices=output("Half an ans").choices, error="upstream went away"),
    ],
)
def test_a_failure_in_an_output_is_no_mistake_of_the_model(failed: ModelOutput, tmp_path: Path) -> None:
    log = attempt("toolgauge/mini", mock(lambda *_: failed), tmp_path, task_args={"sessions": 1})
    assert log.status == "error"


def test_a_limit_ends_a_conversation_and_what_was_said_is_judged(tmp_path: Path) -> None:
    log = evaluate("toolgauge/mini", "toolgauge/oracle", tmp_path, task_args={"sessions": 4}, turn_limit=1)
    cut = [sample for sample in log.samples if sample.limit is not None]
    assert cut
    assert len(cut) < len(log.samples)
    for sample in log.samples:
        (verdicts,) = sample.scores["labels"].metadata.values()
        assert (verdicts["exact"]["label"] == "correct") == (sample.limit is None)
    assert {sample.scores["labels"].metadata[sample.id]["exact"]["progress"][0] for sample in cut} >= {1}


def test_the_simulated_user_is_a_model_role(tmp_path: Path) -> None:
    asked: list[Any] = []

    def user(messages: Any, *_: Any) -> ModelOutput:
        asked.append(messages)
        return output("finish conversation")

    log = evaluate(
        "toolgauge/acebench",
        "toolgauge/oracle",
        tmp_path,
        task_args={"data": str(ACE), "categories": "agent_multi_turn"},
        model_roles={"user": mock(user)},
    )
    assert len(asked) >= len(log.samples) > 0
    assert {sample.metadata["category"] for sample in log.samples} == {"agent_multi_turn"}


def test_a_log_can_be_scored_again(tmp_path: Path) -> None:
    log = evaluate("toolgauge/mini", "toolgauge/noisy?rate=0.6", tmp_path, task_args={"sessions": 3})
    before = labels_of(log)
    again = score(log, labels("mini", scoring="released"), action="overwrite", display="none")
    assert labels_of(again) == plain({task: {"released": one["released"]} for task, one in before.items()})
    assert again.samples is not None
    assert set(again.samples[0].scores["labels"].value) == {"released"}


def test_the_command_line(tmp_path: Path) -> None:
    done = _inspect(tmp_path, "toolgauge/mini", "-T", "ids=mini_1,mini_2/0", "-T", "language=zh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "(5 samples)" in done.stdout
    assert "1.000" in done.stdout


def test_wrong_usage_is_one_line(tmp_path: Path) -> None:
    done = _inspect(tmp_path, "toolgauge/mini", "-T", "scoring=lenient")
    assert "unknown scoring 'lenient'; mini has exact, released, tables" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def _inspect(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspect_ai", "eval", *arguments, "--model", "toolgauge/oracle", "--display", "plain"],
        cwd=folder,
        env=os.environ | {"HOME": str(folder), "INSPECT_LOG_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_metrics_weigh_conversations_by_their_tasks() -> None:
    """By hand: 4 of 4 and 1 of 2 right; residuals 4 * 1/6 and 2 * -1/3 around 5/6; sqrt(2 * 2 * (2/3)^2) / 6."""
    scores = [_scored("a", 1.0, 4), _scored("b", 0.5, 2)]
    assert task_accuracy()(scores) == pytest.approx(5 / 6)
    assert stderr()(scores) == pytest.approx((2 * 2 * (2 / 3) ** 2) ** 0.5 / 6)
    assert session_accuracy()(scores) == 0.5


def _scored(session: str, value: float, tasks: int) -> SampleScore:
    return SampleScore(score=Score(value=value), sample_metadata={"session": session, "tasks": tasks})
