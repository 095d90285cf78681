"""The key of one provider is not told another one, whoever plays which role."""

from __future__ import annotations

import pytest

from toolgauge.generation import model_roles
from toolgauge.generation.model_roles import open_models
from toolgauge.models import ModelOptions
from toolgauge.models.providers import endpoint_of
from toolgauge.runs.roles import as_roles


@pytest.fixture(autouse=True)
def keys_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "MOONSHOT_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MOONSHOT_API_KEY", "key-for-moonshot")


def keys(everybody: str, roles: dict[str, str], **options: str) -> dict[str, str]:
    asked = ModelOptions(api_key="key-of-option", **options)  # type: ignore[arg-type]
    models = open_models(everybody, as_roles(roles), asked, 0)
    found = {member: endpoint_of(model) for member, model in models.members.items()}
    return {member: endpoint.api_key for member, endpoint in found.items() if endpoint}


def test_another_provider_gets_its_own_key() -> None:
    assert keys("openai/a", {"user": "moonshot/b", "checker": "openai/c"}) == {
        "user": "key-for-moonshot",
        "planner": "key-of-option",
        "tool": "key-of-option",
        "agent": "key-of-option",
        "checker": "key-of-option",
    }


def test_so_does_another_site(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys("moonshot/a", {"agent": "moonshot-cn/a"})["agent"] == "key-for-moonshot"
    assert keys("moonshot/a", {"agent": "kimi/a"})["agent"] == "key-of-option"


def test_all_are_at_the_address_that_is_given_for_all() -> None:
    found = keys("openai/a", {"user": "moonshot/b"}, base_url="http://mine/v1")
    assert set(found.values()) == {"key-of-option"}


def test_a_role_at_an_address_of_its_own_is_not_told_the_key() -> None:
    assert keys("moonshot/a", {"tool": "moonshot/a@http://mine/v1"})["tool"] == "key-for-moonshot"


def test_providers_that_a_package_brings() -> None:
    assert model_roles._same_provider("mine/a", "mine/b")
    assert not model_roles._same_provider("mine/a", "openai/b")
