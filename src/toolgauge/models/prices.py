"""What a request costs at its provider's list price, from the table that genai-prices carries (no network)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from toolgauge.chat import Usage

KNOWN_PREFIXES = frozenset({"openai", "azure"})


def cost(model: str, usage: Usage) -> float | None:
    """US dollars for the tokens of a request, or None where no price is known.

    model: as the user wrote it, "openai/gpt-x".
    """
    return total_cost(model, (usage,))


def total_cost(model: str, usages: Sequence[Usage]) -> float | None:
    """US dollars for several requests, or None where no price is known.

    Prices are those of noon: some providers have cheaper hours, and nobody knows when a stored reply was asked for.
    """
    prefix, _, rest = model.partition("/")
    if prefix == "builtin":
        return 0.0
    try:
        found = _calculated(rest or model, prefix, sum(map(_within, usages), Usage()))
        if len(usages) > 1 and not _is_linear(found.model_price):  # long requests cost more per token
            return float(sum(_calculated(rest or model, prefix, _within(usage)).total_price for usage in usages))
        return float(found.total_price)
    except Exception:  # not in the table, or the package changed: a missing price must never stop a run
        return None


def _calculated(name: str, prefix: str, usage: Usage) -> Any:
    import genai_prices

    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=usage.cached_tokens
    )
    provider = prefix if prefix in KNOWN_PREFIXES else None
    noon = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    return genai_prices.calc_price(counted, model_ref=name, provider_id=provider, genai_request_timestamp=noon)


def _within(usage: Usage) -> Usage:
    """No more tokens from the cache than there were."""
    return Usage(usage.input_tokens, usage.output_tokens, min(usage.cached_tokens, usage.input_tokens))


def _is_linear(prices: Any) -> bool:
    """Is the price of several requests that of their tokens together?"""
    fields = vars(prices)
    return not fields.get("requests_kcount") and not any(hasattr(price, "tiers") for price in fields.values())
