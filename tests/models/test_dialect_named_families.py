"""Families that write names outside JSON, or calls as Python: values between tags, how history and tools reach them,
and which models are told by their names."""

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


HISTORY = (
    Message("system", "Be kind."),
    Message("user", "Rain?"),
    Message("assistant", "Let me see.", (ToolCall("call_4", "rain", '{"city": "Oslo"}'), ToolCall("x", "now", "{}"))),
    Message("tool", "yes", tool_call_id="call_4"),
    Message("tool", "12:00", tool_call_id="x"),
)
SAID = {
    "llama-pythonic": "[rain(city='Oslo'), now()]",
    "toolace": "[rain(city='Oslo'), now()]",
    "gorilla": "<<function>>rain(city='Oslo')<<function>>now()",
    "deepseek-v3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>rain\n```json\n"
    '{"city": "Oslo"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n'
    "{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3.1": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>rain<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>'
    "<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek-v3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="rain">\n'
    '<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    '<｜DSML｜invoke name="now">\n\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    "deepseek-v4": '<｜DSML｜tool_calls>\n<｜DSML｜invoke name="rain">\n'
    '<｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    '<｜DSML｜invoke name="now">\n\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>',
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.rain:4<|tool_call_argument_begin|>"
    '{"city": "Oslo"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>'
    "{}<|tool_call_end|><|tool_calls_section_end|>",
    "glm4": 'rain\n{"city": "Oslo"}<|assistant|>now\n{}',
    "glm4.5": "<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>\n"
    "<tool_call>now\n</tool_call>",
    "hunyuan3": "<tool_calls:opensource>\n<tool_call:opensource>rain<tool_sep:opensource>\n"
    "<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>Oslo</arg_value:opensource>\n"
    "</tool_call:opensource>\n<tool_call:opensource>now<tool_sep:opensource>\n</tool_call:opensource>\n"
    "</tool_calls:opensource>",
    "hunyuan3-preview": "<tool_calls>\n<tool_call>rain<tool_sep>\n<arg_key>city</arg_key>\n"
    "<arg_value>Oslo</arg_value>\n</tool_call>\n<tool_call>now<tool_sep>\n</tool_call>\n</tool_calls>",
    "gpt-oss": "<|start|>assistant to=functions.rain<|channel|>commentary <|constrain|>json<|message|>"
    '{"city": "Oslo"}<|call|><|start|>assistant to=functions.now<|channel|>commentary <|constrain|>json<|message|>'
    "{}<|call|>",
    "functionary3.1": '<function=rain>{"city": "Oslo"}</function><function=now>{}</function>',
}
TOLD = {
    "llama-pythonic": [("tool", "yes"), ("tool", "12:00")],
    "toolace": [("tool", '[{"name": "rain", "results": "yes"}, {"name": "now", "results": "12:00"}]')],
    "gorilla": [
        ("user", '<<tool>>{"name": "rain", "result": "yes"}\n<<tool>>{"name": "now", "result": "12:00"}'),
    ],
    "deepseek-v3": [("tool", "yes"), ("tool", "12:00")],
    "deepseek-v3.1": [("tool", "yes"), ("tool", "12:00")],
    "deepseek-v3.2": [
        ("user", "<function_results>\n<result>yes</result>\n<result>12:00</result>\n</function_results>")
    ],
    "deepseek-v4": [("user", "<tool_result>yes</tool_result>\n\n<tool_result>12:00</tool_result>")],
    "kimi": [("user", "## Return of functions.rain:4\nyes\n\n## Return of functions.now:1\n12:00")],
    "glm4": [("user", "<|observation|>\nyes\n<|observation|>\n12:00")],
    "glm4.5": [("tool", "yes"), ("tool", "12:00")],
    "hunyuan3": [
        (
            "user",
            "<tool_responses:opensource>\n<tool_response:opensource>\nyes\n</tool_response:opensource>\n"
            "<tool_response:opensource>\n12:00\n</tool_response:opensource>\n</tool_responses:opensource>",
        )
    ],
    "hunyuan3-preview": [
        (
            "user",
            "<tool_responses>\n<tool_response>\nyes\n</tool_response>\n<tool_response>\n12:00\n</tool_response>\n"
            "</tool_responses>",
        )
    ],
    "gpt-oss": [
        (
            "user",
            "<|start|>functions.rain to=assistant<|channel|>commentary<|message|>yes<|end|>"
            "<|start|>functions.now to=assistant<|channel|>commentary<|message|>12:00<|end|>",
        )
    ],
    "functionary3.1": [("tool", "yes"), ("tool", "12:00")],
}


GAPS = {"gpt-oss": "<|end|>", "deepseek-v3.2": "\n\n", "deepseek-v4": "\n\n", "hunyuan3": "", "hunyuan3-preview": ""}
"""Between what is said and the calls, where it is not a line break."""


@pytest.mark.parametrize("dialect", SAID)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_history_is_written_in_the_familys_way(dialect: str, language: str) -> None:
    system, *rest = DIALECTS[dialect].render(HISTORY, (TOOL,), language)
    assert (system.role, "Be kind." in (system.content or "")) == ("system", True)
    gap = GAPS.get(dialect, "\n")
    assert rest[1] == Message("assistant", f"Let me see.{gap}{SAID[dialect]}")
    assert [(message.role, message.content) for message in rest[2:]] == TOLD[dialect]
    announced = rest[0] if dialect == "gorilla" else system
    assert any(form in (announced.content or "") for form in ('"name": "rain"', "### rain\n", "type rain = "))
    assert "$" not in (announced.content or "")


def test_gorilla_is_asked_in_its_own_form() -> None:
    _, question, *_ = DIALECTS["gorilla"].render(HISTORY, (TOOL,), "en")
    assert (question.content or "").startswith('### Instruction: <<function>>[{"name": "rain"')
    assert (question.content or "").endswith("]\n<<question>>Rain?\n### Response:")


SURE = {
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama-pythonic",
    "Team-ACE/ToolACE-8B": "toolace",
    "Team-ACE/ToolACE-2-Llama-3.1-8B": "toolace2",
    "watt-ai/watt-tool-70B": "watt",
    "deepseek-ai/DeepSeek-V3-0324": "deepseek-v3",
    "deepseek-ai/DeepSeek-V3.1-Terminus": "deepseek-v3.1",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek-r1",
    "deepseek-ai/DeepSeek-V3.2": "deepseek-v3.2",
    "deepseek-ai/DeepSeek-V4-Flash": "deepseek-v4",
    "openai/gpt-oss-20b": "gpt-oss",
    "gpt-oss:120b": "gpt-oss",
    "gpt-oss-20b-mxfp4.gguf": "gpt-oss",
    "gpt-oss-20b-Q4_K_M.gguf": "gpt-oss",
    "tencent/Hy3": "hunyuan3",
    "tencent/Hy3-FP8": "hunyuan3",
    "tencent/Hy3-preview": "hunyuan3-preview",
    "DeepSeek-V4-Pro-UD-Q4_K_XL-00001-of-00012.gguf": "deepseek-v4",
    "zai-org/glm-4-9b-chat-hf": "glm4",
    "zai-org/GLM-4.5-Air-FP8": "glm4.5",
    "zai-org/GLM-5": "glm4.5",
    "gorilla-llm/gorilla-openfunctions-v2": "gorilla",
    "meetkai/functionary-medium-v3.1": "functionary3.1",
    "moonshotai/Kimi-K2-Instruct-0905": "kimi",
    "moonshotai/Kimi-K2.5": "kimi",
}
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


def test_models_of_these_families_are_told_by_their_names() -> None:
    assert {model: dialect_for(model) for model in SURE} == SURE
    assert [model for model in UNSURE if dialect_for(model)] == []
