"""One question before a run, and what tokens cost."""

from __future__ import annotations

from toolgauge.chat import Usage
from toolgauge.models.prices import cost


def test_costs() -> None:
    usage = Usage(1_000_000, 100_000)
    known = cost("openai/gpt-4o", usage)
    assert known is not None
    assert known > 0
    cached = cost("openai/gpt-4o", Usage(1_000_000, 100_000, cached_tokens=900_000))
    assert cached is not None
    assert cached < known
    assert cost("openai/a-model-that-nobody-sells", usage) is None
    assert cost("nobody/knows", usage) is None
    assert cost("builtin/oracle", usage) == 0
    assert cost("openai/gpt-4o", Usage(10, 0, cached_tokens=99)) is not None
