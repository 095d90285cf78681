"""What a generated dialogue costs: requests and tokens by role, cached ones, and what goes into rejected attempts.

    python perf/generation_cost.py [--slots 64] [--languages en zh] [--at-once 16]

No model and no network: scripted agents over the embedded library, over paths of four tasks that hold all kinds evenly.
They are made to write as a strong model did (`StrongModel`): with the habits of real models, thoughts of 60 to 120
words, answers of 80 to 150, results of the usual size; and with faults at the rates of `FAULTS`, so that a third of the
attempts were rejected before there was local repair. The rates are chosen so that the version of 2026-11-23 comes near
what it cost with that model: 36 requests and 98,000 input tokens per accepted dialogue.

Tokens are estimated (models/prices.py). All roles are played by one model. A cache hit is the longest beginning
in whole blocks of 128 tokens, from 1,024 on, that a request shares with an earlier one; so many dialogues are made at
once, and what is asked at the same moment is not in the cache yet.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field

from strong_model import StrongModel
from toolgauge.chat import Reply, Request, Usage
from toolgauge.demo import LibraryAgents
from toolgauge.episode import Episode, Trajectory
from toolgauge.generation.attempts import attempts_of
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import DEFAULTS
from toolgauge.generation.paths import sample_paths, slots_of
from toolgauge.generation.setup import GenerationSetup
from toolgauge.models.prices import PrefixCache, estimated_tokens, request_pieces
from toolgauge.tools.toollist import tool_library

ROLES = ("user", "planner", "ablation", "tool", "agent", "checker")


class Conversation(Struct):
    """A slot under way: what each request of it took, by the name of the role."""

    episode: Episode
    request: Request
    spent: list[tuple[str, Usage]] = field(default_factory=list)


class Costs(Struct):
    """Of many slots. wasted: in rejected attempts; reasons: why attempts were rejected."""

    slots: int = 0
    accepted: int = 0
    attempts: int = 0
    requests: Counter[str] = field(default_factory=Counter)
    usage: dict[str, Usage] = field(default_factory=dict)
    wasted: Usage = Usage()
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, trajectory: Trajectory, spent: list[tuple[str, Usage]]) -> None:
        """Count a finished slot."""
        attempts = attempts_of(trajectory)
        self.slots += 1
        self.accepted += bool(trajectory.extra["accepted"])
        self.attempts += len(attempts)
        begun = 0
        for attempt in attempts:
            if isinstance(attempt.failed, str):
                self.reasons[attempt.failed] += 1
                self.wasted = sum((usage for _, usage in spent[begun : attempt.steps]), self.wasted)
            begun = attempt.steps
        for (_, usage), step in zip(spent, trajectory.steps, strict=True):
            name = "ablation" if step.agent == "planner_ablation" else step.role
            self.requests[name] += 1
            self.usage[name] = self.usage.get(name, Usage()) + usage

    @property
    def total(self) -> Usage:
        return sum(self.usage.values(), Usage())


def played(language: str, count: int, at_once: int, seed: int) -> Costs:
    """Make `count` dialogues, `at_once` at a time."""
    setup = GenerationSetup(language=language, filters=DEFAULTS, seed=seed)
    pool, agents = tool_library(language), StrongModel(LibraryAgents(language), language)
    waiting = list(reversed(slots_of(sample_paths(4, count, seed), language)))
    cache, costs = PrefixCache(), Costs()
    under_way: list[Conversation] = []
    while waiting or under_way:
        while waiting and len(under_way) < at_once:
            episode = dialogue_episode(waiting.pop(), pool, setup, agents)
            under_way.append(Conversation(episode, next(episode)))
        asked = [request_pieces(one.request.messages) for one in under_way]
        hits = [cache.cached_tokens(pieces) for pieces in asked]
        going_on = []
        for one, pieces, hit in zip(under_way, asked, hits, strict=True):
            cache.add(pieces)
            reply = answer(one.request)
            one.spent.append((one.request.role, Usage(len(pieces), output_tokens(reply), hit)))
            try:
                one.request = one.episode.send(reply)
                going_on.append(one)
            except StopIteration as end:
                costs.add(end.value, one.spent)
        under_way = going_on
    return costs


def answer(request: Request) -> Reply:
    assert request.gold_hint is not None
    return request.gold_hint.reply


def output_tokens(reply: Reply) -> int:
    return estimated_tokens(reply.content or "") + estimated_tokens(reply.reasoning or "")


def lines(language: str, costs: Costs) -> Iterator[str]:
    """The figures per accepted dialogue."""
    per, total = max(costs.accepted, 1), costs.total
    yield (f"{language}: {costs.accepted} of {costs.slots} slots accepted in {costs.attempts} attempts; "
           f"per accepted dialogue:")  # fmt: skip
    yield f"  {'':10}{'requests':>10}{'input':>10}{'cached':>10}{'share':>8}{'output':>10}"
    rows = [(name, costs.requests[name], costs.usage[name]) for name in ROLES if name in costs.usage]
    for name, requests, usage in [*rows, ("all", sum(costs.requests.values()), total)]:
        share = usage.cached_tokens / usage.input_tokens
        yield (f"  {name:10}{requests / per:10.1f}{usage.input_tokens / per:10,.0f}{usage.cached_tokens / per:10,.0f}"
               f"{share:8.0%}{usage.output_tokens / per:10,.0f}")  # fmt: skip
    yield f"  in rejected attempts: {costs.wasted.input_tokens / total.input_tokens:.0%} of the input"
    reasons = ", ".join(f"{reason} {count}" for reason, count in costs.reasons.most_common())
    yield f"  rejected attempts: {sum(costs.reasons.values())} of {costs.attempts}: {reasons or 'none'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slots", type=int, default=64, help="per language")
    parser.add_argument("--languages", nargs="+", default=["en", "zh"])
    parser.add_argument("--at-once", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    for language in chosen.languages:
        print("\n".join(lines(language, played(language, chosen.slots, chosen.at_once, chosen.seed))))


if __name__ == "__main__":
    main()
