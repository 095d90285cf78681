"""`toolgauge models`: all providers in groups, keys that are here, and what is different at each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from toolgauge.cli.main import app
from toolgauge.models.provider import PROVIDERS


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


@pytest.mark.parametrize("name", PROVIDERS)
def test_one_is_explained(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = said(monkeypatch, name)
    provider = PROVIDERS[name]
    assert all(variable in shown for variable in provider.variables)
    assert all(url in shown for url in (provider.base_url or "", *provider.sites.values()))


def test_an_unknown_one_is_an_error() -> None:
    result = CliRunner().invoke(app, ["models", "nobody"])
    assert "unknown provider 'nobody'" in str(result.exception)
