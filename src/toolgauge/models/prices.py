"""What requests cost at their provider's list price (the table that genai-prices carries, no network), and about how
many tokens a text takes, without a tokenizer.

The pieces are about as long as those of today's tokenizers: beside o200k_base the prompts of a generation come to 3 to
6% more in English and 0 to 8% less in Chinese. Good enough to plan with and to compare with itself; bills are counted
by the provider (`Usage`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from typing import Any

from toolgauge.chat import Message, Usage

BATCH_PRICE_SHARE = 0.5
"""What a token costs in a batch, as a share of its list price; the same at every provider that has batches."""


def cost(model: str, usage: Usage, base_url: str | None = None) -> float | None:
    """US dollars for the tokens of a request, or None where no price is known.

    model: as the user wrote it, "openai/gpt-x". base_url: where it was asked, if that is known: at an address that is
    not its provider's own, a model costs what nobody knows, whatever its name.
    """
    return total_cost(model, (usage,), base_url)


def total_cost(model: str, usages: Sequence[Usage], base_url: str | None = None) -> float | None:
    """US dollars for several requests, or None where no price is known; see `cost`.

    Prices are those of noon: some providers have cheaper hours, and nobody knows when a stored reply was asked for.
    """
    prefix, _, name = model.partition("/")
    if prefix == "builtin":
        return 0.0
    seller = _seller(prefix, base_url)
    if seller is None:
        return None
    try:
        price = _calculated(name, seller, sum(map(_within, usages), Usage()))
        if len(usages) > 1 and not _is_linear(price.model_price):  # long requests cost more per token
            return float(sum(_calculated(name, seller, _within(usage)).total_price for usage in usages))
        return float(price.total_price)
    except Exception:  # not in the table, or the package changed: a missing price must never stop a run
        return None


def priced_name(name: str, base_url: str | None) -> str:
    """The name by which the prices of a model are known; "" where no list holds for it, asked where it was."""
    prefix = name.partition("/")[0]
    has_price = prefix == "builtin" or _seller(prefix, base_url) is not None
    return name if has_price else ""


@cache
def _seller(prefix: str, base_url: str | None) -> str | None:
    """The id in genai-prices of the one whose list holds: of a provider of the table at an address of its own."""
    from toolgauge.models.providers import find_provider

    provider = find_provider(prefix)
    if provider is None:
        return None
    addresses = {provider.base_url, *provider.sites.values()}
    elsewhere = provider.base_url is not None and base_url is not None and base_url not in addresses
    return None if elsewhere else provider.price


def _calculated(name: str, seller: str, usage: Usage) -> Any:
    import genai_prices

    counted = genai_prices.Usage(
        input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cache_read_tokens=usage.cached_tokens
    )
    noon = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
    return genai_prices.calc_price(counted, model_ref=name, provider_id=seller, genai_request_timestamp=noon)


def _within(usage: Usage) -> Usage:
    """No more tokens from the cache than there were."""
    return Usage(usage.input_tokens, usage.output_tokens, min(usage.cached_tokens, usage.input_tokens))


def _is_linear(prices: object) -> bool:
    """Is the price of several requests that of their tokens together?"""
    fields = vars(prices)
    return not fields.get("requests_kcount") and not any(hasattr(price, "tiers") for price in fields.values())


BLOCK = 128
"""Tokens: caches keep and find beginnings of requests in whole blocks."""
LEAST = 1024
"""Tokens: a shorter beginning is not served from a cache. Both as of OpenAI's prompt caching; others are alike."""
_PIECE = re.compile(r" ?[A-Za-z]{1,12}|[0-9]{1,3}|[㐀-鿿]{1,2}| ?[^\sA-Za-z0-9㐀-鿿]{1,4}|\s+")
_AROUND = ("<|message|>", "<|end|>", "\n")
"""What stands around a message in chat templates, beside its role."""


def estimated_tokens(text: str) -> int:
    """About how many tokens a text takes."""
    return len(_PIECE.findall(text))


def request_pieces(messages: Iterable[Message]) -> list[str]:
    """A request as pieces of about a token each, in the order in which a model reads it."""
    return [piece for message in messages for piece in (*_AROUND, message.role, *_PIECE.findall(message.content or ""))]


class PrefixCache:
    """The beginnings of all requests to one model, as a provider keeps them for a while."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def cached_tokens(self, pieces: Sequence[str]) -> int:
        """How many tokens at the beginning of a request stood in an earlier one just so."""
        count = 0
        for digest in _beginnings(pieces):
            if digest not in self._known:
                break
            count += BLOCK
        return count if count >= LEAST else 0

    def add(self, pieces: Sequence[str]) -> None:
        self._known.update(_beginnings(pieces))


def _beginnings(pieces: Sequence[str]) -> Iterable[bytes]:
    """A digest of each beginning of whole blocks, shortest first."""
    digest = blake2b(digest_size=16)
    for end in range(BLOCK, len(pieces) + 1, BLOCK):
        digest.update("\0".join(pieces[end - BLOCK : end]).encode("utf-8", "replace"))
        yield digest.digest()
