"""Losses for people: patterns, examples and the terminal, whatever a model or a file says."""

from __future__ import annotations

import io
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console

from tests.analysis.synthetic import dataset, trajectory
from tests.analysis.test_error_analysis import judged
from toolgauge.analysis.causes import losses
from toolgauge.analysis.causes.examples import ErrorExample, Positions, SessionDescriber, collect_examples
from toolgauge.analysis.causes.losses import ReasonPattern, form_of
from toolgauge.analysis.causes.show import Analysed, show_losses, show_matrix
from toolgauge.benchmarks.registry import find_benchmark, reason_texts
from toolgauge.chat import Reply, ToolCall
from toolgauge.data.session import Dataset
from toolgauge.episode import Step
from toolgauge.judge.mistakes import Mistake
from toolgauge.judge.verdict import Score
from toolgauge.reasons import Explanation, explain

HOSTILE = "\x1b[31mred\x1b[0m\x07 \u202eevil\u2066 \ud800 [bold]x[/bold]\r\nnext " + "A" * 1_000_000


def analysed(
    data: Dataset, made: list[Score], examples: dict[str, ErrorExample] | None = None, label: str = "m"
) -> Analysed:
    found = losses(data, made, "exact")
    return Analysed(label, "mini", "en", 0, found, examples or {}, "toolgauge view runs/x", "runs/x-task.html#1", TEXTS)


def shown(run: Analysed, width: int = 100, top: int = 3) -> str:
    file = io.StringIO()
    show_losses(run, Console(file=file, width=width, force_terminal=False), top)
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


def test_what_is_usual_is_said_in_words_not_in_a_published_evaluators_codes() -> None:
    usual = ReasonPattern(Explanation("error_schema: args not defined", "schema_undefined"), 4)
    assert usual.in_words(TEXTS) == "the tool has no such parameter"
