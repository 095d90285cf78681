"""What the cause of a failed task names is what the model did, and what the annotation expects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.judge.building import TEXT, call, calls, session, tool
from tests.report.task_data import Json, Loaded, acebench, mini, played, run_directory
from toolgauge.benchmarks.acebench.view.display import AceDisplay
from toolgauge.benchmarks.benchmark import Setup
from toolgauge.benchmarks.dialogues.numbers.arguments import EarlierValue, earlier_values
from toolgauge.chat import Reply
from toolgauge.data.session import ASK, Dataset, Session
from toolgauge.judge.exact import follow
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.values import exact_faults
from toolgauge.judge.verdict import Verdict
from toolgauge.report.task_views.alignment_view import compare, divergence_of
from toolgauge.report.task_views.divergence import Divergence

TWINS = session(
    [("find", {"x": "a"}, []), ("find", {"x": "b"}, []), ("send", {"n": 1}, [0, 1])],
    tool("find", x={"type": "string"}),
    tool("send", n={"type": "integer"}),
)


def diverging(what: Session, *replies: Reply) -> Divergence:
    task = AnnotatedTask(what, what.tasks[0])
    return divergence_of(task, compare(task, exact_faults, replies), replies)


def failed(**parameters: str) -> Verdict:
    return Verdict("error", "error", False, (0, 1), "m", "d", code="c", parameters=dict(parameters))


# Where a run goes wrong


def test_what_was_due_where_a_run_went_wrong() -> None:
    both, send = calls(call("find", x="a"), call("find", x="b")), calls(call("send", n=1))
    cases: list[tuple[tuple[Reply, ...], int | None, tuple[int, ...]]] = [
        ((both, send, TEXT), None, ()),
        ((send,), 0, (0, 1)),
        ((calls(call("find", x="a")), TEXT), 1, (1,)),
        ((both, both), 1, (2,)),
        ((both, send), 2, (3,)),
        ((), 0, (0, 1)),
    ]
    for replies, failing, due in cases:
        found = follow(AnnotatedTask(TWINS, TWINS.tasks[0]), exact_faults, replies)
        assert (found.failing, found.due) == (failing, due), replies


def test_a_divergence_says_what_came_and_what_was_due() -> None:
    early = diverging(TWINS, calls(call("send", n=1)))
    assert (early.step, early.called, early.said, list(early.due)) == (0, ["send"], "", ["find", "find"])
    text = diverging(TWINS, Reply("It is done."))
    assert (text.called, text.said, list(text.due)) == ([], "It is done.", ["find", "find"])
    asked = session([(ASK, {}, []), ("find", {"x": "a"}, [0])], tool("find", x={"type": "string"}))
    assert list(diverging(asked, calls(call("find", x="a"))).due) == [ASK]
    right = diverging(TWINS, calls(call("find", x="a"), call("find", x="b")), calls(call("send", n=1)), TEXT)
    assert (right.step, right.called, right.due) == (None, (), ())


# What a sentence names


# On whole runs: what is named was said, and is annotated


def failing_tasks(tmp_path: Path, benchmark: Any, data: Any, setup: Setup) -> Iterator[tuple[Json, Json, Json]]:
    """Cause, task and annotation of every failed task."""
    run = run_directory(tmp_path / "run", benchmark, data, played(benchmark, data, setup), setup)
    loaded = Loaded(tmp_path / "data", run)
    for task_id in loaded.index()["columns"]["id"]:
        task, shared, _ = loaded.task(task_id)
        if "exact" in task.get("causes", {}):
            yield task["causes"]["exact"], task, shared["tasks"][task["key"]]


def test_every_failed_task_of_a_dialogue_names_what_came_and_what_was_due(tmp_path: Path) -> None:
    benchmark, data = mini()
    found = list(failing_tasks(tmp_path, benchmark, data, Setup(limit=24)))
    kinds = {cause["mistake"] for cause, _, _ in found}
    assert len(kinds) > 10
    for cause, task, annotation in found:
        contrast, names = cause["contrast"], {node["name"] for node in annotation["nodes"]}
        step = contrast["step"]
        reply = task["turns"][step]["reply"] if step < len(task["turns"]) else {}
        made = reply.get("tool_calls", [])
        if "tool" in contrast:
            assert contrast["tool"] in [one["name"] for one in made]
            given = [one["arguments"] for one in made if one["name"] == contrast["tool"]]
            wanted = [node["arguments"] for node in annotation["nodes"] if node["name"] == contrast["tool"]]
            assert any(value_in(contrast.get("made"), text) for text in given)
            assert any(value_in(contrast.get("expected"), text) for text in wanted)
            continue
        assert set(contrast["due"]) <= names
        if cause["mistake"] != "malformed_call":
            assert contrast.get("called", []) == [one["name"] for one in made][:8]
        if cause.get("why", {}).get("code") == "text_for_calls":
            assert ", ".join(sorted(set(contrast["due"]))) == cause["why"]["values"]["names"]
            assert reply["content"].startswith(contrast["said"].removesuffix("…"))


def value_in(text: str | None, whole: str | dict[str, object]) -> bool:
    """Does a value stand in arguments? Texts are compared without blanks, for they are written in different ways."""
    written = whole if isinstance(whole, str) else msgspec.json.encode(whole).decode()
    return text is None or "".join(text.split()).strip("…") in "".join(written.split())


@pytest.mark.parametrize("style", ["prompt", "native"])
def test_every_failed_entry_of_acebench_names_something(tmp_path: Path, style: str) -> None:
    benchmark, data = acebench()
    found = list(failing_tasks(tmp_path, benchmark, data, Setup(options={"style": style})))
    assert len({cause["mistake"] for cause, _, _ in found}) > 5
    assert {cause["mistake"] for cause, _, _ in found} <= set(AceDisplay().titles("en"))
    for cause, task, annotation in found:
        contrast = cause.get("contrast", {})
        assert {"made", "expected", "called", "due", "said"} & contrast.keys(), cause
        if "tool" in contrast:
            assert any(contrast["tool"] in answer for answer in annotation["answers"])
        if "made" in contrast and annotation["kind"] == "agent":
            rows = {row["path"]: row for row in task["comparison"]["state"]}
            assert rows[contrast["path"]].get("actual") == contrast["made"]


# Earlier turns


def test_values_with_annotated_sources_come_from_the_tasks_that_these_name() -> None:
    _, data = mini()
    assert isinstance(data, Dataset)
    for one in data.sessions:
        for task in one.tasks:
            found = earlier_values(task, one.tasks[: task.index])
            assert all(value.task < task.index for value in found)
            named = {
                (each.index, path, source["task"])
                for each in task.calls
                for path, sources in each.sources.items()
                for source in sources
                if source.get("task", task.index) < task.index
            }
            assert named <= {(value.call, value.path, value.task) for value in found}
            for value in found:
                assert value.quote
    first = data.by_id["mini_0"]
    assert earlier_values(first.tasks[1], first.tasks[:1]) == (
        EarlierValue(0, "train_id", 0, "IC2231"),
        EarlierValue(0, "date", 0, "this sat"),
    )
