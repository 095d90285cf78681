"""What a generated dialogue costs: requests and tokens by agent, from a cache and not.

    python perf/generation_cost.py [--slots 64] [--languages en zh] [--at-once 16]

No model and no network: scripted agents over the embedded library, over paths of four tasks that hold all kinds evenly,
every dialogue judged. Their texts are made as long as a strong model's: thoughts of some 90 words, answers of 115, 60
words in a result beside what was asked for. Tokens are estimated (models/prices.py). A cache hit is the longest
beginning in whole blocks of 128 tokens, from 1,024 on, that a request shares with an earlier one; so many dialogues are
made at once, and what is asked at the same moment is not in the cache yet.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from contextlib import suppress

from msgspec.structs import replace

from toolgauge.chat import Json, Reply, Request
from toolgauge.demo import ScriptedAgents
from toolgauge.episode import Episode
from toolgauge.generation.checks import CHECKS
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.paths import sample_paths, slots_of
from toolgauge.generation.setup import GenerationSetup
from toolgauge.models.builtin.models import oracle
from toolgauge.models.prices import PrefixCache, estimated_tokens, request_pieces
from toolgauge.tools.toollist import tool_library

THOUGHT, ANSWER, RESULT = 90, 115, 60
"""Words."""
WORDS = {
    "en": "All that is needed for this is known by now and nothing that was said so far speaks against it. ",
    "zh": "所需要的信息都已经齐备，前面说过的内容也没有与之矛盾的地方。",
}
PER_SENTENCE = {"en": 19, "zh": 17}
"""Words of that sentence, in Chinese by its meaning."""


def padding(language: str, words: int) -> str:
    return WORDS[language] * round(words / PER_SENTENCE[language])


def lengthened(request: Request, language: str) -> Reply:
    """The scripted reply, as long as a model's."""
    reply = oracle(request)
    value: Json = json.loads(reply.content or "{}")
    if "Thought" in value:
        value["Thought"] += " " + padding(language, THOUGHT)
        if value["Answer"]:
            value["Answer"] += "\n\n" + padding(language, ANSWER)
    for one in value.get("Observation_List", ()):
        one["response"]["remarks"] = padding(language, RESULT)
    return replace(reply, content=json.dumps(value, ensure_ascii=False))


def measured(language: str, slots: int, at_once: int) -> tuple[Counter[str], Counter[str], Counter[str], int]:
    """Requests and input tokens by role, totals (input, cached, output), and how many dialogues were accepted."""
    setup, pool, cache = GenerationSetup(language=language, checks=tuple(CHECKS)), tool_library(language), PrefixCache()
    waiting, accepted = slots_of(sample_paths(4, slots, 0), language), 0
    under_way: list[tuple[Episode, Request]] = []
    requests, tokens, totals = Counter[str](), Counter[str](), Counter[str]()
    while waiting or under_way:
        while waiting and len(under_way) < at_once:
            episode = dialogue_episode(waiting.pop(0), pool, setup, ScriptedAgents(language))
            under_way.append((episode, next(episode)))
        asked = [request_pieces(request.messages) for _, request in under_way]
        served = [cache.cached_tokens(pieces) for pieces in asked]
        going_on = []
        for (episode, request), pieces, cached in zip(under_way, asked, served, strict=True):
            cache.add(pieces)
            reply = lengthened(request, language)
            schema = request.reply_schema.name if request.reply_schema else ""
            role = "judge" if schema == "JudgeReply" else request.role
            requests[role] += 1
            tokens[role] += len(pieces)
            totals[f"fresh {role}"] += len(pieces) - cached
            totals.update(input=len(pieces), cached=cached, output=estimated_tokens(reply.content or ""))
            with suppress(StopIteration):
                going_on.append((episode, episode.send(reply)))
                continue
            accepted += 1
        under_way = going_on
    return requests, tokens, totals, accepted


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--slots", type=int, default=64)
    arguments.add_argument("--languages", nargs="+", default=["en", "zh"])
    arguments.add_argument("--at-once", type=int, default=16)
    asked = arguments.parse_args()
    for language in asked.languages:
        requests, tokens, totals, made = measured(language, asked.slots, asked.at_once)
        print(f"{language}: per dialogue of four tasks ({made} dialogues)")
        print(f"  requests {sum(requests.values()) / made:.1f}, output {totals['output'] / made:,.0f}")
        fresh = (totals["input"] - totals["cached"]) / made
        print(f"  input {totals['input'] / made:,.0f}, not from a cache {fresh:,.0f}")
        for role, count in requests.most_common():
            each, fresh = tokens[role] / made, totals[f"fresh {role}"] / made
            print(f"  {role:8} {count / made:5.1f} requests {each:10,.0f} tokens, {fresh:,.0f} not cached")


if __name__ == "__main__":
    main()
