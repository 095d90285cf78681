"""Losses for people: patterns, examples and the terminal, whatever a model or a file says."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

import toolgauge
from tests.analysis.synthetic import dataset, scores, trajectory
from tests.analysis.test_error_analysis import judged
from toolgauge.analysis.error_analysis import losses
from toolgauge.analysis.error_analysis.cases import ErrorExample
from toolgauge.analysis.error_analysis.examples import Positions, SessionDescriber, collect_examples
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.error_analysis.patterns import ReasonPattern, common_pattern, form_of
from toolgauge.analysis.error_analysis.show import Analysed, show_losses, show_matrix, steps_line
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import Dataset
from toolgauge.episode import Step
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.verdict import Score
from toolgauge.reasons import Explanation, Reason, explain, reason
from toolgauge.results import open_run

HOSTILE = "\x1b[31mred\x1b[0m\x07 \u202eevil\u2066 \ud800 [bold]x[/bold]\r\nnext " + "A" * 1_000_000


def analysed(
    data: Dataset, made: list[Score], examples: dict[str, ErrorExample] | None = None, label: str = "m"
) -> Analysed:
    found = losses(data, made, "exact")
    return Analysed(label, "mini", "en", 0, found, examples or {}, "toolgauge view runs/x", "runs/x-task.html#1", TEXTS)


def shown(run: Analysed, width: int = 100, top: int = 3) -> str:
    file = io.StringIO()
    show_losses(run, Console(file=file, width=width, force_terminal=False), "en", top)
    return file.getvalue()


TEXTS = reason_texts(find_benchmark("mini"), "en")


@pytest.mark.parametrize(
    ("code", "parameters", "form"),
    [
        ("not_offered", {"names": ("search_pro",)}, "not offered: …"),
        ("step_does_not_fit", {"step": 1}, "the tools called at step … do not fit"),
        ("no_output", {}, "neither text nor calls"),
        ("schema_undefined", {"tool": "search_hotels", "path": "verbose"}, "error_schema: args not defined"),
        (
            "keys_missing",
            {"tool": "get", "path": "q", "missing": ("a", "b")},
            "error_match: args keys mismatch (missing: …)",
        ),
        (
            "letters_differ",
            {"tool": "auto_save", "path": "goal_id", "at": "goal_id", "score": "0.05"},
            "error_match: string similarity too low at … (edit score: …)",
        ),
    ],
)
def test_forms_of_reasons(code: str, parameters: dict[str, Any], form: str) -> None:
    why = explain("recorded", code, parameters)
    assert why is not None
    assert form_of(why, TEXTS).detail == form


@pytest.mark.parametrize(
    ("detail", "form"),
    [
        ("not_known: search_pro", "search_pro"),
        ("tool(a.b): 'Rome, \\'Italy\\'' given, 12.5 expected", "… given, … expected"),
        ("the third of [1, 2] at -3", "the third of … at …"),
    ],
)
def test_forms_of_texts_without_a_code(detail: str, form: str) -> None:
    assert form_of(Explanation(detail), TEXTS) == Explanation(form)


def _not_offered(name: str) -> Explanation:
    return reason(DialogueCode.NOT_OFFERED, names=(name,)).explained("get(q)")


def test_the_common_reason_is_told_word_by_word_where_it_is_the_same() -> None:
    found = common_pattern([_not_offered(name) for name in "abaa"], TEXTS)
    assert found is not None
    assert (found.text, found.tasks) == ("get(q): not offered: a", 3)
    different = common_pattern([*map(_not_offered, "abc"), Reason(DialogueCode.NO_OUTPUT).explained()], TEXTS)
    assert different is not None
    assert (different.text, different.tasks) == ("not offered: …", 3)
    assert common_pattern([], TEXTS) is None
    hostile = common_pattern([Explanation(HOSTILE)], TEXTS)
    assert hostile is not None
    assert len(hostile.text) < 500
    assert common_pattern([Explanation("as it is"), Explanation("as it is")], TEXTS) == ReasonPattern("as it is", 2)


def test_one_line_is_harmless_and_short() -> None:
    line = one_line(HOSTILE, 40)
    assert len(line) == 40
    assert line.isprintable()
    assert line.startswith("\ufffd[31mred")
    assert one_line("  two\n\twords ", 40) == "two words"
    assert one_line("中文 and café", 40) == "中文 and café"
    assert one_line("x" * 40, 40) == "x" * 40
    assert one_line("x" * 41, 40) == "x" * 39 + "…"


def test_examples_tell_what_was_wanted_expected_and_done() -> None:
    data = dataset(12)
    of = data.sessions[0]
    said = trajectory(of, 1, "It is done.")
    found = collect_examples(SessionDescriber(data), [said, trajectory(data.sessions[1], 0)], [of.task_id(1)])
    assert found == {
        "made_up_0/1": ErrorExample(
            "task 1",
            ('tool_0({"city": "Paris"})', "<answer>"),
            ('tool_0({"city": "Paris"})', "<answer> It is done."),
        )
    }
    assert collect_examples(Positions(), [said], [of.task_id(1)]) == {}


def test_examples_say_what_a_call_lacks() -> None:
    data = dataset(1)
    of = data.sessions[0]
    broken = Reply(tool_calls=(ToolCall(None, "f", "{}"), ToolCall("1", None, None)))
    said = replace(trajectory(of, 1), steps=(Step((), broken),))
    done = collect_examples(SessionDescriber(data), [said], [of.task_id(1)])[of.task_id(1)].done
    assert done == ("f({}) <no id> + ?(?)",)
    assert steps_line(done, "en") == "f({}) (without an id) + ?(?)"


def test_examples_of_conversations_over_whole_sessions(tmp_path: Path) -> None:
    toolgauge.run("mini", "builtin/oracle", out=tmp_path / "own", history="own", limit=3, epochs=2)
    run = open_run(tmp_path / "own")
    data: Any = run.dataset
    ids = ["mini_1/2", "mini_2/0#1"]
    found = collect_examples(SessionDescriber(data), run.trajectories(), ids)
    assert sorted(found) == ids
    for task_id, example in found.items():
        session, index = task_id.partition("#")[0].split("/")
        task = data.by_id[session].tasks[int(index)]
        calls = [call.name for call in task.calls if call.is_tool]
        assert example.wanted == " ".join(task.utterance.split())
        assert re.findall(r"(\w+)\(\{", " ".join(example.done)) == calls
        assert re.findall(r"(\w+)\(\{", " ".join(example.expected)) == calls


def test_steps_in_words() -> None:
    assert steps_line(("a({})", "<answer>"), "en") == "a({}) → a reply in words"
    assert steps_line(("<answer> Well.",), "en") == "“Well.”"


def test_of_long_lines_whole_steps_are_left_out_and_none_is_cut() -> None:
    steps = [f"tool_{n}({{'x': '{'y' * 100}'}}) + tool_{n}({{}})" for n in range(5)]
    long = steps_line((*steps, "last({})"), "en")
    assert long == f"{steps[0]} → … → {steps[4]} → last({{}})"


def test_the_terminal_shows_the_biggest_losses_first() -> None:
    data = dataset(100)
    made = judged(data, {(n, 2): Mistake.REFUSAL for n in range(60)} | {(n, 1): Mistake.WRONG_TOOL for n in range(9)})
    text = shown(analysed(data, made))
    assert 0 < text.index("text instead of a call") < text.index("wrong tool")
    assert "made_up_0/2" in text
    assert "runs/x-task.html#1" in text
    assert "turn 3: 60.0% of" in text
    assert "17.2 points are lost" in text


def test_hostile_words_do_no_harm_in_the_terminal() -> None:
    data = dataset(30)
    of = data.sessions[0]
    reply = Reply(HOSTILE, (ToolCall("1", HOSTILE, HOSTILE), ToolCall(None, None, {"a": HOSTILE})))
    evil = replace(trajectory(of, 0), steps=(Step((), reply), Step((), Reply(HOSTILE))))
    made = judged(data, {(0, 0): Mistake.REFUSAL})
    first = made[0]
    verdict = replace(first.scorings["exact"], mistake=HOSTILE, detail=HOSTILE)
    made[0] = replace(first, scorings={"exact": verdict})
    examples = collect_examples(SessionDescriber(data), [evil], [of.task_id(0)])
    run = analysed(data, made, examples, HOSTILE)
    file = io.StringIO()
    show_matrix([run, run], Console(file=file, width=120))
    for text in (shown(run), file.getvalue()):
        assert all(char.isprintable() or char == "\n" for char in text)
        assert len(text) < 6_000
        assert "red" in text
    assert "[bold]x[/bold]" in shown(run, width=4000)


def test_columns_of_several_benchmarks_have_two_lines() -> None:
    data = dataset(12)
    run, file = analysed(data, judged(data, {(0, 0): Mistake.REFUSAL})), io.StringIO()
    show_matrix([run, run._replace(benchmark="other")], Console(file=file, width=120))
    assert "\\n" not in file.getvalue()
    assert "other en" in file.getvalue()


def test_a_perfect_run_and_an_empty_one_say_so() -> None:
    data = dataset(12)
    assert "All 48 tasks are right" in shown(analysed(data, judged(data, {})))
    assert "No task has a score" in shown(analysed(data, []))


def test_top_chooses_how_many_are_told_in_full() -> None:
    data = dataset(60)
    run = analysed(data, scores(data))
    for top in (1, 5):
        assert len(re.findall(r"^\d+  \w", shown(run, top=top), re.MULTILINE)) == top
