"""How conversations go and what is recorded of them, with a small stand-in for bfcl-eval."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.plugins.installing import install, toolgauge

from tests_bfcl import fake_original
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.chat import Reply, Request, ToolCall
from toolgauge.episode import Trajectory, drive
from toolgauge.judge.verdict import Verdict
from toolgauge_bfcl.benchmark import CATEGORIES, SCORING, BfclMultiTurn

PACKAGE = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def bfcl(monkeypatch: pytest.MonkeyPatch) -> BfclMultiTurn:
    monkeypatch.setattr(BfclMultiTurn, "bfcl", fake_original)
    return BfclMultiTurn()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder laid out as bfcl-eval's; what is in its files only the stand-in knows."""
    (tmp_path / "possible_answer").mkdir()
    for category in CATEGORIES:
        for folder in ("", "possible_answer"):
            (tmp_path / folder / f"BFCL_v4_multi_turn_{category}.json").write_text(category)
    return tmp_path


def calling(*calls: str, arguments: str = "{}") -> Reply:
    return Reply(None, tuple(ToolCall(f"c{place}", name, arguments) for place, name in enumerate(calls)))


def played(
    bfcl: BfclMultiTurn, data: Path, category: str, replies: Sequence[Reply]
) -> tuple[Trajectory, list[Request], Verdict]:
    """The conversation of a category with these replies; its requests, and what it is worth."""
    dataset = bfcl.load(data, "en")
    (sample,) = bfcl.samples(dataset, Setup(options={"categories": (category,)}))
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        return replies[len(asked) - 1]

    trajectory = drive(bfcl.episode(dataset, sample), answer)
    (score,) = bfcl.scores(dataset, trajectory)
    assert len(asked) == len(replies)
    return trajectory, asked, score.scorings[SCORING]


def test_a_turn_ends_with_a_reply_that_calls_nothing(bfcl: BfclMultiTurn, data: Path) -> None:
    replies = [calling("switch"), Reply("On."), calling("dim"), Reply("Dimmed.")]
    trajectory, asked, verdict = played(bfcl, data, "base", replies)
    assert verdict.correct
    assert verdict.progress == (2, 2)
    assert [step.turn for step in trajectory.steps] == [0, 0, 1, 1]
    last = [(message.role, message.content) for message in asked[-1].messages]
    assert last == [
        ("user", "On, please."),
        ("assistant", None),
        ("tool", "switch: done"),
        ("assistant", "On."),
        ("user", "Dim it."),
        ("assistant", None),
        ("tool", "dim: done"),
    ]


def test_functions_that_were_held_back_come_in_a_turn_of_their_own(bfcl: BfclMultiTurn, data: Path) -> None:
    replies = [calling("switch"), Reply("On."), Reply("I cannot."), calling("dim"), Reply("Dimmed.")]
    _, asked, verdict = played(bfcl, data, "miss_func", replies)
    assert verdict.correct
    assert [[tool.name for tool in request.tools] for request in asked] == [["switch"]] * 3 + [["switch", "dim"]] * 2
    assert asked[3].messages[-1].content == fake_original.MORE_TOOLS


def test_arguments_that_cannot_be_read_end_the_turn_without_results(bfcl: BfclMultiTurn, data: Path) -> None:
    replies = [calling("switch", arguments='{"a": '), calling("dim"), Reply("Dimmed.")]
    _, asked, verdict = played(bfcl, data, "base", replies)
    assert [message.role for message in asked[1].messages] == ["user", "assistant", "user"]
    assert (verdict.mistake, verdict.turn, verdict.progress) == ("empty_turn_model_response", 0, (0, 2))


def test_the_label_is_the_originals_where_the_last_reply_cannot_be_read(bfcl: BfclMultiTurn, data: Path) -> None:
    replies = [calling("switch"), Reply("On."), calling("dim", arguments="[")]
    assert played(bfcl, data, "base", replies)[2].mistake == "empty_turn_model_response"


def test_a_model_that_never_stops_is_stopped(bfcl: BfclMultiTurn, data: Path) -> None:
    endless = [calling("switch")] * (fake_original.MAXIMUM_STEP_LIMIT + 1)
    trajectory, _, verdict = played(bfcl, data, "base", endless)
    assert (verdict.mistake, verdict.turn) == ("force_terminated", 0)
    assert trajectory.stopped == "still calling after 3 replies in turn 1"
    assert verdict.detail == "turn 1: still calling after 3 replies, and ended there"


def test_every_mistake_has_words_in_both_languages(bfcl: BfclMultiTurn) -> None:
    assert bfcl.texts["en"].keys() == bfcl.texts["zh"].keys()


def test_what_is_expected_stands_beside_the_calls_that_were_made(bfcl: BfclMultiTurn, data: Path) -> None:
    trajectory, *_ = played(bfcl, data, "base", [calling("switch"), Reply("On."), Reply("No.")])
    task = bfcl.load(data, "en").by_id["multi_turn_base_0"]
    assert task.expected == [[{"name": "switch", "arguments": {}}], [{"name": "dim", "arguments": {}}]]
    assert bfcl.reply_text(task, trajectory) == [[{"name": "switch", "arguments": {}}], []]


def test_the_variants_of_an_entry_are_one_group_and_a_category_can_be_chosen(bfcl: BfclMultiTurn, data: Path) -> None:
    dataset = bfcl.load(data, "en")
    assert list(dataset.sessions) == ["entry_0"]
    chosen = bfcl.samples(dataset, Setup(options={"categories": ("miss_param", "base")}))
    assert [sample.key for sample in chosen] == ["multi_turn_base_0", "multi_turn_miss_param_0"]


@pytest.mark.skipif("bfcl_eval" in sys.modules, reason="for environments without bfcl-eval")
def test_without_bfcl_eval_one_line_says_how_to_install_it(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    install(PACKAGE, site)
    done = toolgauge(tmp_path, site, "run", "bfcl-multi-turn", "-m", "builtin/silent")
    assert done.returncode == 2
    assert "pip install --no-deps bfcl-eval" in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2
    listed = toolgauge(tmp_path, site, "data", "list")
    assert listed.returncode == 0
