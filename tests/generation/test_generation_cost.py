"""Requests begin with what stays the same, and a decision that asks or answers says the words as well."""

from __future__ import annotations

from contextlib import suppress

import pytest

from tests.generation.scripted import LANGUAGES
from tests.sizes import sized
from toolgauge.chat import Request
from toolgauge.demo import ScriptedAgents
from toolgauge.episode import Episode
from toolgauge.generation.checks import CHECKS
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.paths import sample_paths, slots_of
from toolgauge.generation.setup import GenerationSetup
from toolgauge.models.builtin.models import oracle
from toolgauge.models.prices import PrefixCache, request_pieces
from toolgauge.tools.toollist import tool_library

AT_ONCE = 4
DIALOGUES = 24


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_what_a_dialogue_of_four_tasks_takes(language: str) -> None:
    """At most 26 requests and 55,000 input tokens with a judge, of which 10,000 are not served from a cache that keeps
    beginnings in whole blocks, as providers do. perf/generation_cost.py has it with texts as long as a model's."""
    requests, cache = 0, PrefixCache()
    setup, pool = GenerationSetup(language=language, checks=tuple(CHECKS)), tool_library(language)
    waiting = slots_of(sample_paths(4, DIALOGUES, 0), language)
    under_way: list[tuple[Episode, Request]] = []
    sent = served = 0
    while waiting or under_way:
        while waiting and len(under_way) < AT_ONCE:
            episode = dialogue_episode(waiting.pop(0), pool, setup, ScriptedAgents(language))
            under_way.append((episode, next(episode)))
        asked = [request_pieces(request.messages) for _, request in under_way]
        requests += len(asked)
        sent += sum(map(len, asked))
        served += sum(map(cache.cached_tokens, asked))
        going_on = []
        for (episode, request), pieces in zip(under_way, asked, strict=True):
            cache.add(pieces)
            with suppress(StopIteration):
                going_on.append((episode, episode.send(oracle(request))))
        under_way = going_on
    assert requests <= 26 * DIALOGUES
    assert sent <= 55_000 * DIALOGUES
    assert sent - served <= 10_000 * DIALOGUES
