"""Thousands of absurd replies through episode, trajectory line and scorer: always a label, never an exception.
Planted mistakes are found.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import confusion
from tests.sizes import sized
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, GraphBenchmark
from toolgauge.benchmarks.dialogues.history import History
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.data.session import ASK, FINAL, Dataset
from toolgauge.episode import Trajectory, drive
from toolgauge.judge.causes import OTHERWISE
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES
from toolgauge.runs.lines import decode, encode

REPLIES = sized(1_200, 5_000)
HISTORIES: tuple[History, ...] = ("gold", "own")
FIXTURE = Path(__file__).parents[2] / "fixtures" / "mmtb_small.jsonl"
ODD_TEXTS = [
    "",
    " ",
    "\x00",
    "\ud800",
    "é" * 300,
    "1" * 6_000,
    "你好，世界",
    "{",
    "NaN",
    "[" * 3_000,
    "\u202e<script>",
    ".",
]
ODD_NUMBERS: list[Any] = [0, -1, 2**70, 10**400, 1e308, float("inf"), float("nan"), True, None, 0.1]


class Mischief:
    """Makes replies that get worse the longer one looks."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def value(self, depth: int = 0) -> Any:
        kind = self.draw.randrange(6 if depth < 6 else 3)
        if kind == 0:
            return self.draw.choice(ODD_TEXTS)
        if kind in (1, 2):
            return self.draw.choice(ODD_NUMBERS)
        if kind == 3:
            return [self.value(depth + 1) for _ in range(self.draw.randrange(4))]
        if kind == 4:
            return {self.draw.choice(["x", "", "__proto__", "\ud800", "名"]): self.value(depth + 1) for _ in range(3)}
        deep: Any = "bottom"
        for _ in range(self.draw.choice([3, 90, 150, 400])):
            deep = [deep] if self.draw.random() < 0.5 else {"a": deep}
        return deep

    def text_of(self, value: Any) -> str:
        text = json.dumps(value)
        cut = self.draw.random()
        return text if cut < 0.7 else text[: self.draw.randrange(len(text) + 1)]

    def arguments(self, request: Request) -> Any:
        """Often the right arguments with a part replaced, so that the deeper checks are reached too."""
        assert request.gold_hint is not None
        choice = self.draw.random()
        if choice < 0.2:
            return self.value()
        if choice < 0.4:
            return self.text_of(self.value())
        due = self.draw.choice(
            request.gold_hint.reply.tool_calls or request.gold_hint.later or (ToolCall("i", "x", "{}"),)
        )
        arguments = json.loads(due.arguments)
        if arguments and choice < 0.9:
            arguments[self.draw.choice([*arguments, "extra"])] = self.value()
        return self.text_of(arguments)

    def call(self, request: Request) -> ToolCall:
        names = [tool.name for tool in request.tools] + [ASK, FINAL, "", "\ud800", "nobody", "filter_by_prompt"]
        name = self.draw.choice(
            [*names, *(c.name for c in request.gold_hint.reply.tool_calls)] if request.gold_hint else names
        )
        identity = self.draw.choice(["same", "", None, "i\ud800", "x" * 500])
        return ToolCall(identity, name if self.draw.random() < 0.95 else None, self.arguments(request))

    def reply(self, request: Request) -> Reply:
        assert request.gold_hint is not None
        if self.draw.random() < 0.3:
            return request.gold_hint.reply
        content = self.draw.choice([None, *ODD_TEXTS])
        due = [call for call in request.gold_hint.reply.tool_calls if self.draw.random() < 0.8]
        spoilt = [ToolCall(self.draw.choice(["i", call.id]), call.name, self.arguments(request)) for call in due]
        made = [self.call(request) for _ in range(self.draw.choice([0, 1, 1, 2, 40]))]
        return Reply(
            content, tuple(self.draw.choice([spoilt, made, spoilt + made, []])), self.draw.choice([None, "\ud800"])
        )


def hostile_runs(benchmark: GraphBenchmark, dataset: Dataset, mischief: Mischief, wanted: int) -> int:
    replies = 0
    while replies < wanted:
        for history in HISTORIES:
            for sample in benchmark.samples(dataset, Setup(options={"history": history})):
                trajectory = drive(benchmark.episode(dataset, sample), mischief.reply)
                replies += len(trajectory.steps)
                stored = decode(encode(trajectory), Trajectory)
                scores = list(benchmark.scores(dataset, stored))
                assert len(scores) == (4 if history == "own" else 1)
                for score in scores:
                    assert set(score.scorings) == set(benchmark.scorings)
                    for verdict in score.scorings.values():
                        assert verdict.label in ("correct", "error")
                        assert 0 <= verdict.progress[0] <= verdict.progress[1]
                        assert verdict.correct or verdict.mistake or verdict.detail
                        assert encode(score)
    return replies


@pytest.mark.parametrize(("name", "language"), [("mini", "en"), ("mini", "zh"), ("mmtb", "en"), ("mmtb", "zh")])
def test_always_a_label_never_an_exception(name: str, language: str) -> None:
    benchmark = GRAPH_BENCHMARKS[name]
    dataset = benchmark.load(benchmark.embedded or FIXTURE, language)
    assert hostile_runs(benchmark, dataset, Mischief(len(name + language)), REPLIES // 4) >= REPLIES // 4


MINI = GRAPH_BENCHMARKS["mini"]


def load_mini(language: str) -> Dataset:
    assert MINI.embedded is not None
    return MINI.load(MINI.embedded, language)


def all_told(benchmark: GraphBenchmark, dataset: Dataset) -> confusion.Confusion:
    """Every fault that can be planted: each is told as what it is."""
    found = confusion.Confusion()
    for planted, verdict in confusion.judged(benchmark, dataset):
        told = confusion.told(planted, verdict)
        assert told == planted, verdict
        as_it_stands = (verdict.parameters or {}).get(OTHERWISE, verdict.mistake)
        assert verdict.action_label == ("correct" if as_it_stands in ARGUMENT_MISTAKES else "error")
        found[planted, told] += 1
    return found


def column(number: int, found: confusion.Confusion) -> None:
    """What the page says of these faults is what was found."""
    heading = confusion.HEADINGS[number]
    made = confusion.rows({**dict.fromkeys(confusion.HEADINGS[1:-1], confusion.Confusion()), heading: found})
    page = confusion.PAGE.read_text("utf-8").partition(confusion.BEGIN)[2].partition(confusion.END)[0]
    written = [line for line in page.splitlines() if line]
    assert [line.split("|")[number + 1] for line in made] == [line.split("|")[number + 1] for line in written]


@pytest.mark.parametrize("language", ["en", "zh"][: sized(1, 2)])
def test_every_fault_that_can_be_planted_is_told_as_such(language: str) -> None:
    found = all_told(MINI, load_mini(language))
    assert {fault for fault, _told in found} == set(confusion.FAULTS)
    assert min(found.values()) >= 5, found
    column(1 + confusion.LANGUAGES.index(language), found)
