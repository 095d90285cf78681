"""Families that write names outside JSON: values between tags, and names of models that tell no dialect.

What they are sent stands in the golden record (tests/golden/records/dialects.txt)."""

from __future__ import annotations

import json
from typing import Any

from tests.rows import rows
from toolgauge.chat import Reply, Tool, ToolCall
from toolgauge.models.dialects.table import DIALECTS
from toolgauge.models.text_calls import parse_reply

TOOL = Tool(
    "rain",
    "Rain?",
    {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]},
)


def calls_of(dialect: str, text: str, *tools: Tool) -> list[tuple[str | None, Any]]:
    return [(call.name, json.loads(call.arguments)) for call in DIALECTS[dialect].parse(text, tools).calls]


def glm(city: str) -> str:
    return f"<tool_call>rain\n<arg_key>city</arg_key>\n<arg_value>{city}</arg_value>\n</tool_call>"


@rows(
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


def coder(city: str) -> str:
    return f"<tool_call>\n<function=rain>\n<parameter=city>\n{city}\n</parameter>\n</function>\n</tool_call>"


@rows(
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


def test_the_offered_tools_reach_the_reading() -> None:
    reply = parse_reply(Reply(glm("170")), DIALECTS["glm4.5"], (TOOL,), earlier=3)
    assert reply.tool_calls == (ToolCall("call_3", "rain", '{"city": "170"}'),)


@rows(
    ("written", "arguments"),
    [
        ("functions.rain:0", {"city": "Oslo"}),
        ("functions_rain_3", {"city": "Oslo"}),
        ("functionsrain5", {"city": "Oslo"}),
        ("rain", {"city": "Oslo"}),
        ("call_ab12", {"name": "rain", "city": "Oslo"}),
        ("call_ab12", {"name": "rain", "arguments": {"city": "Oslo"}}),
        ("call00003", {"city": "Oslo"}),  # the one tool that takes these
        ("7", {"city": "Oslo"}),
    ],
)
def test_the_ids_that_kimi_writes_after_those_of_clients(written: str, arguments: dict[str, Any]) -> None:
    text = f"<|tool_call_begin|>{written}<|tool_call_argument_begin|>{json.dumps(arguments)}<|tool_call_end|>"
    now = Tool("now", "Time?", {"type": "object", "properties": {}})
    assert calls_of("kimi", text, TOOL, now) == [("rain", {"city": "Oslo"})]
    assert calls_of("kimi", text.replace("rain", "snow").replace("city", "place"), TOOL, now) != [
        ("rain", {"city": "Oslo"})
    ]


BOTH_TAGS = {
    "hermes": ("<tool_call>", "</tool_call>"),
    "granite4": ("<tool_call>", "</tool_call>"),
    "glm4.5": ("<tool_call>", "</tool_call>"),
    "qwen3-coder": ("<tool_call>", "</tool_call>"),
    "hunyuan": ("<tool_calls>", "</tool_calls>"),
    "lfm2": ("<|tool_call_start|>", "<|tool_call_end|>"),
    "phi4-mini": ("<|tool_call|>", "<|/tool_call|>"),
    "functiongemma": ("<start_function_call>", "<end_function_call>"),
    "minimax-m2": ("<minimax:tool_call>", "</minimax:tool_call>"),
}


@rows("dialect", BOTH_TAGS)
def test_prose_that_names_both_tags_is_no_malformed_call(dialect: str) -> None:
    opening, closing = BOTH_TAGS[dialect]
    for text in (
        f"It rains, so no {opening} and {closing} tags were needed.",
        f"I write calls within {opening}{closing} XML tags.",
    ):
        parsed = DIALECTS[dialect].parse(text, (TOOL,))
        assert (parsed.content, parsed.calls, parsed.problem) == (text, (), None)


SAIL = Tool("sail", "Sail", {"type": "object", "properties": {"to": {"type": "string"}, "with": {"type": "array"}}})


@rows("mark", ["｜DSML｜", "｜｜DSML｜｜", "｜｜DSML｜｜ ", "‖DSML‖", "|DSML|"])
@rows("section", ["tool_calls", "toolcalls"])
def test_deepseeks_mark_between_other_bars(mark: str, section: str) -> None:
    text = (
        f'<{mark}{section}>\n<{mark}invoke name="sail">\n'
        f'<{mark}parameter name="to" string="true">Bergen</{mark}parameter>\n'
        f"</{mark}invoke>\n</{mark}{section}>"
    )
    parsed = DIALECTS["deepseek-v4"].parse(text, (SAIL,))
    assert [(call.name, json.loads(call.arguments)) for call in parsed.calls] == [("sail", {"to": "Bergen"})]
    assert (parsed.content, parsed.problem) == (None, None)


@rows(
    ("written", "arguments"),
    [
        ("with:['Ana']", {"with": ["Ana"]}),
        ('with:["Ana"]', {"with": ["Ana"]}),
        ("with:[{'crew': 'two'}]", {"with": [{"crew": "two"}]}),
        ("to:'Bergen'", {"to": "Bergen"}),
        ('to:<|"|>Ana\'s<|"|>', {"to": "Ana's"}),
    ],
)
def test_gemma4_quotes_like_python_or_json(written: str, arguments: dict[str, object]) -> None:
    parsed = DIALECTS["gemma4"].parse(f"<|tool_call>call:sail{{{written}}}<tool_call|>", (SAIL,))
    assert [json.loads(call.arguments) for call in parsed.calls] == [arguments]
    assert (parsed.content, parsed.problem) == (None, None)
