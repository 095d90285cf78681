"""Names of dialects, and that no dialect is told where models of like names write differently."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.dialects.table import ALIASES, DIALECTS, find_dialect

ROOT = Path(__file__).parents[2]


def test_names_and_aliases() -> None:
    assert find_dialect(" Hermes ").name == "hermes"
    assert find_dialect("qwen2.5") is DIALECTS["hermes"]
    assert {find_dialect(alias).name for alias in ALIASES} <= set(DIALECTS)
    assert not set(ALIASES) & set(DIALECTS)
    for name, dialect in DIALECTS.items():
        assert dialect.name == name == name.lower()
    with pytest.raises(UsageError, match=r"'hermess'; did you mean 'hermes'\? Choose one of auto, hermes, "):
        find_dialect("hermess")


def test_the_documentation_has_every_dialect_with_its_title_and_place_of_results() -> None:
    page = (ROOT / "docs" / "dialects.md").read_text("utf-8")
    for name, dialect in DIALECTS.items():
        assert re.search(rf"^\| `{re.escape(name)}`[^|]*\| {re.escape(dialect.title)} \|", page, re.MULTILINE), name
    listed = re.search(r"has a place for them\s+\((.*?)\)", page, re.DOTALL)
    assert listed is not None
    assert set(re.findall("`(.*?)`", listed[1])) == {
        name for name, dialect in DIALECTS.items() if dialect.results_in != "user"
    }


def test_the_model_is_opened_with_its_dialect() -> None:
    reached = ModelOptions(base_url="http://127.0.0.1:1/v1", dialect="auto")
    model = open_model("openai/Qwen/Qwen3-8B", reached)
    assert (model.name, model.describe()["dialect"]) == ("openai/Qwen/Qwen3-8B", "hermes")
    with pytest.raises(UsageError, match="no dialect known"):
        open_model("openai/mock", reached)
