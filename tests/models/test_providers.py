"""Every provider of the table: address, key, variables, `.env`, quirks, names, prices, and the command for it."""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.rows import rows
from toolgauge.chat import Message, Request, Tool, ToolCall, Usage
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, Sampling, open_model, registry
from toolgauge.models.formats import find_format, speaks_responses
from toolgauge.models.prices import cost, priced_name
from toolgauge.models.provider import PROVIDERS, Quirks
from toolgauge.models.provider_adapter import BRIDGE, shape
from toolgauge.models.providers import PLACEHOLDER_KEY, Endpoint, find_endpoint, find_provider, split_url
from toolgauge.models.schemas import openapi_schema
from toolgauge.models.settings import Settings, known_names, read_env_file, settings

OPENAI, AZURE = PROVIDERS["openai"], PROVIDERS["azure"]


def test_options_win_over_variables_and_these_over_the_table() -> None:
    known = Settings({"OPENAI_API_KEY": "from-variable", "OPENAI_BASE_URL": "http://variable/v1"})
    given = find_endpoint(OPENAI, ModelOptions(base_url="http://option/v1/", api_key="from-option"), known)
    assert (given.base_url, given.api_key) == ("http://option/v1", "from-option")
    given = find_endpoint(OPENAI, ModelOptions(), known)
    assert (given.base_url, given.api_key) == ("http://variable/v1", "from-variable")
    given = find_endpoint(OPENAI, ModelOptions(), Settings({"OPENAI_API_KEY": "k-123"}))
    assert (given.base_url, given.length_field) == ("https://api.openai.com/v1", "max_completion_tokens")


def test_a_server_of_ones_own_needs_no_key_and_gets_the_older_length_field() -> None:
    given = find_endpoint(OPENAI, ModelOptions(base_url="http://localhost:8000/v1"), Settings({}))
    assert (given.api_key, given.length_field, given.secrets) == (PLACEHOLDER_KEY, "max_tokens", ())


@rows(
    ("provider", "known", "words"),
    [
        (OPENAI, {}, ("OPENAI_API_KEY", "api_key")),
        (OPENAI, {"OPENAI_API_KEY": "  "}, ("OPENAI_API_KEY", "api_key")),
        (AZURE, {}, ("AZURE_OPENAI_ENDPOINT", "base-url")),
        (AZURE, {"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com"}, ("AZURE_OPENAI_API_KEY", "api_key")),
    ],
)
def test_what_is_missing_is_named_with_its_field(provider: Any, known: dict[str, str], words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as caught:
        find_endpoint(provider, ModelOptions(), Settings(known))
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


@rows("source", ["OPENAI_API_KEY", "OPENAI_API_KEY in .env"])
@rows("key", ["schlüssel", "two\nlines", "tab\there"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str, source: str) -> None:
    given = {"OPENAI_API_KEY": key}
    known = Settings({}, given) if source.endswith(".env") else Settings(given)
    with pytest.raises(UsageError) as caught:
        find_endpoint(OPENAI, ModelOptions(), known)
    assert key not in str(caught.value)
    assert f"the key ({source}) contains" in str(caught.value)


@rows("url", ["localhost:8000", "ftp://host/v1", "http://host:notaport/v1", "x", "http://h\x1b[2J/v1"])
def test_unusable_base_urls(url: str) -> None:
    with pytest.raises(UsageError, match="base URL"):
        split_url(url)


def test_a_base_url_is_parted_from_its_secrets() -> None:
    url, headers, query, secrets = split_url("https://me:p%40ss@[::1]:8443/api/v1/?team=a#x")
    assert (url, query, secrets) == ("https://[::1]:8443/api/v1", {"team": "a"}, ("p@ss",))
    assert headers["Authorization"].startswith("Basic ")


@rows(
    ("spec", "words"),
    [
        ("gpt-5", "provider/model"),
        ("", "provider/model"),
        ("opnai/gpt-5", "did you mean 'openai'"),
        ("builtin/orakel", "unknown built-in model"),
        ("builtin/oracle?seed=1", "unknown setting 'seed'"),
        ("builtin/noisy?rate=nan", "between 0 and 1"),
        ("builtin/scripted", "file missing"),
        ("builtin/scripted?file=/nowhere/at/all.jsonl", "cannot read"),
    ],
)
def test_names_that_open_nothing(spec: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        open_model(spec)
    assert "\n" not in str(caught.value)


class Mine:
    """A model that a package of somebody else's registers."""

    def __init__(self, rest: str, options: ModelOptions) -> None:
        self.name = f"mine/{rest}"


def broken(rest: str, options: ModelOptions) -> None:
    raise RuntimeError("no GPU here")


def test_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint(name, f"{__name__}:{what}", registry.GROUP) for name, what in [("mine", "Mine"), ("bad", "broken")]
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.GROUP else [])
    assert open_model("mine/a/b").name == "mine/a/b"
    with pytest.raises(UsageError, match="no GPU here"):
        open_model("bad/x")


def shown_by(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setenv("COLUMNS", "160")
    result = CliRunner().invoke(app, ["models", *arguments])
    assert result.exit_code == 0, result.exception
    return result.output


@pytest.fixture(autouse=True)
def no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for provider in PROVIDERS.values():
        for name in provider.variables:
            monkeypatch.delenv(name, raising=False)


def test_all_are_listed_with_the_keys_that_are_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MISTRAL_API_KEY", "secret-of-mistral")
    Path(".env").write_text("GROQ_API_KEY=secret-of-groq\n")
    shown = shown_by(monkeypatch)
    assert all(f"{name}/" in shown for name in PROVIDERS)
    assert re.findall(r"(\w+) \(set\)", shown) == ["MISTRAL_API_KEY", "GROQ_API_KEY"]
    assert "secret" not in shown
    groups = [shown.index(words) for words in ("Hosted by their makers", "Hosted for many", "Servers of your own")]
    assert groups == sorted(groups)
    assert groups[1] < shown.index("groq/") < groups[2] < shown.index("ollama/")


@rows("name", PROVIDERS)
def test_one_is_explained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_by(monkeypatch, name)
    provider = PROVIDERS[name]
    assert all(variable in shown for variable in provider.variables)
    assert all(url in shown for url in (provider.base_url or "", *provider.sites.values()))


def test_an_unknown_one_is_an_error() -> None:
    result = CliRunner().invoke(app, ["models", "nobody"])
    assert "unknown provider 'nobody'" in str(result.exception)


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


FIND = Tool("find", "Finds.", {"type": "object", "properties": {}})


def body_of(name: str, sampling: Sampling) -> dict[str, Any]:
    endpoint = find_endpoint(PROVIDERS[name], ModelOptions(api_key="k"), Settings({}))
    body = find_format("m", endpoint, sampling).body(Request("assistant", (Message("user", "?"),), (FIND,)))
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
    body = json.loads(opened.body(Request("assistant", HISTORY, (FIND,))))  # type: ignore[attr-defined]
    asked = [call["id"] for message in body["messages"] for call in message.get("tool_calls", [])]
    told = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    assert asked == told
    assert asked == ids or (ids is None and all(len(one) == 9 and one.isalnum() for one in asked))
    assert opened.describe().get("call_ids") == described


URL, OTHER = "http://file/v1", "http://shell/v1"
FILE_URL = {"OPENAI_BASE_URL": URL}
FILE_KEY = {"OPENAI_API_KEY": "key-of-file"}
SHELL_URL = {"OPENAI_BASE_URL": OTHER}
SHELL_KEY = {"OPENAI_API_KEY": "key-of-shell"}


@pytest.fixture(autouse=True)
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in known_names():
        monkeypatch.delenv(name, raising=False)


def found(shell: dict[str, str], file: dict[str, str], **options: Any) -> Endpoint:
    return find_endpoint(PROVIDERS["openai"], ModelOptions(**options), Settings(shell, file))


@rows(
    ("shell", "file", "options", "reached"),
    [
        ({}, FILE_KEY, {}, ("https://api.openai.com/v1", "key-of-file")),
        (SHELL_KEY, FILE_KEY, {}, ("https://api.openai.com/v1", "key-of-shell")),
        (SHELL_KEY, FILE_KEY | FILE_URL, {}, (URL, "key-of-file")),
        (SHELL_KEY | SHELL_URL, FILE_KEY | FILE_URL, {}, (OTHER, "key-of-shell")),
        ({}, FILE_URL, {}, (URL, PLACEHOLDER_KEY)),
        (SHELL_KEY, FILE_URL, {"base_url": "http://option/v1"}, ("http://option/v1", "key-of-shell")),
        ({}, FILE_URL, {"base_url": "http://option/v1", "api_key": "k-option"}, ("http://option/v1", "k-option")),
    ],
)
def test_what_goes_together(
    shell: dict[str, str], file: dict[str, str], options: dict[str, str], reached: tuple[str, str]
) -> None:
    endpoint = found(shell, file, **options)
    assert (endpoint.base_url, endpoint.api_key) == reached


@rows(
    ("shell", "file", "options", "name"),
    [
        (SHELL_KEY, FILE_URL, {}, "OPENAI_API_KEY"),
        ({}, FILE_URL, {"api_key": "key-of-option"}, "endpoint.api_key"),
        ({}, FILE_URL | FILE_KEY, {"api_key": "key-of-option"}, "endpoint.api_key"),
    ],
)
def test_an_address_of_the_file_gets_no_key_from_elsewhere(
    shell: dict[str, str], file: dict[str, str], options: dict[str, str], name: str
) -> None:
    with pytest.raises(UsageError) as caught:
        found(shell, file, **options)
    said = str(caught.value)
    assert all(word in said for word in ("OPENAI_BASE_URL in .env", name, "--base-url"))
    assert "\n" not in said
    assert "key-of" not in said


def test_only_in_this_folder_only_known_names_and_nothing_is_expanded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_MINE", "do-not-show")
    lines = ["PATH=/evil", "HTTPS_PROXY=http://evil", "TOOLGAUGE_CACHE=/evil", "export GROQ_API_KEY='g'  # mine"]
    Path(".env").write_text("\n".join([*lines, "OPENAI_BASE_URL=http://evil/${SECRET_OF_MINE}/v1"]))
    known = settings()
    assert known.file.keys() == {"GROQ_API_KEY", "OPENAI_BASE_URL"}
    assert known.file["GROQ_API_KEY"] == "g"
    with pytest.raises(UsageError, match=r"\.env: OPENAI_BASE_URL: variables are not expanded") as caught:
        find_endpoint(PROVIDERS["openai"], ModelOptions(), known)
    assert "do-not-show" not in str(caught.value)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert settings().file == {}


def test_the_shell_wins() -> None:
    Path(".env").write_text("OPENAI_API_KEY=of-file\nGEMINI_API_KEY=of-file\n")
    known = Settings({"OPENAI_API_KEY": "of-shell", "GOOGLE_API_KEY": "of-shell"}, read_env_file(Path(".env")))
    for name in ("openai", "gemini"):
        assert find_endpoint(PROVIDERS[name], ModelOptions(), known).api_key == "of-shell"
    assert "of-shell" not in repr(known) + repr(known.find(("OPENAI_API_KEY",)))


@rows(
    ("content", "words"),
    [
        (b"OPENAI_API_KEY=\xff\xfe\n", "not UTF-8"),
        (b"A=1\n" * 100_000, "larger than"),
        (b"A=1\nOPENAI_API_KEY 'sk-do-not-show\n", ".env:2: invalid line"),
    ],
)
def test_content_of_no_use_is_one_line(content: bytes, words: str) -> None:
    Path(".env").write_bytes(content)
    with pytest.raises(UsageError, match=words) as caught:
        settings()
    assert str(caught.value).split(":")[0] in (".env", "cannot read .env")
    assert "do-not-show" not in str(caught.value)


def test_what_is_no_file_is_not_opened() -> None:
    os.mkfifo(".env")
    with pytest.raises(UsageError, match="is a pipe"):
        settings()
    Path(".env").unlink()
    Path("target").write_text("OPENAI_API_KEY=k\n")
    for target in ("target", "/dev/zero", "nowhere", ".env"):
        Path(".env").symlink_to(target)
        with pytest.raises(UsageError, match="is a symbolic link"):
            settings()
        Path(".env").unlink()
    Path(".env").mkdir()  # a virtual environment of that name
    assert settings().file == {}


MUCH = Usage(1_000_000, 100_000)


@rows(
    ("model", "base_url", "known"),
    [
        ("anthropic/claude-sonnet-4-5", "https://api.anthropic.com/v1", True),
        ("openrouter/openai/gpt-4o", None, True),
        ("azure/gpt-4o", "https://me.openai.azure.com", True),
        ("openai/gpt-4o", "http://localhost:8000/v1", False),
        ("openai/gpt-oss-120b", "http://localhost:8000/v1", False),
        ("vllm/gpt-4o", None, False),
        ("qwen/gpt-4o", None, False),
        ("gpt-4o", None, False),
    ],
)
def test_a_price_holds_where_it_is_asked_by_its_seller(model: str, base_url: str | None, known: bool) -> None:
    assert (cost(model, MUCH, base_url) is not None) is known
    assert (priced_name(model, base_url) == model) is known


def test_what_is_read_from_a_cache_costs_less() -> None:
    known = cost("openai/gpt-4o", MUCH)
    cached = cost("openai/gpt-4o", Usage(1_000_000, 100_000, cached_tokens=900_000))
    assert known
    assert cached
    assert 0 < cached < known
    assert cost("openai/a-model-that-nobody-sells", MUCH) is cost("nobody/knows", MUCH) is None
    assert cost("builtin/oracle", MUCH) == 0
    assert cost("openai/gpt-4o", Usage(10, 0, cached_tokens=99)) is not None
