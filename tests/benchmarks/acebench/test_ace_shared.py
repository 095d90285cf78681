"""ACEBench's real entries: what a perfect answer scores in every scoring, and what silence scores."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.ace_expected import unanswerable
from toolgauge.benchmarks.acebench.data.entries import AceDataset, AceEntry, called_name
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, render_calls
from toolgauge.benchmarks.acebench.judge.judge import LEGACY, judge_agent, judge_normal, judge_special

pytestmark = pytest.mark.shared

LEGACY_COUNTS = {
    "en": {
        "normal_single_turn_single_function": 8,
        "normal_single_turn_parallel_function": 14,
        "normal_similar_api": 2,
        "normal_preference": 1,
        "normal_atom_object_deep": 17,
    },
    "zh": {
        "normal_single_turn_single_function": 1,
        "normal_single_turn_parallel_function": 3,
        "normal_similar_api": 2,
        "normal_atom_list": 1,
        "normal_atom_object_short": 1,
    },
}
"""Perfect single-turn answers that the legacy decoder makes wrong (docs/acebench.md#scorings)."""


def group(published: AceDataset, name: str) -> list[AceEntry]:
    return [entry for entry in published.entries if entry.kind.group == name]


def perfect(entry: AceEntry, answer: dict[str, Any]) -> str:
    names = {function.name: None for function in entry.functions}
    return render_calls([AceCall(called_name(key, names), values) for key, values in answer.items()])


def test_perfect_answers_are_right_but_for_what_the_spec_lists(published: AceDataset) -> None:
    expected = unanswerable(published.language)
    wrong: set[str] = set()
    legacy: Counter[str] = Counter()
    for entry in group(published, "normal"):
        for answer in entry.answers:
            verdicts = judge_normal(entry, perfect(entry, answer), ("exact", "released", LEGACY))
            assert verdicts["exact"].correct, (entry.id, verdicts["exact"])
            if not verdicts["released"].correct:
                wrong.add(entry.id)
        if not verdicts[LEGACY].correct and not entry.kind.multi_turn:
            legacy[entry.category] += 1
    assert wrong == expected
    assert legacy == LEGACY_COUNTS[published.language]


def test_silence_is_wrong_everywhere(published: AceDataset) -> None:
    for entry in group(published, "normal"):
        for text in ("I am happy to help.", "", "[]"):
            assert not any(verdict.correct for verdict in judge_normal(entry, text).values())
    for entry in group(published, "special"):
        assert not any(verdict.correct for verdict in judge_special(entry, "I am happy to help.").values())
    for entry in group(published, "agent"):
        assert not any(verdict.correct for verdict in judge_agent(entry, [], []).values())


def test_replayed_milestones_are_accepted_as_the_reference_accepts_them(published: AceDataset, shared: Path) -> None:
    file = shared / "data" / "acebench" / "environments" / published.language / "milestone_replay.json"
    if not file.is_file():
        pytest.skip("the recorded replays are not in the shared folder")
    replays = json.loads(file.read_text("utf-8"))
    for entry in group(published, "agent"):
        witness = replays[entry.id]["witness"]
        for verdict in judge_agent(entry, witness["final_state"], witness["calls"]).values():
            assert verdict.correct, (entry.id, verdict)
        for replay, milestones in zip(replays[entry.id]["replay"], entry.milestones, strict=True):
            verdicts = judge_agent(entry, replay["final_state"], milestones)
            assert verdicts["released"].correct == verdicts["exact"].correct == replay["accepted"]
            assert verdicts["released"].error_type == replay.get("error_type")
            assert verdicts["released"].process == 1.0


def test_damaged_answers_give_verdicts_that_can_be_written(published: AceDataset) -> None:
    random_ = random.Random(3)
    pieces = [
        "]",
        "'",
        "{",
        "x=1",
        "None",
        "-",
        "9",
        "true",
        "'a'",
        ",",
        "(1,)",
        "**{'k': 1}",
        "[]",
        "\u3000",
        "\ud800",
    ]
    for entry in group(published, "normal"):
        text = perfect(entry, entry.answers[0])
        values = [index for index, mark in enumerate(text) if mark == "="] or [0]
        for _ in range(3):
            cut = random_.choice([random_.choice(values) + 1, random_.randrange(len(text))])
            damaged = (
                text[:cut] + random_.choice(pieces) + random_.choice(["", ", "]) + text[cut + random_.randrange(9) :]
            )
            for verdict in judge_normal(entry, damaged).values():
                assert verdict.correct == (verdict.error_type is None)
                msgspec.json.encode(verdict)
