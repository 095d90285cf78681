"""Every quirk of the table is needed, and does what it says; tools in OpenAPI's vocabulary; names and sites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.rows import rows
from toolgauge.chat import Message, Request, Tool, ToolCall
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, Sampling, open_model
from toolgauge.models.formats import find_format, speaks_responses
from toolgauge.models.provider import PROVIDERS, Quirks
from toolgauge.models.provider_adapter import BRIDGE, shape
from toolgauge.models.providers import find_endpoint, find_provider
from toolgauge.models.schemas import openapi_schema
from toolgauge.models.settings import Settings

# --------------------------------------------------------------------------------------------------------- messages

CALL = ToolCall("call_abc-1", "find", '{"what": "x"}')
TALK = (
    Message("system", "Be brief."),
    Message("user", "One."),
    Message("user", "Two."),
    Message("assistant", None, (CALL,), reasoning="because"),
    Message("tool", "found", tool_call_id="call_abc-1"),
    Message("user", "Three."),
)


def test_turns_are_made() -> None:
    shaped = shape(TALK, Quirks(alternates=True, user_after_tool=False), with_tools=True)
    assert [(one["role"], one["content"]) for one in shaped] == [
        ("system", "Be brief."),
        ("user", "One.\n\nTwo."),
        ("assistant", None),
        ("tool", "found"),
        ("assistant", BRIDGE),
        ("user", "Three."),
    ]


@rows(
    ("returned", "reasoning", "with_tools", "expected"),
    [
        ("never", "because", True, None),
        ("kept", "because", True, "because"),
        ("kept", None, True, None),
        ("required", "because", False, "because"),
        ("required", None, True, ""),
    ],
)
def test_reasoning_goes_back_where_it_is_wanted(
    returned: Any, reasoning: str | None, with_tools: bool, expected: str | None
) -> None:
    said = (Message("user", "?"), Message("assistant", None, (CALL,), reasoning=reasoning))
    shaped = shape(said, Quirks(returned=returned), with_tools)
    assert shaped[1].get("reasoning_content") == expected


# -------------------------------------------------------------------------------------------------------- the schema


@rows(
    ("given", "expected"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of: 1, 2."}),
        ({"type": "string", "const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"type": "array"}, {"type": "array", "items": {"type": "string"}}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "string", "nullable": True}),
        (
            {"type": "dict", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a", "a", "z", 3]},
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
        ),
        ({"type": ["string", "integer"]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        ("nonsense", {}),
        ({"type": "object", "properties": [1], "required": "a"}, {"type": "object"}),
    ],
)
def test_openapi_vocabulary(given: Any, expected: Any) -> None:
    found = openapi_schema(given)
    if expected == {"anyOf": None}:
        expected = {"type": "string"}
    assert found == expected


# ------------------------------------------------------------------------------------------------- names and variables


@rows(
    ("name", "provider", "base_url"),
    [
        ("kimi", "moonshot", "https://api.moonshot.ai/v1"),
        ("moonshot-cn", "moonshot-cn", "https://api.moonshot.cn/v1"),
        ("glm-cn", "zhipu-cn", "https://open.bigmodel.cn/api/paas/v4"),
        ("qwen", "qwen", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
        ("dashscope-cn", "qwen-cn", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
        ("google", "gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    ],
)
def test_names_aliases_and_sites(name: str, provider: str, base_url: str) -> None:
    found = find_provider(name)
    assert found is not None
    assert (found.name, found.base_url) == (provider, base_url)


@pytest.mark.parametrize(
    ("spec", "variable", "provider"),
    [("openai", "OPENAI_MODEL", "openai"), ("azure", "AZURE_OPENAI_DEPLOYMENT", "azure")],
)
def test_a_provider_alone_takes_the_model_of_its_variable(
    spec: str, variable: str, provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(variable, raising=False)
    options = ModelOptions(base_url="http://127.0.0.1:9/v1", api_key="k")
    with pytest.raises(UsageError, match=variable):
        open_model(spec, options)
    (tmp_path / ".env").write_text(f"{variable}=my-model\n")
    model = open_model(spec, options)
    assert (model.name, model.describe()["provider"], model.describe()["model"]) == (
        f"{provider}/my-model", provider, "my-model"
    )  # fmt: skip


def test_servers_of_ones_own_need_neither_key_nor_address() -> None:
    for name in ("vllm", "sglang", "ollama", "llamacpp"):
        found = find_endpoint(PROVIDERS[name], ModelOptions(), Settings({}))
        assert found.base_url.startswith("http://localhost:")


# ------------------------------------------------------------------------------------------------------- which API


@rows(
    ("model", "base_url", "expected"),
    [
        ("gpt-5", None, True),
        ("o4-mini", None, True),
        ("ft:gpt-5-mini:me", None, True),
        ("gpt-4o", None, False),
        ("gpt-5", "http://127.0.0.1:9/v1", False),
    ],
)
def test_openais_reasoning_models_are_asked_in_responses(model: str, base_url: str | None, expected: bool) -> None:
    endpoint = find_endpoint(PROVIDERS["openai"], ModelOptions(api_key="k", base_url=base_url), Settings({}))
    assert speaks_responses(model, endpoint) is expected


TOOL = Tool("find", "Finds.", {"type": "object", "properties": {}})


def body_of(name: str, sampling: Sampling) -> dict[str, Any]:
    endpoint = find_endpoint(PROVIDERS[name], ModelOptions(api_key="k"), Settings({}))
    body = find_format("m", endpoint, sampling).body(Request("assistant", (Message("user", "?"),), (TOOL,)))
    found: dict[str, Any] = json.loads(body)
    return found


@rows(
    ("name", "sampling", "expected"),
    [
        ("anthropic", Sampling(), {"max_tokens": 16000}),
        ("anthropic", Sampling(max_tokens=9, stop="x"), {"max_tokens": 9, "stop_sequences": ["x"]}),
        ("anthropic", Sampling(reasoning_effort="low"), {"output_config": {"effort": "low"}}),
        (
            "anthropic",
            Sampling(parallel_tool_calls=False),
            {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}},
        ),
        ("anthropic", Sampling(tool_choice="required"), {"tool_choice": {"type": "any"}}),
        (
            "anthropic",
            Sampling(tool_choice={"type": "function", "function": {"name": "find"}}),
            {"tool_choice": {"type": "tool", "name": "find"}},
        ),
        ("openai-responses", Sampling(max_tokens=9), {"max_output_tokens": 9}),
        ("openai-responses", Sampling(reasoning_effort="low"), {"reasoning": {"effort": "low"}}),
        (
            "openai-responses",
            Sampling(tool_choice={"type": "function", "function": {"name": "find"}}),
            {"tool_choice": {"type": "function", "name": "find"}},
        ),
        ("qwen", Sampling(parallel_tool_calls=False), {"parallel_tool_calls": False}),
        ("mistral", Sampling(seed=3), {"random_seed": 3}),
        ("gemini", Sampling(extra_body={"parallel_tool_calls": True}), {"parallel_tool_calls": True}),
    ],
)
def test_sampling_in_the_providers_words(name: str, sampling: Sampling, expected: dict[str, Any]) -> None:
    body = body_of(name, sampling)
    assert {key: body[key] for key in expected} == expected


HISTORY = (
    Message("user", "Rain? And the time?"),
    Message("assistant", None, (ToolCall("call_0", "rain", "{}"), ToolCall("toolu_bdrk_1", "now", "{}"))),
    Message("tool", "dry", tool_call_id="call_0"),
    Message("tool", "9:00", tool_call_id="toolu_bdrk_1"),
    Message("user", "And there?"),
    Message("assistant", None, (ToolCall("functions.rain:2", "rain", "{}"),)),
    Message("tool", "wet", tool_call_id="functions.rain:2"),
    Message("assistant", None, (ToolCall("call_0", "rain", "{}"),)),  # an id of another task once more
    Message("tool", "wet", tool_call_id="call_0"),
)


@rows(
    ("model", "ids", "described"),
    [
        (
            "vllm/moonshotai/Kimi-K2-Instruct-0905",
            ["functions.rain:0", "functions.now:1", "functions.rain:2", "functions.rain:3"],
            "functions.NAME:N",
        ),
        ("openai/qwen3-8b", ["call_0", "toolu_bdrk_1", "functions.rain:2", "call_0"], None),
        ("vllm/mistralai/Mistral-Nemo-Instruct-2407", None, "nine letters and digits"),
    ],
)
def test_a_family_sees_ids_as_it_expects_them_whoever_serves_it(
    model: str, ids: list[str] | None, described: str | None
) -> None:
    opened = open_model(model, ModelOptions(base_url="http://127.0.0.1:1/v1"))
    body = json.loads(opened.body(Request("assistant", HISTORY, (TOOL,))))  # type: ignore[attr-defined]
    asked = [call["id"] for message in body["messages"] for call in message.get("tool_calls", [])]
    told = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    assert asked == told
    assert asked == ids or (ids is None and all(len(one) == 9 and one.isalnum() for one in asked))
    assert opened.describe().get("call_ids") == described
