"""Every provider of the table: its address and key, its variables, and the command that shows them."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.rows import rows
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model, registry
from toolgauge.models.provider import PROVIDERS
from toolgauge.models.providers import PLACEHOLDER_KEY, find_endpoint, split_url
from toolgauge.models.settings import Settings

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


@rows(
    "url",
    [
        "localhost:8000",
        "ftp://host/v1",
        "http://host:notaport/v1",
        "x",
        "http://h\x1b[2J/v1",
    ],
)
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


def said(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
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
    shown = said(monkeypatch)
    assert all(f"{name}/" in shown for name in PROVIDERS)
    assert re.findall(r"(\w+) \(set\)", shown) == ["MISTRAL_API_KEY", "GROQ_API_KEY"]
    assert "secret" not in shown
    groups = [shown.index(words) for words in ("Hosted by their makers", "Hosted for many", "Servers of your own")]
    assert groups == sorted(groups)
    assert groups[1] < shown.index("groq/") < groups[2] < shown.index("ollama/")


@rows("name", PROVIDERS)
def test_one_is_explained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = said(monkeypatch, name)
    provider = PROVIDERS[name]
    assert all(variable in shown for variable in provider.variables)
    assert all(url in shown for url in (provider.base_url or "", *provider.sites.values()))


def test_an_unknown_one_is_an_error() -> None:
    result = CliRunner().invoke(app, ["models", "nobody"])
    assert "unknown provider 'nobody'" in str(result.exception)
