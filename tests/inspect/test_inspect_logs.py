"""Logs that Inspect writes, read without it: packed and as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, system_message, use_tools
from inspect_ai.tool import Tool, tool

from tests.logs.log_files import read

pytestmark = pytest.mark.inspect


@tool  # type: ignore[untyped-decorator]
def get_weather() -> Tool:
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
