"""Values and names in dialects that write outside JSON; schemas without types; which names of models tell a dialect."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.rows import rows
from toolgauge.chat import Tool, ToolCall
from toolgauge.data.schemas import normalise_schema
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.dialects.table import ALIASES, DIALECTS, dialect_for, find_dialect
from toolgauge.models.dialects.typescript import namespace
from toolgauge.models.schemas import openapi_schema, types_of, written_out

RAIN_TOOL = Tool(
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
    assert calls_of("glm4.5", glm(written), RAIN_TOOL) == [("rain", {"city": with_schema})]
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
    assert calls_of("kimi", text, RAIN_TOOL, now) == [("rain", {"city": "Oslo"})]
    assert calls_of("kimi", text.replace("rain", "snow").replace("city", "place"), RAIN_TOOL, now) != [
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
        parsed = DIALECTS[dialect].parse(text, (RAIN_TOOL,))
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


PARAMETERS = normalise_schema(
    {
        "type": "object",
        "$defs": {
            "Zip": {"type": "string"},
            "Level": {"enum": ["1", "2", "3"]},
            "Place": {"type": "object", "properties": {"zip": {"$ref": "#/$defs/Zip"}}, "required": ["zip"]},
        },
        "properties": {
            "grade": {"enum": ["1", "2"]},
            "kind": {"allOf": [{"type": "string"}, {"minLength": 1}]},
            "opt": {"anyOf": [{"$ref": "#/$defs/Zip"}, {"type": "null"}]},
            "level": {"$ref": "#/$defs/Level"},
            "zip": {"$ref": "#/$defs/Zip", "description": "Of the city."},
            "fixed": {"const": "7"},
            "place": {"$ref": "#/$defs/Place"},
            "days": {"enum": [1, 2]},
        },
    }
)
FIND = Tool("find", "Find.", PARAMETERS)


@rows("dialect", ["qwen3-coder", "glm4.5", "hunyuan3", "minimax-m2", "seed-oss"])
def test_values_written_as_texts_have_the_types_of_the_schema(dialect: str) -> None:
    values = {"grade": "1", "kind": "7", "opt": "90210", "level": "2", "zip": "12345", "fixed": "7", "days": 1}
    text = DIALECTS[dialect].render_calls((ToolCall("a", "find", json.dumps(values)),), (FIND,))
    assert '"12345"' not in text  # a text needs no quotes
    (call,) = DIALECTS[dialect].parse(text, (FIND,)).calls
    assert json.loads(call.arguments) == values


def test_gemini_and_gpt_oss_are_told_what_a_reference_means() -> None:
    told = openapi_schema(PARAMETERS)
    place = {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]}
    assert told["properties"]["place"] == place  # type: ignore[index]
    assert told["properties"]["level"] == {"type": "string", "enum": ["1", "2", "3"]}  # type: ignore[index]
    text = namespace((FIND,))
    assert "any" not in text.replace("=> any", "")
    assert "zip: string" in text


def test_parts_of_all_of_are_joined_and_nothing_else_changes() -> None:
    one = {"allOf": [{"type": "string"}, {"allOf": [{"minLength": 1}]}], "description": "x"}
    assert written_out(one) == {"type": "string", "minLength": 1, "description": "x"}
    plain = {"type": "object", "properties": {"a": {"type": "string", "enum": ["$ref"]}}}
    assert written_out(plain) == plain
    assert types_of({"anyOf": [{"const": 1}, {"type": "null"}]}) == {"integer", "null"}


def test_names_and_aliases() -> None:
    assert find_dialect(" Hermes ").name == "hermes"
    assert find_dialect("qwen2.5") is DIALECTS["hermes"]
    assert {find_dialect(alias).name for alias in ALIASES} <= set(DIALECTS)
    assert not set(ALIASES) & set(DIALECTS)
    for name, dialect in DIALECTS.items():
        assert dialect.name == name == name.lower()
    with pytest.raises(UsageError, match=r"'hermess'; did you mean 'hermes'\? Choose one of auto, hermes, "):
        find_dialect("hermess")


def test_the_model_is_opened_with_its_dialect() -> None:
    reached = ModelOptions(base_url="http://127.0.0.1:1/v1", dialect="auto")
    model = open_model("openai/Qwen/Qwen3-8B", reached)
    assert (model.name, model.describe()["dialect"]) == ("openai/Qwen/Qwen3-8B", "hermes")
    with pytest.raises(UsageError, match="no dialect known"):
        open_model("openai/mock", reached)


TOLD = {
    "hermes": """
        Qwen2.5-7B-Instruct-Q4_K_M.gguf Qwen2.5-7B-Instruct-1M-Q6_K.gguf hermes3:8b
        Qwen_Qwen3-8B-Q4_K_M.gguf bartowski/Qwen_Qwen3-4B-Instruct-2507-GGUF QwQ-32B-IQ4_XS.gguf
        Qwen/Qwen3-VL-32B-Instruct
    """,
    "qwen3-coder": """
        Qwen3-Coder-30B-A3B-Instruct-Q4_K_M.gguf
        ibm-granite/granite-4.2-3b-GGUF
        Nemotron-3-Nano-30B-A3B-UD-Q4_K_XL.gguf
    """,
    "llama3-json": "Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf llama3.1 llama3.1:8b-instruct-q8_0",
    "mistral": """
        Mistral-7B-Instruct-v0.3.Q4_K_M.gguf
        Ministral-3-8B-Instruct-2512-Q4_K_M.gguf
        Magistral-Small-2509-UD-Q4_K_XL.gguf
    """,
    "granite": "granite-3.3-8b-instruct-Q4_K_M.gguf granite3.3:8b ibm-granite/granite-3.3-2b-instruct-GGUF",
    "granite4": "granite-4.0-h-tiny-Q4_K_M.gguf ibm-granite/granite-4.0-h-1b granite4.1:8b-q4_K_M",
    "phi4-mini": "Phi-4-mini-instruct-Q4_K_M.gguf microsoft/Phi-4-mini-instruct phi4-mini:3.8b",
    "lfm2": "LFM2-1.2B-Q4_0.gguf LFM2-1.2B-Tool-Q4_K_M.gguf lfm2:24b",
    "lfm2.5": "LFM2.5-1.2B-Instruct-Q8_0.gguf LFM2.5-8B-A1B-UD-Q4_K_XL.gguf lfm2.5-thinking:1.2b",
    "gemma": "gemma-3-270m-it-Q8_0.gguf bartowski/google_gemma-3-12b-it-qat-GGUF:Q5_K_M gemma3n:e4b",
    "functiongemma": "functiongemma-270m-it-Q8_0.gguf google/functiongemma-270m-it functiongemma:270m",
    "gemma4": "google_gemma-4-E2B-it-Q4_K_M.gguf unsloth/gemma-4-E2B-it-qat-GGUF:UD-Q4_K_XL gemma4:e4b-it-q4_K_M",
    "gpt-oss": "gpt-oss-20b-mxfp4.gguf unsloth/gpt-oss-120b-GGUF gpt-oss:20b",
    "hammer": "Hammer2.1-7b-Q4_K_M.gguf",
    "xlam2": "Llama-xLAM-2-8b-fc-r-Q4_K_M.gguf Salesforce/xLAM-2-1b-fc-r-gguf",
    "toolace": "ToolACE-8B.Q4_K_M.gguf ToolACE-2-Llama-3.1-8B.Q4_K_M.gguf",
    "watt": "watt-tool-8B-Q4_K_M.gguf",
    "llama-pythonic": "Llama-4-Scout-17B-16E-Instruct-UD-Q4_K_XL-00001-of-00002.gguf",
    "hunyuan": "Hunyuan-A13B-Instruct-Q4_K_M.gguf",
    "hunyuan3": "tencent/Hy3 tencent/Hy3-Preview",
    "kimi": "Kimi-K2-Instruct-0905-UD-TQ1_0-00001-of-00005.gguf moonshotai/Kimi-K2.7-Code",
    "glm4.5": "GLM-4.5-Air-UD-Q4_K_XL-00001-of-00002.gguf zai-org/GLM-5.3",
    "deepseek-v3": "DeepSeek-V3-0324-UD-Q2_K_XL-00001-of-00006.gguf DeepSeek-R1-0528-UD-IQ1_S-00001-of-00004.gguf",
    "deepseek-v3.2": "DeepSeek-V3.2-UD-Q4_K_XL-00001-of-00008.gguf",
    "deepseek-v4": "deepseek-ai/DeepSeek-V4-Flash",
    "deepseek-v3.1": "DeepSeek-V3.1-Terminus-Q4_K_M-00001-of-00009.gguf",
    "minimax-m2": "MiniMaxAI/MiniMax-M2.5 MiniMax-M2-UD-Q4_K_XL-00001-of-00003.gguf",
    "seed-oss": "ByteDance-Seed/Seed-OSS-36B-Instruct",
    "generic": "microsoft/Phi-3-mini-4k-instruct openbmb/MiniCPM3-4B deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct",
}
"""Dialect -> names."""
FOLDERS = {
    "Qwen3-8B-GGUF/model.gguf": "hermes",
    "/srv/models/gemma-3-1b-it/ggml-model-Q4_0.gguf": "gemma",
    "C:\\models\\LFM2-1.2B-Q4_0.gguf": "lfm2",
    "model-Q4_K_M.gguf": None,
    "downloads/model.gguf": None,
    "Qwen3-8B-GGUF/draft.gguf": None,
}
"""Paths, and files whose names leave it to their folder."""
UNTOLD = """
    Qwen2.5-7B-Q4_K_M.gguf
    qwen2.5-coder:7b
    ggml-org/Qwen2.5-Omni-7B-GGUF
    Qwen3-Reranker-4B-Q4_K_M.gguf
    meta-llama/Llama-3.1-8B
    llama3.2:3b
    gpt-oss-safeguard-20b-Q4_K_M.gguf
    granite-4.0-h-tiny-base-Q4_K_M.gguf
    granite-guardian-3.3-8b
    microsoft/Phi-4-mini-flash-reasoning
    LiquidAI/LFM2-ColBERT-350M
    LiquidAI/LFM2.5-2.6B-DSpark-GGUF
    google/gemma-3-4b-pt
    medgemma-27b-it-Q4_K_M.gguf
    google/shieldgemma-2b
    google/gemma-4-E2B
    TinyLlama-1.1B-Chat-v1.0.Q4_K_M.gguf
    nomic-embed-text-v1.5.f16.gguf
    deepseek-ai/DeepSeek-R1-Distill-Qwen-7B
    moonshotai/Kimi-K2-Base
"""


@rows(("dialect", "name"), [(dialect, name) for dialect, names in TOLD.items() for name in names.split()])
def test_published_names_tell_a_dialect(dialect: str, name: str) -> None:
    assert dialect_for(name) == dialect


@rows("name", UNTOLD.split())
def test_near_misses_tell_nothing(name: str) -> None:
    assert dialect_for(name) is None


@rows("path", FOLDERS)
def test_a_file_without_a_name_of_its_own_has_its_folders(path: str) -> None:
    assert dialect_for(path) == FOLDERS[path]
