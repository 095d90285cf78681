"""Tasks that are not judgeable in a scoring: in none of its rates, in no pair, and counted."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from tests.analysis.comparing import MadeUp
from tests.analysis.synthetic import dataset, metrics, scores
from toolgauge.analysis.compare.content import Comparison, compare_runs, side_of
from toolgauge.analysis.compare.sentences import note_sentence
from toolgauge.analysis.notes import notes
from toolgauge.analysis.numbers import Metrics, Rate
from toolgauge.judge.verdict import Score

DATA = dataset(48)
IDS = [session.task_id(task.index) for session in DATA.sessions for task in session.tasks]


def unjudged(score: Score) -> Score:
    scorings = {name: verdict for name, verdict in score.scorings.items() if name != "exact"}
    return replace(score, scorings=scorings, not_judgeable=("exact",))


def with_recordings(made: list[Score], every: int) -> list[Score]:
    return [unjudged(score) if place % every == 0 else score for place, score in enumerate(made)]


def measured(made: list[Score], requested: list[str] | None = None) -> Metrics:
    return metrics("mini", DATA, made, IDS if requested is None else requested)


def rates(of: Metrics, scoring: str) -> dict[tuple[str, str], Rate]:
    return {(table, row): rate for table, rows in of.scorings[scoring].items() for row, rate in rows.items()}


def test_they_are_in_no_rate_of_the_scoring_and_the_others_do_not_change() -> None:
    made = scores(DATA)
    recorded = with_recordings(made, 5)
    found, whole = measured(recorded), measured(made)
    without = measured([score for score in recorded if "exact" in score.scorings])
    assert list(found.scorings) == ["exact", "released", "tables"]
    causes = {"mistakes", "near_miss_mistakes"}  # always those of `exact`
    for scoring in ("released", "tables"):
        alike = whole.scorings[scoring].keys() - causes
        assert {name: found.scorings[scoring][name] for name in alike} == {
            name: whole.scorings[scoring][name] for name in alike
        }
    assert (found.scored, found.missing) == (len(IDS), 0)
    sessions = {("overall", "session_accuracy")}
    for place, rate in rates(found, "exact").items():
        if place not in sessions:
            expected = rates(without, "exact")[place]
            assert (rate.value, rate.correct, rate.total, rate.ci95) == (
                expected.value,
                expected.correct,
                expected.total,
                expected.ci95,
            )
        if place[0] != "passes":
            left_out = 0 if rate.not_judgeable is UNSET else rate.not_judgeable
            assert rate.requested == rate.scored + (rate.missing or 0) + left_out, place
    everything = found.scorings["exact"]["overall"]["task_accuracy"]
    assert everything.not_judgeable == sum("exact" not in score.scorings for score in recorded)
    assert found.sensitivity[0].compared == everything.total


def test_a_session_is_wrong_with_a_wrong_task_and_else_not_judgeable() -> None:
    made = {score.task_id: score for score in scores(DATA)}
    right = next(score.scorings["exact"] for score in made.values() if score.scorings["exact"].correct)
    wrong = next(score.scorings["exact"] for score in made.values() if not score.scorings["exact"].correct)
    first, second, third, fourth, *rest = DATA.sessions
    for of in DATA.sessions:
        for task in of.tasks:
            score = made[of.task_id(task.index)]
            made[score.task_id] = replace(score, scorings={**score.scorings, "exact": right})
    for of, is_wrong in ((first, True), (second, False)):
        made[of.task_id(1)] = unjudged(made[of.task_id(1)])
        if is_wrong:
            made[of.task_id(2)] = replace(made[of.task_id(2)], scorings={"exact": wrong, "released": wrong})
    del made[third.task_id(0)]
    made[third.task_id(1)] = unjudged(made[third.task_id(1)])
    made[fourth.task_id(0)] = replace(made[fourth.task_id(0)], scorings={"exact": wrong, "released": wrong})
    overall = measured(list(made.values())).scorings["exact"]["overall"]["session_accuracy"]
    assert (overall.correct, overall.total) == (len(rest), len(rest) + 2)
    assert (overall.requested, overall.scored, overall.missing) == (48, len(rest) + 2, 1)
    assert overall.not_judgeable == 1
    near: Any = measured(list(made.values())).scorings["exact"]["near_misses"]["one_task_short"]
    assert (near.correct, near.total, near.not_judgeable) == (1, len(rest) + 1, 2)  # nobody knows how near the first is


def test_a_note_counts_them_beside_the_score() -> None:
    (note,) = notes(Metrics(scored=20, not_judgeable={"exact": 3}))
    assert not note.warns
    assert str(note.text).startswith("3 of 20 tasks are not judgeable by exact")
    assert str(note.short) == "3 not judgeable (exact)"
    assert notes(Metrics(scored=20)) == []


def compared(one: list[Score], other: list[Score], scoring: str | None = None) -> Comparison:
    return compare_runs(side_of(MadeUp(DATA, one)), side_of(MadeUp(DATA, other)), scoring)


def test_they_make_no_pair_and_the_comparison_says_so() -> None:
    one, other = with_recordings(scores(DATA, seed=1), 5), with_recordings(scores(DATA, seed=2), 7)
    left_out = {score.task_id for score in (*one, *other) if "exact" not in score.scorings}
    found = compared(one, other)
    assert list(found.scorings) == ["exact", "released", "tables"]
    assert found.scorings["exact"].tasks.pairs == len(IDS) - len(left_out)
    assert found.scorings["tables"].tasks.pairs == len(IDS) == found.tasks
    kept = [[score for score in side if score.task_id not in left_out] for side in (one, other)]
    expected = compared(kept[0], kept[1], "exact").scorings["exact"]
    assert found.scorings["exact"] == expected
    (note,) = [note for note in found.notes if note.code == "not_judgeable"]
    counts = [sum("exact" not in score.scorings for score in side) for side in (one, other)]
    assert (note.a, note.b) == (f"exact {counts[0]}", f"exact {counts[1]}")
    assert "make no pairs" in note_sentence(note, "en")
