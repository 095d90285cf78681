"""What a request costs at its provider's list price, from the table that genai-prices carries (no network)."""

from __future__ import annotations

from toolgauge.chat import Usage

KNOWN_PREFIXES = frozenset({"openai", "azure"})


def cost(model: str, usage: Usage) -> float | None:
    """US dollars for the tokens, or None where no price is known. model: as the user wrote it, "openai/gpt-x"."""
    prefix, _, rest = model.partition("/")
    if prefix == "builtin":
        return 0.0
    try:
        import genai_prices

        counted = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        )
        provider = prefix if prefix in KNOWN_PREFIXES else None
        return float(genai_prices.calc_price(counted, model_ref=rest or model, provider_id=provider).total_price)
    except Exception:  # not in the table, or the package changed: a missing price must never stop a run
        return None
