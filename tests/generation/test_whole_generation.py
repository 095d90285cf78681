"""The whole pipeline, played by scripted agents: every path becomes a dialogue, every fault is found for what it is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.sizes import in_turn, sized
from toolgauge.annotation.dialogue import Dialogue
from toolgauge.annotation.graph import annotate
from toolgauge.benchmarks.certificates import uncertified
from toolgauge.benchmarks.dialogues.data.check import check
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.demo import FAULTS, ScriptedAgents
from toolgauge.demo.templates import scripted_templates
from toolgauge.episode import Trajectory, drive
from toolgauge.generation.episode import dialogue_episode
from toolgauge.generation.filters import FILTERS
from toolgauge.generation.formats.sessions import session_record
from toolgauge.generation.paths import all_paths, slots_of
from toolgauge.generation.setup import GenerationSetup, Slot
from toolgauge.models.builtin.models import noisy, oracle
from toolgauge.tools.toollist import tool_library

LANGUAGES = ("en", "zh")
ENOUGH = sized(1, 6)
PART = sized(8, 2)
"""Of the paths of four tasks one in so many is made in each language."""
EASY, OTHER = ("single", "clarify", "chat", "multi"), ("multi", "chat", "single", "clarify")


def made(slot: Slot, language: str, play: Any = oracle, **changes: Any) -> Trajectory:
    setup = msgspec.structs.replace(GenerationSetup(language, filters=tuple(FILTERS)), **changes)
    return drive(
        dialogue_episode(slot, tool_library(language), setup, ScriptedAgents(scripted_templates(language))), play
    )


@cache
def everything(language: str) -> tuple[Trajectory, ...]:
    """A dialogue for each of the 84 paths of one to three tasks, and for an eighth of the 256 of four; in
    `make test-long` every path of four in one of the languages."""
    short = [path for tasks in range(1, 4) for path in all_paths(tasks)]
    number = {path[0]: place for place, path in enumerate(all_paths(1))}
    first = LANGUAGES.index(language) * PART // 2
    long = [path for path in all_paths(4) if sum(number[kind] for kind in path) % PART == first]
    return tuple(made(slot, language) for slot in slots_of(short + long, language))


def dialogue_of(trajectory: Trajectory) -> Dialogue:
    return msgspec.convert(trajectory.extra["dialogue"], Dialogue)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_path_of_up_to_four_tasks_becomes_a_dialogue(language: str) -> None:
    found = everything(language)
    assert len(found) == 84 + 256 // PART
    refused = [(one.task_id, one.extra["attempts"]) for one in found if not one.extra["accepted"]]
    assert refused == []
    again = [one.extra["attempts"] for one in found if len(one.extra["attempts"]) > 1]
    assert len(again) < 10, again  # perfect agents are right at once, but for what the gates' heuristics take amiss


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_perfect_agent_is_ever_objected_to(language: str) -> None:
    objected = [
        (one.task_id, entry.findings)
        for one in everything(language)
        for entry in dialogue_of(one).entries
        if entry.findings or not entry.accepted
    ]
    assert objected == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_shapes_and_most_tool_lists_occur(language: str) -> None:
    dialogues = [dialogue_of(one) for one in everything(language)]
    kinds = {task.type.value for dialogue in dialogues for task in annotate(dialogue).tasks}
    assert kinds == {"single_tool", "sequential_tools", "parallel_tools", "mixed_tools", "clarify", "chat"}
    assert len({dialogue.tool_list for dialogue in dialogues}) > 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sessions_pass_the_check_and_have_certificates(language: str, tmp_path: Path) -> None:
    """Sound as data; the annotated answers pass, silence and wrong values fail."""
    dialogues = [dialogue_of(one) for one in everything(language)]
    file = tmp_path / "sessions.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(session_record(annotate(one), one)) + b"\n" for one in dialogues))
    benchmark = find_benchmark("wildtoolbench")
    assert [str(problem) for problem in check(file)] == []
    assert uncertified(benchmark, benchmark.load(file, language)) == {}


# --- faults -----------------------------------------------------------------------------------------------------------


def faulty(name: str, language: str, **changes: Any) -> Iterator[Trajectory]:
    """Up to ENOUGH dialogues in which a fault was made."""
    seen = 0
    for number, path in enumerate((EASY, OTHER, ("multi", "single"), ("chat", "multi"), ("single", "multi")) * 12):
        trajectory = made(Slot(f"{language}-{number}", path), language, noisy(1, 1.0, name), attempts=1, **changes)
        if any(step.reply.planted for step in trajectory.steps):
            yield trajectory
            seen += 1
        if seen == ENOUGH:
            return


@pytest.mark.parametrize(("name", "language"), in_turn(list(FAULTS)[:: sized(2, 1)], LANGUAGES))
def test_a_fault_is_found_for_what_it_is(name: str, language: str) -> None:
    fault, seen = FAULTS[name], 0
    for trajectory in faulty(name, language, tries=1, repairs=0):
        (attempt,) = trajectory.extra["attempts"]
        assert attempt["failed"] == fault.reason, attempt
        rules = {finding.rule for entry in dialogue_of(trajectory).entries for finding in entry.findings}
        assert rules <= {fault.rule, *fault.also}
        assert not fault.rule or fault.rule in rules
        seen += 1
    assert seen
