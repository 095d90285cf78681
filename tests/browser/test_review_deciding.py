"""Deciding in a real Chromium: what is worth a look is asked about, the next session opens, the bar stays."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.browser.reviewing import Enter, Serve, press
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE

pytestmark = pytest.mark.browser

_CROSSINGS = """([nodes, names]) => {
    const svg = toolgauge.graph.draw(nodes, names, null, "a graph");
    document.querySelector("main").append(svg);
    const boxes = [...svg.querySelectorAll("[data-node] rect")].map((one) => one.getBBox());
    const within = (at, start, size) => at > start + 1 && at < start + size - 1;
    const inside = ({x, y}) => boxes.some((one) => within(x, one.x, one.width) && within(y, one.y, one.height));
    const found = [...svg.querySelectorAll(".edge")].filter((edge) => {
        const length = edge.getTotalLength();
        for (let at = 4; at < length - 4; at += 2) if (inside(edge.getPointAtLength(at))) return true;
        return false;
    });
    svg.remove();
    return [svg.querySelectorAll(".edge").length, found.length];
}"""


def on(page: Any, name: str) -> None:
    page.wait_for_function("id => document.querySelector('h1').textContent.includes(id)", arg=name)


def test_an_approval_opens_the_next_session_that_is_open(enter: Enter) -> None:
    page = enter().session("mini_1")
    press(page, "a")
    on(page, "mini_2")
    press(page, "p")
    on(page, "mini_1")
    press(page, "p")
    on(page, "mini_0")
    press(page, "a")
    on(page, "mini_2")  # mini_1 is decided


def test_the_last_one_says_that_nothing_is_left(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_text(MINI_FILE.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    page = enter("Ada", serve(file)).session("mini_0")
    press(page, "a")
    page.locator("h1 .badge.approved").wait_for()
    page.locator(".note", has_text="left to decide").wait_for()


def spoiled(folder: Path) -> Path:
    """Two sessions, the first with a call that breaks its schema in its last task."""
    first, second = (json.loads(line) for line in MINI_FILE.read_text(encoding="utf-8").splitlines()[:2])
    first["english_answer_list"][-1][0]["action"]["arguments"] = {"nonsense": 1}
    file = folder / "spoiled.jsonl"
    file.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")
    return file


def test_open_warnings_are_asked_about_once(enter: Enter, serve: Serve, tmp_path: Path) -> None:
    tab = enter("Ada", serve(spoiled(tmp_path)))
    page = tab.session("mini_0")
    press(page, "a")
    dialog = page.locator("dialog.ask")
    dialog.wait_for()
    assert "nonsense" in dialog.inner_text()
    assert tab.violations() == []
    press(page, "Escape")
    dialog.wait_for(state="detached")
    assert page.locator("h1 .badge.new").count() == 1
    press(page, "j", "j", "A")  # the first task has no warning
    page.locator(".state-line", has_text="task 1 of 4").wait_for()
    press(page, "a")
    dialog.wait_for()
    press(page, "Enter")
    on(page, "mini_1")
    press(page, "p")
    page.locator("h1 .badge.approved").wait_for()


def test_the_bar_of_decisions_stays_in_sight_and_hides_nothing(enter: Enter) -> None:
    page = enter().session("mini_2")
    page.locator(".dialogue .line").last.focus()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    box = page.locator(".actions").bounding_box()
    assert 0 <= box["y"] < 5
    for _ in range(12):
        press(page, "k")
        top = page.evaluate("document.activeElement.getBoundingClientRect().top")
        assert top >= box["height"] - 1, "what has the focus is behind the bar"


def test_results_are_compact(enter: Enter) -> None:
    page = enter().session("mini_0")
    lines = page.locator(".dialogue .data").evaluate_all("all => all.map((one) => one.textContent)")
    assert lines
    for text in lines:
        short = " ".join(text.split())
        assert "\n" not in text or len(short) > 90, text
        assert json.loads(text) is not None


@pytest.mark.parametrize("seed", range(4))
def test_no_edge_runs_behind_a_box(enter: Enter, seed: int) -> None:
    rng = random.Random(seed)
    page = enter().session("mini_0")
    for _ in range(25):
        needs = [rng.choice([0, 1, 1, 2, 3]) for _call in range(rng.randint(2, 14))]
        after = [sorted(rng.sample(range(at), min(at, many))) for at, many in enumerate(needs)]
        layers: list[int] = []
        for needed in after:
            layers.append(max((layers[one] + 1 for one in needed), default=0))
        nodes = [{"after": needed, "layer": layer} for needed, layer in zip(after, layers, strict=True)]
        names = ["get_" + "x" * rng.randint(1, 30) for _one in nodes]
        edges, crossing = page.evaluate(_CROSSINGS, [nodes, names])
        assert crossing == 0, (after, edges)
