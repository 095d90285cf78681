"""How many tokens a text takes, without a tokenizer, and how many of them a provider's cache would serve.

The pieces are about as long as those of today's tokenizers: beside o200k_base the prompts of a generation come to 3 to
6% more in English and 0 to 8% less in Chinese. Good enough to plan with and to compare with itself; bills are counted
by the provider (`Usage`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from toolgauge.chat import Message

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
    return [piece for one in messages for piece in (*_AROUND, one.role, *_PIECE.findall(one.content or ""))]


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
