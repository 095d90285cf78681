"""Requests share their beginnings, and a decision that asks or answers says the words as well."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

import toolgauge
from tests.sizes import sized
from toolgauge.annotation.dialogue import Dialogue, Speaker
from toolgauge.chat import Message, Reply, Request
from toolgauge.demo import LibraryAgents
from toolgauge.episode import Episode, Trajectory, drive
from toolgauge.errors import UsageError
from toolgauge.generation.agents.planner import read_planner, whole_text
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import DEFAULTS
from toolgauge.generation.formats.agent_traces import captures
from toolgauge.generation.formats.raw import raw_record
from toolgauge.generation.formats.simplified import simplified
from toolgauge.generation.paths import sample_paths, slots_of
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.models.builtin.models import oracle
from toolgauge.models.token_estimate import BLOCK, LEAST, PrefixCache, estimated_tokens, request_pieces
from toolgauge.tools.library import tool_library

LANGUAGES = ("en", "zh")
AT_ONCE = 4
PATH = ("clarify", "single", "chat")


@pytest.mark.parametrize("language", LANGUAGES)
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


def test_a_cache_serves_whole_blocks_of_what_begins_alike() -> None:
    cache = PrefixCache()
    pieces = [str(number) for number in range(LEAST + 2 * BLOCK + 5)]
    assert cache.cached_tokens(pieces) == 0
    cache.add(pieces)
    assert cache.cached_tokens(pieces) == LEAST + 2 * BLOCK
    assert cache.cached_tokens([*pieces[: LEAST + BLOCK + 7], "other", *pieces]) == LEAST + BLOCK
    assert cache.cached_tokens([*pieces[: LEAST - 1], "other", *pieces]) == 0, "too short a beginning"
    assert cache.cached_tokens(["other", *pieces]) == 0
    assert cache.cached_tokens([]) == 0


def test_tokens_are_estimated_in_both_languages() -> None:
    assert estimated_tokens("") == 0
    assert estimated_tokens("What is the weather in Oslo tomorrow?") == 8
    assert estimated_tokens("明天奥斯陆的天气怎么样？") == 7
    assert len(request_pieces([Message("user", "Hello"), Message("assistant", None)])) == 9


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


def test_what_stands_around_an_answer_is_taken_away() -> None:
    around = changed(lambda words: f"Here is the reply for the user:\n\nAgent: {words}" if words else "Nothing to say.")
    assert spoken(dialogue_of(made("en", around))) == spoken(dialogue_of(made("en")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_files_show_the_answer_as_the_assistants(language: str) -> None:
    """In the papers' formats the planner's turn has the papers' keys; a capture has what was asked for."""
    trajectory = made(language)
    dialogue = dialogue_of(trajectory)
    raw = raw_record(dialogue)
    for record in (raw, simplified(raw)):
        contents = [message.content for message in record.messages]
        assert not any('"Answer"' in one for one in contents)
        assert all(
            sum(text in one for one in contents) == 1 for agent, text in spoken(dialogue) if agent == "agent_ask"
        )
    taught = [line["answer"] for line in captures(trajectory, dialogue) if line["task"] == "planner"]
    assert len(taught) == sum(step.agent == "planner" for step in trajectory.steps)
    said = [read_planner(Reply(str(one)))[0].answer for one in taught]
    assert [one for one in said if one] == [text for _, text in spoken(dialogue)]
    assert not [line for line in captures(trajectory, dialogue) if str(line["task"]).startswith("agent_")]


def test_a_capture_has_the_answer_as_it_was_read() -> None:
    reply = changed(lambda words: f"Agent: {words}" if words else "")
    trajectory = made("en", reply)
    step = next(one for one in trajectory.steps if one.role == "planner" and "Agent: " in (one.reply.content or ""))
    assert '"Answer": "Agent: ' not in whole_text(step.reply)
    assert '"Answer"' not in read_planner(step.reply)[1]


def test_a_folder_made_with_other_prompts_is_not_continued(tmp_path: Path) -> None:
    toolgauge.generate("builtin/oracle", paths="chat", out=tmp_path)
    manifest = json.loads((tmp_path / "run.json").read_text("utf-8"))
    (tmp_path / "run.json").write_text(json.dumps(manifest | {"generation": manifest["generation"] - 1}), "utf-8")
    with pytest.raises(UsageError, match=r"prompts of version 1, this command says 2"):
        toolgauge.generate("builtin/oracle", paths="chat", out=tmp_path)
