"""Limits, roles, epochs, logs and the command line of Inspect; models whose every output the test writes (mockllm)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("Inspect AI is not installed; make inspect installs it", allow_module_level=True)

from inspect_ai import Task, eval, score  # noqa: A004
from inspect_ai.dataset import Sample
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
from inspect_ai.solver import generate, system_message, use_tools
from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolCall, tool

from tests.inspect.evaluating import ACE, attempt, evaluate, labels_of, plain
from tests.logs.log_files import read
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


@tool  # type: ignore[untyped-decorator]
def get_weather() -> InspectTool:
    async def execute(city: str) -> str:
        """Weather of a city.

        Args:
            city: City.
        """
        return f'{{"sky": "sun over {city}"}}'

    return execute


@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_log_is_its_conversations(tmp_path: Path, form: Literal["eval", "json"]) -> None:
    outputs = [
        ModelOutput.for_tool_call("mockllm/model", "get_weather", {"city": "Oslo"}),
        ModelOutput.from_content("mockllm/model", "Sun."),
    ]
    for one in outputs:
        one.usage = ModelUsage()  # else the tokens are counted, with a table from the network
    task = Task(
        dataset=[Sample(input="weather in oslo?", id="s1")],
        solver=[system_message("You help."), use_tools(get_weather()), generate()],
    )
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, log_dir=str(tmp_path), log_format=form, display="none")
    assert log.status == "success", log.error
    (path,) = tmp_path.glob(f"*.{form}")
    (conversation,), rejected = read("inspect", path)
    assert not rejected
    assert conversation.id == "s1"
    assert [(one.role, one.content) for one in conversation.messages] == [
        ("system", "You help."),
        ("user", "weather in oslo?"),
        ("assistant", conversation.messages[2].content),
        ("tool", '{"sky": "sun over Oslo"}'),
        ("assistant", "Sun."),
    ]
    (made,) = conversation.messages[2].tool_calls
    assert (made.name, made.arguments) == ("get_weather", '{"city": "Oslo"}')
    assert conversation.messages[3].tool_call_id == made.id
    assert [(one.name, list(one.properties)) for one in conversation.tools] == [("get_weather", ["city"])]
