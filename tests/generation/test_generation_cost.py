"""Requests share their beginnings, and a decision that asks or answers says the words as well."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import msgspec
import pytest

from tests.sizes import sized
from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.chat import Reply, Request
from toolgauge.demo import LibraryAgents
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import DEFAULTS
from toolgauge.generation.paths import sample_paths, slots_of
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.models.builtin.models import oracle
from toolgauge.models.prices import PrefixCache, request_pieces
from toolgauge.tools.toollist import tool_library

LANGUAGES = ("en", "zh")
AT_ONCE = 4
PATH = ("clarify", "single", "chat")


@pytest.mark.parametrize("language", LANGUAGES[: sized(1, 2)])
def test_most_of_what_is_sent_was_sent_before(language: str) -> None:
    """At least 85 % of the input comes from a cache that keeps beginnings in whole blocks, as providers do, with
    several dialogues under way at once; a dialogue of four tasks takes at most 50,000 tokens.

    perf/generation_cost.py has it with longer texts and with faults."""
    count, cache = sized(32, 96), PrefixCache()
    setup, pool = GenerationSetup(language, filters=DEFAULTS), tool_library(language)
    waiting = slots_of(sample_paths(4, count, 0), language)
    under_way: list[tuple[Episode, Request]] = []
    sent = served = 0
    while waiting or under_way:
        while waiting and len(under_way) < AT_ONCE:
            episode = dialogue_episode(waiting.pop(0), pool, setup, LibraryAgents(language))
            under_way.append((episode, next(episode)))
        asked = [request_pieces(request.messages) for _, request in under_way]
        sent += sum(map(len, asked))
        served += sum(map(cache.cached_tokens, asked))
        going_on = []
        for (episode, request), pieces in zip(under_way, asked, strict=True):
            cache.add(pieces)
            with suppress(StopIteration):
                going_on.append((episode, episode.send(oracle(request))))
        under_way = going_on
    assert served >= 0.85 * sent
    assert sent <= 50_000 * count


def made(language: str, play: Callable[[Request], Reply] = oracle, planner_answers: bool = True) -> Trajectory:
    setup = GenerationSetup(language, vague=0.0, filters=DEFAULTS, planner_answers=planner_answers)
    slot = Slot(f"{language}-cost", PATH)
    return drive(dialogue_episode(slot, tool_library(language), setup, LibraryAgents(language)), play)


def dialogue_of(trajectory: Trajectory) -> Dialogue:
    assert trajectory.extra["accepted"], trajectory.extra["attempts"]
    return msgspec.convert(trajectory.extra["dialogue"], Dialogue)


def spoken(dialogue: Dialogue) -> list[tuple[str, str]]:
    return [(entry.agent, entry.text) for entry in dialogue.kept if entry.speaker is Speaker.AGENT]


def changed(play: Callable[[object], object]) -> Callable[[Request], Reply]:
    """The scripted replies with another answer in the planner's decisions. play: of the answer that stands there."""

    def reply_to(request: Request) -> Reply:
        reply = oracle(request)
        if request.role != "planner":
            return reply
        value = json.loads((reply.content or "").partition("```json\n")[2].rpartition("\n```")[0])
        value["Answer"] = play(value["Answer"])
        return Reply(json.dumps(value))

    return reply_to


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_model_says_the_words_with_its_decision(language: str) -> None:
    """The dialogue is the same as where the assistant is asked, with a request less for every message of it."""
    together, apart = made(language), made(language, planner_answers=False)
    agents = [agent for agent, _ in spoken(dialogue_of(together))]
    assert agents == ["agent_ask", "agent_answer", "agent_answer", "agent_answer_chat"]
    assert [agent for agent, _ in spoken(dialogue_of(apart))] == agents
    assert [step.role for step in together.steps].count("agent") == 0
    assert [step.role for step in apart.steps].count("agent") == len(agents)
    assert len(together.steps) == len(apart.steps) - len(agents)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "   ",
        None,
        7,
        ["x"],
        "User: no",
        "The user wants to know where it is.",
        "[your reply]",
        "```\n```",
    ],
)
def test_an_answer_that_cannot_be_used_is_asked_for(answer: object) -> None:
    trajectory = made("en", changed(lambda _: answer))
    assert [step.role for step in trajectory.steps].count("agent") == 4
    assert spoken(dialogue_of(trajectory)) == spoken(dialogue_of(made("en", planner_answers=False)))
