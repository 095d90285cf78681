"""Families that write names outside JSON: values between tags, and names of models that tell no dialect.

What they are sent stands in the golden record (tests/golden/records/dialects.txt)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from toolgauge.chat import Message, Reply, Tool, ToolCall
from toolgauge.models.dialects.registry import DIALECTS, dialect_for
from toolgauge.models.text_tool_model import heard

TOOL = Tool(
    "rain",
    "Rain?",
    {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
)


def calls_of(dialect: str, text: str, *tools: Tool) -> list[tuple[str | None, Any]]:
    return [(call.name, json.loads(call.arguments)) for call in DIALECTS[dialect].parse(text, tools).calls]


def glm(city: str) -> str:
    return f"<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>{city}</arg_value>\n</tool_call>"


@pytest.mark.parametrize(
    ("written", "with_schema", "without"),
    [
        ("0170", "0170", "0170"),
        ("170", "170", 170),
        ('"170"', "170", "170"),
        ("true", "true", True),
        ('["a"]', '["a"]', ["a"]),
        ("NaN", "NaN", "NaN"),
        (" Oslo\n", " Oslo\n", " Oslo\n"),
        ("\n170 ", "\n170 ", 170),
        ("", "", ""),
    ],
)
def test_a_schema_tells_the_type_of_a_value_between_tags(written: str, with_schema: str, without: Any) -> None:
    assert calls_of("glm4.5", glm(written), TOOL) == [("rain", {"city": with_schema})]
    assert calls_of("glm4.5", glm(written)) == [("rain", {"city": without})]


def test_a_boolean_between_tags_may_be_pythons() -> None:
    sure = Tool("rain", "Rain?", {"type": "object", "properties": {"city": {"type": "boolean"}}})
    assert calls_of("glm4.5", glm("True"), sure) == [("rain", {"city": True})]
    assert calls_of("glm4.5", glm("True"), TOOL) == calls_of("glm4.5", glm("True")) == [("rain", {"city": "True"})]


def coder(city: str) -> str:
    return f"<tool_call>\n<function=rain>\n<parameter=city>\n{city}\n</parameter>\n</function>\n</tool_call>"


@pytest.mark.parametrize(
    ("written", "schema", "meant"),
    [
        ('"170"', {"type": "string"}, '"170"'),  # quotes belong to a string: nothing of it is written as JSON
        ("170", {"type": "string"}, "170"),
        (" 170\n", {"type": "string"}, " 170\n"),
        ("170", {"type": ["string", "null"]}, "170"),
        ("null", {"type": ["string", "null"]}, None),
        ("null", {"anyOf": [{"type": "string"}, {"type": "null"}]}, None),
        ("None", {"type": ["string", "null"]}, "None"),
        ("None", {"type": ["integer", "null"]}, None),
        ("170", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, 170),
        ("True", {"type": "boolean"}, True),
        ("False", {}, "False"),
        ('{"a": [1]}', {"type": "object"}, {"a": [1]}),
        ("170", {"type": "boolean"}, 170),  # never bent to the schema: the judge sees the model's mistake
        ("170", {}, 170),
        ("", {"type": ""}, ""),
        ("x", {"type": 7, "anyOf": 3}, "x"),
    ],
)
def test_values_of_qwen_coder_have_the_types_of_the_schema(written: str, schema: Any, meant: Any) -> None:
    tool = Tool("rain", "Rain?", {"type": "object", "properties": {"city": schema}})
    assert calls_of("qwen3-coder", coder(written), tool) == [("rain", {"city": meant})]


@pytest.mark.parametrize(("dialect", "write"), [("glm4.5", glm), ("qwen3-coder", coder)])
def test_a_string_of_an_earlier_call_stands_without_quotes_where_the_schema_says_string(
    dialect: str, write: Callable[[str], str]
) -> None:
    talk = (Message("user", "?"), Message("assistant", None, (ToolCall("call_0", "rain", '{"city": "170"}'),)))
    assert DIALECTS[dialect].render(talk, (TOOL,), "en")[-1].content == write("170")
    assert DIALECTS[dialect].render(talk, (), "en")[-1].content == write('"170"')


def test_the_offered_tools_reach_the_reading() -> None:
    reply = heard(Reply(glm("170")), DIALECTS["glm4.5"], (TOOL,), earlier=3)
    assert reply.tool_calls == (ToolCall("call_3", "rain", '{"city": "170"}'),)


UNSURE = [
    "deepseek-chat",
    "deepseek-ai/DeepSeek-V3.2-Exp",  # calls as V3.1
    "deepseek-ai/DeepSeek-V3.2-Speciale",  # knows no tools
    "deepseek-ai/DeepSeek-V4-Flash-Base",
    "openai/gpt-oss-safeguard-20b",  # judges texts
    "tencent/Hy3-preview-Base",
    "tencent/Hy4-preview",  # no mark behind the name
    "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B",
    "meetkai/functionary-small-v3.2",
    "THUDM/chatglm3-6b",
    "zai-org/GLM-4.5V",
    "moonshotai/Kimi-Dev-72B",
    "gorilla-llm/gorilla-openfunctions-v1",
]


def test_models_of_like_names_are_not_told() -> None:
    assert [model for model in UNSURE if dialect_for(model)] == []
