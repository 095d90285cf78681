"""What tokens cost, where anybody knows."""

from __future__ import annotations

from tests.rows import rows
from toolgauge.chat import Usage
from toolgauge.models.prices import cost, priced_name

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
