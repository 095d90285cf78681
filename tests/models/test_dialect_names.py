"""Names of dialects, and that no dialect is told where models of like names write differently."""

from __future__ import annotations

import pytest

from toolgauge.errors import UsageError
from toolgauge.models import ModelOptions, open_model
from toolgauge.models.dialects.registry import ALIASES, DIALECTS, choose_dialect, dialect_for, find_dialect

UNSURE = [
    "openai/gpt-4o",
    "Qwen/Qwen3.5-9B-Base",
    "qwen/qwen3-coder-plus",  # of the endpoint alone, with calls of its own
    "Qwen/Qwen2.5-Coder-7B-Instruct",  # often writes code blocks instead
    "Qwen/Qwen2-7B-Instruct",
    "meta-llama/Llama-3.2-3B-Instruct",  # JSON or Python, by the prompt
    "meta-llama/Meta-Llama-3-8B-Instruct",
    "nvidia/Llama-3.1-Nemotron-70B-Instruct",
    "mistralai/Mixtral-8x7B-Instruct-v0.1",
    "mistralai/Mistral-7B-Instruct-v0.2",
    "MadeAgents/Hammer2.0-7b",
    "my-finetune-of-Qwen2.5-7B-Instruct",
    "mock",
    "",
    "/",
    "builtin/oracle",
]


@pytest.mark.parametrize("model", UNSURE)
def test_a_name_that_does_not_tell(model: str) -> None:
    assert dialect_for(model) is None
    with pytest.raises(UsageError, match=r"no dialect known .* choose one .*: hermes, "):
        choose_dialect("AUTO", model)


def test_names_and_aliases() -> None:
    assert find_dialect(" Hermes ").name == "hermes"
    assert find_dialect("qwen2.5") is DIALECTS["hermes"]
    assert {find_dialect(alias).name for alias in ALIASES} <= set(DIALECTS)
    assert not set(ALIASES) & set(DIALECTS)
    for name, dialect in DIALECTS.items():
        assert dialect.name == name == name.lower()
        assert dialect.title
    with pytest.raises(UsageError, match=r"no dialect 'hermess' \(did you mean hermes\?\); known: auto, hermes, "):
        find_dialect("hermess")


def test_the_model_is_opened_with_its_dialect() -> None:
    reached = ModelOptions(base_url="http://127.0.0.1:1/v1", dialect="auto")
    model = open_model("openai/Qwen/Qwen3-8B", reached)
    assert (model.name, model.describe()["dialect"]) == ("openai/Qwen/Qwen3-8B", "qwen3")
    with pytest.raises(UsageError, match="does not tell"):
        open_model("openai/mock", reached)
