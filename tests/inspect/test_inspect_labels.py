"""The same labels as our runner's, for every built-in model."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("Inspect AI is not installed; make inspect installs it", allow_module_level=True)

from tests.inspect.evaluating import ACE, Labels, evaluate, labels_of, metric, ours, plain, task_ids

pytestmark = pytest.mark.inspect

BUILTIN_MODELS = (
    "oracle",
    "silent",
    "noisy?seed=3&rate=0.8",
    "noisy?only=malformed_call&rate=1",
    "noisy?only=bad_json&rate=1",
)
STRANGE: list[dict[str, Any]] = [
    {"content": None},
    {"content": "", "reasoning_content": "I wonder."},
    {"content": "Here you are.", "reasoning_content": "Easy."},
    {"content": "How?", "tool_calls": [{"id": None, "function": {"name": "a", "arguments": "{}"}}]},
    {"tool_calls": [{"id": "1", "function": {"name": None, "arguments": "{}"}}]},
    {"tool_calls": [{"id": "1", "function": {"name": "get_weather", "arguments": None}}]},
    {"tool_calls": [{"id": "1", "function": {"name": "get_weather", "arguments": '{"city": "Lis'}}]},
    {"tool_calls": [{"id": "1", "function": {"name": "get_weather", "arguments": "Lisbon"}}]},
    {"tool_calls": [{"id": "1", "function": {"name": "get_weather", "arguments": '{"city": "Porto"}""'}}]},
    {"tool_calls": [{"id": "1", "function": {"name": "get_weather", "arguments": {"city": "Porto"}}}]},
    {"tool_calls": [{"id": "1", "function": {"name": "没有", "arguments": "[1, 2]"}}]},
]


@pytest.fixture(scope="module")
def real(shared: Path) -> Path:
    file = shared / "data" / "wildtoolbench" / "sample_sessions.jsonl"
    if not file.is_file():
        pytest.skip("the five published sessions are not here")
    return file


@pytest.mark.parametrize("player", BUILTIN_MODELS)
def test_mini_has_the_labels_of_our_runner(player: str, tmp_path: Path) -> None:
    log = evaluate("toolgauge/mini", f"toolgauge/{player}", tmp_path / "logs")
    labels, metrics = ours("mini", f"builtin/{player}", tmp_path / "run")
    assert len(labels) == 128
    assert labels_of(log) == plain(labels)
    for scoring in ("exact", "released", "tables"):
        overall = metrics.scorings[scoring]["overall"]
        for name in ("task_accuracy", "session_accuracy"):
            assert metric(log, scoring, name) == pytest.approx(overall[name].value, abs=1e-6)


@pytest.mark.parametrize("player", BUILTIN_MODELS)
def test_the_published_sessions_have_the_labels_of_our_runner(player: str, real: Path, tmp_path: Path) -> None:
    log = evaluate("toolgauge/wildtoolbench", f"toolgauge/{player}", tmp_path / "logs", task_args={"data": str(real)})
    labels, _ = ours("wildtoolbench", f"builtin/{player}", tmp_path / "run", data=real)
    assert len(labels) == 20
    assert labels_of(log) == plain(labels)


def test_a_script_of_strange_replies_has_the_labels_of_our_runner(tmp_path: Path) -> None:
    """Missing ids and names, arguments that Inspect would mend: what counts is what was said."""
    script = strange_script(task_ids("mini"), tmp_path)
    log = evaluate("toolgauge/mini", f"toolgauge/scripted?file={script}", tmp_path / "logs")
    labels, _ = ours("mini", f"builtin/scripted?file={script}", tmp_path / "run")
    assert labels_of(log) == plain(labels)
    assert {"malformed_call", "empty_output", "unknown_tool"} <= mistakes(labels)


def strange_script(ids: Sequence[str], folder: Path) -> Path:
    """A script for the player of that name: one strange reply after the other, in every task another one first."""
    said = [
        {"episode": task, "step": step, "reply": STRANGE[(number + step) % len(STRANGE)]}
        for number, task in enumerate(ids)
        for step in range(8)
    ]
    script = folder / "script.jsonl"
    script.write_text("".join(json.dumps(line) + "\n" for line in said), encoding="utf-8")
    return script


@pytest.mark.parametrize("history", ["gold", "own"])
def test_epochs_and_own_histories_in_chinese(history: Any, tmp_path: Path) -> None:
    player = "noisy?seed=5&rate=0.5"
    asked = {"language": "zh", "sessions": 6, "history": history}
    log = evaluate("toolgauge/mini", f"toolgauge/{player}", tmp_path / "logs", task_args=asked, epochs=2)
    labels, metrics = ours(
        "mini", f"builtin/{player}", tmp_path / "run", language="zh", limit=6, history=history, epochs=2
    )
    assert len(labels) == 48
    assert labels_of(log) == plain(labels)
    overall = metrics.scorings["exact"]["overall"]
    assert metric(log, "exact", "task_accuracy") == pytest.approx(overall["task_accuracy"].value, abs=1e-6)


@pytest.mark.parametrize("style", ["prompt", "native"])
@pytest.mark.parametrize("player", ["oracle", "silent", "noisy?seed=2&rate=0.6"])
def test_acebench_has_the_labels_of_our_runner(player: str, style: Any, tmp_path: Path) -> None:
    """Agents too, whose user the oracle plays in both."""
    asked = {"data": str(ACE), "style": style}
    log = evaluate("toolgauge/acebench", f"toolgauge/{player}", tmp_path / "logs", task_args=asked)
    labels, _ = ours("acebench", f"builtin/{player}", tmp_path / "run", data=ACE, style=style)
    assert len(labels) == 34
    assert labels_of(log) == plain(labels)


@pytest.mark.parametrize("player", ["oracle", "noisy?seed=3&rate=0.8", "noisy?only=malformed_call&rate=1"])
def test_the_other_way_inspect_models_in_our_runner(player: str, tmp_path: Path) -> None:
    through, _ = ours("mini", f"inspect/toolgauge/{player}", tmp_path / "inspect", limit=8)
    direct, _ = ours("mini", f"builtin/{player}", tmp_path / "builtin", limit=8)
    assert through == direct


def mistakes(labels: Labels) -> set[str]:
    return {verdict["mistake"] for scorings in labels.values() for verdict in scorings.values()}
