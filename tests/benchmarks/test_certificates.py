"""A certificate per task: the perfect model passes, silence and a wrong value fail; what is missing is counted.

Also: calls that may be left out, and what run.json keeps.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

import toolgauge
from tests.judge.building import call, calls, session
from tests.rows import rows
from toolgauge.artefacts import read, written
from toolgauge.benchmarks.certificates import OTHER_TEXT, other_value, uncertified
from toolgauge.benchmarks.conversation import SimpleBenchmark, Wrong
from toolgauge.benchmarks.conversation.simple import Question
from toolgauge.benchmarks.dialogues.episodes import task_episode
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Message, Reply
from toolgauge.cli.data import app
from toolgauge.data.session import Session
from toolgauge.data.sessions import session_file
from toolgauge.episode import drive
from toolgauge.errors import ToolgaugeError
from toolgauge.integrations.credit import run_credit
from toolgauge.judge.replies import AnnotatedTask
from toolgauge.judge.values import exact_faults

Record = dict[str, Any]


def record(name: str) -> Record:
    """A session with a call and a chat."""
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    tool = {"type": "function", "function": {"name": "look", "description": "", "parameters": parameters}}
    call = {"name": "look", "arguments": {"city": "Oslo"}}
    return {
        "id": name,
        "english_env_info": "2025-03-14 18:05:00 Friday",
        "english_tools": [tool],
        "english_tasks": ["the weather?", "thanks"],
        "english_task_types": ["Single-Tool", "Chat"],
        "english_turn_subtypes": ["Coreferential Reference"],
        "english_answer_list": [
            [{"idx": 0, "action": call, "dependency_list": [], "observation": "grey"}, final(1, [0])],
            [final(0, [])],
        ],
    }


def final(index: int, after: list[int]) -> Record:
    action = {"name": "prepare_to_answer", "arguments": {"answer_type": "tool" if after else "chat"}}
    return {"idx": index, "action": action, "dependency_list": after, "observation": "It is grey."}


@pytest.fixture
def weak(tmp_path: Path) -> Path:
    """The folder of a generation, say; one of its tasks takes any city, for it takes the one that is tried."""
    bad = record("bad")
    bad["english_answer_list"][0][0]["accept"] = {"/city": [OTHER_TEXT]}
    folder = tmp_path / "made"
    folder.mkdir()
    session_file(folder).write_text("".join(json.dumps(one) + "\n" for one in (record("good"), bad)))
    return folder


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_task_of_mini_has_its_certificate(language: str) -> None:
    mini = find_benchmark("mini")
    assert mini.embedded is not None
    assert uncertified(mini, mini.load(mini.embedded, language)) == {}


@pytest.mark.parametrize(
    ("edit", "missing"),
    [
        (lambda call: call.update(accept={"/city": [OTHER_TEXT]}), "a wrong value passes (look.city)"),
        (lambda call: call.update(optional=True), "a model that never calls passes in exact"),
        (
            lambda call: call["action"].update(name="fly"),
            "the annotated answer fails in exact, tables (not offered: fly)",
        ),
    ],
)
def test_what_a_task_lacks(edit: Callable[[Record], None], missing: str, tmp_path: Path) -> None:
    content, file = record("s"), tmp_path / "own.jsonl"
    edit(content["english_answer_list"][0][0])
    file.write_text(json.dumps(content) + "\n")
    benchmark = find_benchmark("wildtoolbench")
    found = uncertified(benchmark, benchmark.load(file, "en"))
    assert list(found) == ["s/0"]
    assert missing in found["s/0"]


def test_the_check_lists_them_and_the_run_counts_those_it_asked(weak: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(weak)])
    assert result.exit_code == 1
    assert "no certificate: " in result.output
    assert "bad/0 (en): a wrong value passes (look.city)" in result.output
    assert "1 task without a certificate" in result.output
    whole = toolgauge.run("wildtoolbench", "builtin/oracle", data=weak, out=tmp_path / "whole")
    assert whole.metrics.uncertified == 1
    assert json.loads((tmp_path / "whole" / "metrics.json").read_bytes())["uncertified"] == 1
    toolgauge.run("wildtoolbench", "builtin/oracle", data=weak, out=tmp_path / "part", ids=("good",))
    assert "uncertified" not in json.loads((tmp_path / "part" / "metrics.json").read_bytes())


class Gullible(SimpleBenchmark):
    name = "gullible"

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
        return None


class Strict(SimpleBenchmark):
    name = "strict"

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
        return Wrong("never", "never right")


class Fragile(SimpleBenchmark):
    name = "fragile"

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
        return None if reply.tool_calls[0].name == question.expected[0]["name"] else Wrong("other")


@pytest.mark.parametrize(
    ("benchmark", "missing"),
    [
        (Fragile(), "cannot be tried (IndexError: tuple index out of range)"),
        (Gullible(), "a model that never calls passes in exact; a wrong value passes (look.city)"),
        (Strict(), "the annotated answer fails in exact (never right)"),
    ],
)
def test_a_benchmark_of_another_package_is_checked_alike(
    benchmark: SimpleBenchmark, missing: str, tmp_path: Path
) -> None:
    file = tmp_path / "questions.jsonl"
    line = {"id": "q", "question": "?", "expected": [{"name": "look", "arguments": {"city": "Oslo"}}]}
    file.write_text(json.dumps(line) + "\n")
    assert uncertified(benchmark, benchmark.load(file, "en")) == {"q": missing}
    (task,) = benchmark.data_files().check(file, "en").uncertified
    assert task.message == f"q (en): {missing}"


@pytest.mark.shared
@pytest.mark.parametrize(("language", "steps", "turns"), [("en", "0 1 4 5", "8 9 10 11 12 13 14 15"), ("zh", "", "")])
def test_the_published_entries_that_even_perfect_answers_cannot_pass(
    shared: Path, language: str, steps: str, turns: str
) -> None:
    """As docs/acebench.md lists them, and two in which nothing is changed, so that no wrong value is seen."""
    ace = find_benchmark("acebench")
    data = ace.load(shared / "data" / "acebench" / "data_all", language)
    agents = {entry.id for entry in data.entries if entry.kind.group == "agent"}
    found = uncertified(ace, data, agents)
    expected = {f"agent_multi_step_{n}" for n in (*steps.split(), 8, 9, 11, 12, 13, 14, 15, 16, 17)}
    expected |= {f"agent_multi_turn_{n}" for n in (*turns.split(), 6, 26, 27)}
    assert found.keys() == expected
    assert all(("passes" in why) == (task[-2:] in ("26", "27")) for task, why in found.items())


def test_another_value_is_of_the_same_type() -> None:
    for value in (True, 3, 2.5, "Oslo", [1, 2], {"a": "b"}, [{"a": False}]):
        assert type(other_value(value)) is type(value)
        assert other_value(value) != value
    assert other_value("a", {"enum": ["a", 1, "b"]}) == "b"
    assert (other_value(None), other_value([]), other_value({})) == (None, [], {})


class Worldless(SimpleBenchmark):
    name = "worldless"

    def judge(self, question: Question, reply: Reply) -> Wrong | None:
        raise ToolgaugeError("its tables are not there")


def test_what_cannot_be_tried_is_not_certified(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    line = {"id": "q", "question": "?", "expected": [{"name": "look", "arguments": {"city": "Oslo"}}]}
    file.write_text(json.dumps(line) + "\n")
    worldless, gullible = Worldless(), Gullible()
    found = uncertified(worldless, worldless.load(file, "en"))
    assert found == {"q": "cannot be tried (its tables are not there)"}
    assert uncertified(gullible, gullible.load(file, "en")).keys() == {"q"}


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b'{"good/0": 1}'])
def test_what_is_no_file_of_certificates_is_worked_out_again(content: bytes, weak: Path, tmp_path: Path) -> None:
    benchmark, kept = find_benchmark("wildtoolbench"), tmp_path / "kept.json"
    kept.write_bytes(content)
    data = benchmark.load(session_file(weak), "en")
    assert uncertified(benchmark, data, known_in=kept) == uncertified(benchmark, data)


def with_optional() -> Session:
    """a, then b which may be left out."""
    made = session([("a", {"n": 0}, []), ("b", {"n": 1}, [0])])
    task = made.tasks[0]
    return replace(
        made, tasks=(replace(task, calls=(task.calls[0], replace(task.calls[1], optional=True), task.calls[2])),)
    )


@rows(
    ("replies", "credit"),
    [
        ((calls(call("a", n=0)), Reply("done")), 1.0),
        ((calls(call("a", n=0)), calls(call("b", n=1)), Reply("done")), 1.0),
        ((Reply("done"),), 0.0),
    ],
)
def test_the_conversation_ends_and_is_worth_as_much(replies: tuple[Reply, ...], credit: float) -> None:
    made = with_optional()
    task = AnnotatedTask(made, made.tasks[0])
    left = iter(replies)
    trajectory = drive(task_episode(made, task, exact_faults, (Message("user", "please"),)), lambda _: next(left))
    assert len(trajectory.steps) == len(replies)
    assert (trajectory.stopped == "answered") is (credit == 1.0)
    worth = run_credit(task, exact_faults, replies)
    assert worth.credit == credit
    assert worth.verdict.correct is (credit == 1.0)


RUN: dict[str, Any] = {
    "toolgauge": "0.1.0",
    "trajectory_version": 1,
    "benchmark": "mini",
    "language": "en",
    "dataset": {"name": "mini", "sha256": "f9"},
    "data_file": None,
    "model": {"name": "openai/m", "provider": "openai", "model": "m", "base_url": "https://x/v1", "api": "responses"},
    "sampling": {"temperature": 0.5},
    "history": "gold",
    "epochs": 2,
    "selection": {"ids": ["a"], "limit": None, "categories": []},
    "tasks": 3,
    "conversations": 3,
    "user_model": {"name": "builtin/oracle", "provider": "builtin", "of its own": [1]},
    "batch": ["assistant"],
}


def test_a_manifest_is_written_as_it_was_read() -> None:
    assert json.dumps(written(read(RUN, Manifest))) == json.dumps(RUN)


def test_what_others_declare_is_kept_in_its_place() -> None:
    own = {"temper": "mild", "levels": [1, 2]}
    names = list(RUN)
    at = names.index("epochs")
    content = {name: (RUN | own)[name] for name in [*names[:at], *own, *names[at:]]}
    manifest = read(content, Manifest)
    assert manifest.more == {"history": RUN["history"]} | own
    assert manifest.measured.more == {"api": "responses"}
    assert json.dumps(written(manifest)) == json.dumps(content)


@rows("name", ["epochs", "dataset", "sampling", "user_model", "language"])
def test_a_field_of_another_kind_is_named(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=name):
        read(RUN | {name: "?"}, Manifest)
