"""The comparison of two runs as an object: counts, lists, symmetry, notes, refusals; the terminal's view of it."""

from __future__ import annotations

import io
import re
from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict, replace
from rich.console import Console

from tests.analysis import synthetic
from tests.analysis.comparing import Kind, MadeUp, ace_data, ace_side, compared, side
from tests.analysis.synthetic import metrics
from tests.benchmarks.acebench import ace_building
from toolgauge.analysis.compare.content import Changed, Comparison, Difference, ScoringComparison, compare_runs, side_of
from toolgauge.analysis.compare.pairing import Note
from toolgauge.analysis.compare.sentences import note_sentence
from toolgauge.analysis.compare.show import show_comparison
from toolgauge.analysis.decide import Better
from toolgauge.benchmarks.dialogues.judge.scorings import PAPER_TABLES
from toolgauge.chat import Json
from toolgauge.errors import UsageError
from toolgauge.judge.mistakes import Mistake

DATA = synthetic.dataset(32)
RIGHT, WRONG = synthetic.verdict(True), synthetic.verdict(False)


def marked(marks: str, mistake: Mistake = Mistake.WRONG_TOOL, epoch: int = 0) -> list[Any]:
    """Scores of the first tasks, a mark each: "+" right, "-" wrong, " " no score."""
    places = [(of, task.index) for of in DATA.sessions for task in of.tasks]
    verdicts = {"+": RIGHT, "-": synthetic.verdict(False, mistake=mistake)}
    pairs = zip(places, marks, strict=False)
    return [synthetic.score(of, i, {"exact": verdicts[m]}, epoch) for (of, i), m in pairs if m != " "]


def of(scores: list[Any], **more: Any) -> Any:
    return side_of(MadeUp(DATA, scores, **more))


def test_counts_by_hand() -> None:
    """Three sessions: all right before and after; one fixed and with it the session; one broken of two right."""
    before = of(marked("+++++++-++--", Mistake.REFUSAL))
    after = of(marked("+++++++++---", Mistake.WRONG_VALUE))
    found = compared(before, after)
    tasks, sessions = found.tasks, found.sessions
    assert [getattr(tasks, name) for name in ("fixed", "broken", "both", "neither")] == [1, 1, 8, 2]
    assert [getattr(sessions, name) for name in ("fixed", "broken", "both", "neither")] == [1, 0, 1, 1]
    assert found.fixed == [Changed("made_up_1/3", "refusal")]
    assert found.broken == [Changed("made_up_2/1", "wrong_value")]
    assert found.moves == {
        "correct": {"correct": 8, "wrong_value": 1},
        "refusal": {"correct": 1, "wrong_value": 2},
    }
    row = found.tables["overall"]["task_accuracy"]
    assert (row.correct, row.total, row.difference, row.fixed, row.broken) == ((9, 9), (12, 12), 0, 1, 1)
    assert row.few
    assert found.tables["overall"]["session_accuracy"].fixed == 1


def test_rates_are_those_of_the_tables() -> None:
    one, other = side(DATA, 0.5, 1), side(DATA, 0.7, 2)
    tables = [metrics("wildtoolbench", DATA, list(run.scores.values())).scorings for run in (one, other)]
    content = compare_runs(one, other)
    assert list(content.scorings) == list(synthetic.SCORINGS)
    compared_rows = 0
    for scoring, found in content.scorings.items():
        for table, rows in found.tables.items():
            if table in PARTS:
                continue
            for name, row in rows.items():
                values = [run[scoring][table][name].value for run in tables]
                assert [row.a, row.b] == pytest.approx(values, abs=1.1e-6)
                compared_rows += 1
    assert compared_rows > 300


PARTS = ("mistakes", *PAPER_TABLES, "parameter_errors", "near_misses", "near_miss_mistakes")
"""Of what went wrong, in the tables of a run; of all tasks, or whole sessions, where two runs are compared."""


def mirrored(entry: Difference) -> Json:
    return asdict(entry) | {
        "a": entry.b,
        "b": entry.a,
        "difference": None if entry.difference is None else -entry.difference,
        "ci95": None if entry.ci95 is None else (-entry.ci95[1], -entry.ci95[0]),
        "correct": entry.correct[::-1],
        "total": entry.total[::-1],
        "fixed": entry.broken,
        "broken": entry.fixed,
        "cohens_h": None if entry.cohens_h is None else -entry.cohens_h,
    }


def assert_mirrors(there: ScoringComparison, back: ScoringComparison) -> None:
    for table, rows in there.tables.items():
        for name, row in rows.items():
            expected, found = mirrored(row), asdict(back.tables[table][name])
            for key in expected:
                if key == "ci95" and expected[key]:
                    assert found[key] == pytest.approx(expected[key], abs=2e-6)
                else:
                    assert found[key] == expected[key], (table, name, key)
    assert [task.task_id for task in there.fixed] == [task.task_id for task in back.broken]
    transposed: dict[str, dict[str, int]] = {}
    for before, moved in there.moves.items():
        for after, count in moved.items():
            transposed.setdefault(after, {})[before] = count
    assert back.moves == transposed


def test_exchanged_runs_give_the_mirror_image() -> None:
    one, other = side(DATA, 0.5, 1), side(DATA, 0.7, 2)
    assert_mirrors(compared(one, other), compared(other, one))
    data = ace_data()
    one, other = [ace_side(data, ace_building.scores(data, rate, seed=seed)) for rate, seed in ((0.6, 1), (0.8, 2))]
    assert_mirrors(compared(one, other), compared(other, one))


@pytest.mark.parametrize("kind", ["graph", "acebench"])
def test_identical_runs_do_not_differ(kind: str) -> None:
    data = ace_data()
    one = side(DATA) if kind == "graph" else ace_side(data, ace_building.scores(data))
    content = compare_runs(one, one)
    for found in content.scorings.values():
        assert (found.fixed, found.broken, found.better) == ([], [], Better.UNCLEAR)
        for rows in found.tables.values():
            for row in rows.values():
                assert row.difference in (0.0, None)
                assert row.p == row.p_holm == (1.0 if row.difference == 0.0 else None)
                if row.difference is not None:
                    assert row.ci95
                    assert row.ci95[0] < 0 < row.ci95[1]


def test_p_is_corrected_within_a_table() -> None:
    found = compared(side(DATA, 0.4, 1), side(DATA, 0.7, 2))
    rows: Any = found.tables["by_order"]
    smallest = min(row.p for row in rows.values())
    assert min(row.p_holm for row in rows.values()) == pytest.approx(min(1, len(rows) * smallest), rel=1e-3)
    assert any(row.p_holm != row.p for row in rows.values())


def test_epochs_that_both_have_make_pairs() -> None:
    one = of(marked("++--") + marked("+++-", epoch=1), changes={"epochs": 2})
    other = of(marked("++++"), changes={"epochs": 1})
    content = compare_runs(one, other)
    assert content.tasks == 4
    assert content.scorings["exact"].tasks.fixed == 2
    assert content.notes == [
        Note("epochs", "2", "1"),
        Note("part", 4, 0),
    ]
    assert "epochs: 2 and 1" in note_sentence(content.notes[0], "en")


def test_only_common_tasks_are_compared() -> None:
    """The second session is not whole in the second run: its tasks count, the session does not."""
    content = compare_runs(of(marked("++++++++")), of(marked("+++---  ++++")))
    assert content.notes == [Note("part", 2, 4)]
    found = content.scorings["exact"]
    assert (content.tasks, found.tasks.broken) == (6, 3)
    assert found.sessions.broken + found.sessions.both == 1


CHANGES: dict[str, tuple[Any, Any, str]] = {
    "epochs": (1, 3, "epochs: 1 and 3"),
    "history": ("gold", "own", "history: gold and own"),
    "style": ("prompt", "native", "prompt and native"),
    "max_turns": (20, 40, "20 and 40"),
    "sampling": ({"temperature": 0, "seed": 1}, {"temperature": 0.5, "seed": 1}, "temperature=0 and temperature=0.5"),
    "user_model": ({"name": "openai/gpt-4o"}, None, "openai/gpt-4o and none"),
    "toolgauge": ("0.1.0", "0.2.0", "0.1.0 and 0.2.0"),
}


@pytest.mark.parametrize("code", CHANGES)
def test_what_differs_is_noted(code: str) -> None:
    ours, theirs, said = CHANGES[code]
    one, other = [of(marked("++--"), changes={code: value}) for value in (ours, theirs)]
    (note,) = compare_runs(one, other).notes
    assert note.code == code
    assert said in note_sentence(note, "en")
    assert compare_runs(one, one).notes == []


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (MadeUp(msgspec.structs.replace(DATA, sha256="f" * 64), marked("+")), "different data (sha256)"),
        (MadeUp(msgspec.structs.replace(DATA, language="zh"), marked("+")), "different languages, en and zh"),
        (MadeUp(DATA, marked("+"), benchmark=Kind("mmtb")), "different benchmarks, wildtoolbench and mmtb"),
        (MadeUp(DATA, marked(" +")), "no scored task in common"),
        (MadeUp(DATA, []), "no scored task in common"),
        (MadeUp(DATA, [replace(marked("+")[0], scorings={"other": RIGHT})]), "no scoring in common"),
    ],
)
def test_what_cannot_be_compared_is_refused(other: MadeUp, reason: str) -> None:
    with pytest.raises(UsageError, match="cannot compare ") as error:
        compare_runs(of(marked("+")), side_of(other))
    assert reason in str(error.value)
    assert error.value.exit_code == 2


def test_acebench_overall_is_the_weighted_mean_of_its_categories() -> None:
    """Every atom_bool entry is fixed, nothing else changes: overall gains 0.578 / 12 (spec 8.2)."""
    data = ace_data()
    before = "".join("-" if entry.category == ace_building.BOOL else "+" for entry in data.entries)
    one, other = [ace_side(data, ace_building.marked(data, marks)) for marks in (before, "+" * len(before))]
    found = compared(one, other)
    tables: Any = found.tables
    overall, category = tables["overall"]["overall"], tables["categories"][ace_building.BOOL]
    assert overall.difference == pytest.approx(0.578 / 12, abs=2e-4)  # the weights add up to 1.0001, capped
    assert category.p == pytest.approx(2 / 2**12, rel=1e-3)
    assert (category.fixed, category.broken, category.difference) == (12, 0, 1.0)
    assert overall.p < 0.001
    assert overall.ci95[0] <= overall.difference <= overall.ci95[1]
    assert found.tables["groups"]["special"].p == 1.0
    assert found.sessions.fixed == 12


def shown(content: Comparison, everything: bool = True) -> str:
    out = io.StringIO()
    show_comparison(content, "exact", Console(file=out, width=80, color_system=None), everything=everything)
    return out.getvalue()


BETTER = marked("++--" * 16), marked("++++" * 12 + "++--" * 4)


def test_the_terminal_shows_the_numbers() -> None:
    text = shown(compare_runs(*map(of, BETTER)))
    assert text.startswith("B is better: +75.0 points [")
    assert "64 tasks in" in text
    assert re.search(r"task accuracy +50\.0% +87\.5% +\+37\.5 +[-+]\d+\.\d … \+\d+\.\d +< 0\.001 +< 0\.001", text)
    assert "made_up_0/2                              wrong tool" in text
    assert "… and 14 more (--json FILE has all)" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_terminal_begins_with_the_verdict_and_the_rows_that_differ() -> None:
    content = compare_runs(*map(of, BETTER))
    brief, everything = shown(content, everything=False), shown(content)
    assert brief.splitlines()[0] == everything.splitlines()[0]
    assert len(brief.splitlines()) < len(everything.splitlines()) / 2
    assert "task accuracy" in brief
    assert "turn 1" not in brief
    assert "--all shows every row" in brief


HOSTILE = "[red]evil[/red]\x1b]0;title\x07\u202egnp.exe\n\rnext" + "x" * 1000


def test_hostile_names_stay_names() -> None:
    session = replace(DATA.sessions[0], id=HOSTILE)
    data = replace(DATA, sessions=(session,))
    runs = []
    for right in (False, True):
        verdict = replace(synthetic.verdict(right), mistake=None if right else HOSTILE)
        scores = [synthetic.score(session, 0, {"exact": verdict})]
        runs.append(side_of(MadeUp(data, scores, model=HOSTILE, changes={"toolgauge": HOSTILE * right})))
    text = shown(compare_runs(runs[0], runs[1]))
    assert "[red]evil[/red]" in text
    assert not any(char in text for char in "\x1b\x07\u202e\r")
    assert max(map(len, text.splitlines())) <= 300
