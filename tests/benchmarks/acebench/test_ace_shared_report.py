"""The report on ACEBench's real entries: what perfect answers come to in both languages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.acebench.builtin import perfect_text
from toolgauge.benchmarks.acebench.data import AceDataset, AceEntry
from toolgauge.benchmarks.acebench.decoder.decode import AceCall, decode_exact, render_calls
from toolgauge.benchmarks.acebench.judge import AceVerdict, judge_normal, judge_special
from toolgauge.benchmarks.acebench.numbers.report import AceReport
from toolgauge.judge.verdict import CORRECT, ERROR, Score, Verdict

pytestmark = pytest.mark.shared

CEILINGS = {
    "en": {"normal": 0.96, "multi_turn": 0.76, "normal_multi_turn_user_adjust": 0.76, "single_turn": 1.0, "atom": 1.0},
    "zh": {"normal": 0.995, "multi_turn": 1.0, "normal_similar_api": 0.96, "normal_atom_object_short": 0.98},
}


def best_answer(entry: AceEntry) -> dict[str, AceVerdict]:
    """A perfect answer, or one without an optional argument where only that passes (Q02, Q13)."""
    whole = judge_normal(entry, perfect_text(entry))
    if whole["released"].correct:
        return whole
    for shorter in _with_less(perfect_text(entry)):
        verdicts = judge_normal(entry, shorter)
        if verdicts["released"].correct:
            return verdicts | {"exact": whole["exact"]}
    return whole


def _with_less(text: str) -> Iterator[str]:
    """The calls without the arguments of one name, then without everything empty."""
    calls = decode_exact(text)
    assert isinstance(calls, tuple)
    for name in dict.fromkeys(key for call in calls for key in call.arguments):
        yield render_calls([_without(call, lambda item: item[0] == name) for call in calls])  # noqa: B023 - at once
    yield render_calls([_without(call, lambda item: item[1] in ([], {})) for call in calls])


def _without(call: AceCall, left_out: Callable[[tuple[str, Any]], bool]) -> AceCall:
    return AceCall(call.name, {key: value for key, value in call.arguments.items() if not left_out((key, value))})


def scored(entry: AceEntry, verdicts: dict[str, AceVerdict]) -> Score:
    def plain(found: AceVerdict) -> Verdict:
        label = CORRECT if found.correct else ERROR
        return Verdict(label, label, found.correct, (int(found.correct), 1), found.error_type, found.detail)

    scorings = {scoring: plain(found) for scoring, found in verdicts.items()}
    return Score(entry.id, entry.session_id, entry.turn or 0, scorings)


@pytest.fixture(scope="module")
def scores(published: AceDataset) -> list[Score]:
    made = []
    for entry in published.entries:
        if entry.kind.group == "normal":
            made.append(scored(entry, best_answer(entry)))
        elif entry.kind.group == "special":
            made.append(scored(entry, judge_special(entry, perfect_text(entry))))
        else:
            made.append(scored(entry, dict.fromkeys(("exact", "released"), AceVerdict(True, process=1.0))))
    return made


@pytest.fixture(scope="module")
def content(published: AceDataset, scores: list[Score]) -> Metrics:
    return AceReport().metrics("acebench", published, scores, [entry.id for entry in published.entries])


def test_ceilings_are_those_of_the_spec(published: AceDataset, content: Metrics) -> None:
    rows = {row: entry.value for row, entry in content.scorings["released"]["published"].items()}
    ceilings = CEILINGS[published.language]
    assert {row: rows[row] for row in ceilings} == ceilings
    assert (rows["special"], rows["agent"]) == (1.0, 1.0)
    assert rows["overall"] == round(0.578 * ceilings["normal"] + 0.2676 + 0.1545, 3)


def test_exact_has_no_ceiling(content: Metrics) -> None:
    tables = content.scorings["exact"]
    assert {entry.value for table in ("categories", "groups", "overall") for entry in tables[table].values()} == {1.0}
