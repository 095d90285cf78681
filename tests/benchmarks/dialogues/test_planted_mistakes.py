"""The built-in models against the judge: every mistake of the taxonomy, planted and found, class by class."""

from __future__ import annotations

import pytest

import confusion
from tests.sizes import sized
from toolgauge.benchmarks.dialogues.benchmark import GRAPH_BENCHMARKS, GraphBenchmark
from toolgauge.data.session import Dataset
from toolgauge.judge.causes import OTHERWISE
from toolgauge.judge.mistakes import ARGUMENT_MISTAKES

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
