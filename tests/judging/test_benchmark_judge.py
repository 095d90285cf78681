"""`toolgauge judge` over a run whose benchmark has a judge of its own: that one alone is asked again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import toolgauge
from tests.mockserver import Json, serve
from toolgauge.analysis.judgments import read_judgments
from toolgauge.benchmarks import registry
from toolgauge.benchmarks.conversation import ConversationBenchmark, Outcome, Role, Talk, Task
from toolgauge.chat import Reply
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.runs.scored import read_failures
from toolgauge.runs.store import read_trajectories


class Polite(ConversationBenchmark):
    """The model greets, and a judge says whether that is polite; both what it says and the record count."""

    name = "polite-of-a-test"
    roles: Mapping[str, Role] = {"judge": Role(None, {"temperature": 0})}
    drifting = False

    def tasks(self, file: Path, language: str) -> Iterable[Task]:
        yield from (Task(id=name, gold=((Reply(f"Hello, {name}."),),)) for name in ("ann", "bob", "cid"))

    def play(self, talk: Talk, task: Any, options: Any) -> str:
        greeting = "Good evening" if self.drifting else "Good morning"
        said = talk.ask([{"role": "user", "content": f"{greeting}! I am {task.id}."}])
        question = f"Is this polite? Say yes or no.\n{said.content}"
        talk.record["polite"] = talk.ask([{"role": "user", "content": question}], role="judge", hint="yes").content
        return "answered"

    def judge(self, task: Any, steps: Any, record: Mapping[str, Any]) -> Mapping[str, Outcome]:
        wrong = Outcome(mistake="impolite", detail=f"the judge said {record['polite']}")
        return {"exact": Outcome() if record["polite"] == "yes" else wrong}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(registry, "_GIVEN", {})
    (tmp_path / "none.jsonl").write_text("{}\n")
    toolgauge.run(Polite(), "builtin/oracle", data=tmp_path / "none.jsonl", out=tmp_path / "run", epochs=2)
    return tmp_path / "run"


def strict(body: Json) -> Json:
    return {"role": "assistant", "content": "no" if "bob" in body["messages"][-1]["content"] else "yes"}


def test_only_the_judge_is_asked_again(run: Path) -> None:
    before = {one.task_id: one for one in read_trajectories(run)}
    with serve(strict) as server:
        result = toolgauge.judge_conversations(run, "vllm/judge", base_url=server.base_url, probe=False)
        asked = [body["messages"][-1]["content"] for body in server.requests]
        assert len(asked) == 6
        assert all(question.startswith("Is this polite?") for question in asked), "the model is not asked"
        assert {body["temperature"] for body in server.requests} == {0}, "as the role declares"
        toolgauge.judge_conversations(run, "vllm/judge", base_url=server.base_url, probe=False)
        assert len(server.requests) == 6, "the same command continues"
    assert {one.task_id: one for one in read_trajectories(run)} == before, "the recorded run stays as it is"
    assert result.run is not None
    both = [toolgauge.score(folder).scorings["exact"] for folder in (run, result.run)]
    assert [one["overall"]["task_accuracy"].value for one in both] == [1, pytest.approx(2 / 3)]
    judged = {one.task: one.verdict for one in read_judgments(run)}
    assert judged == dict.fromkeys(before, "") | dict.fromkeys(("bob", "bob#1"), "the judge said no")
    manifest = json.loads((result.run / "run.json").read_text())
    assert manifest["role_models"]["judge"]["name"] == "vllm/judge"
    assert manifest["judged_again"] == "builtin/oracle"
    (found,) = toolgauge.compare(run, result.run).comparisons
    assert found.scorings["exact"].tables["overall"]["task_accuracy"].difference == pytest.approx(-1 / 3)


def test_the_command_shows_both(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    with serve(strict) as server:
        done = CliRunner().invoke(app, ["judge", str(run), "-m", "vllm/judge", "--base-url", server.base_url])
    assert done.exit_code == 0, done.output
    assert "wrong, as the benchmark's own judge has it" in done.stdout
    assert "agree on 66.7% of 6 tasks" in done.stdout
    assert f"Next: toolgauge compare {run}" in done.stdout


def test_a_conversation_that_goes_another_way_is_missing(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Polite, "drifting", True)
    with serve(strict) as server:
        result = toolgauge.judge_conversations(run, "vllm/judge", base_url=server.base_url, probe=False)
        assert not server.requests
    assert result.run is not None
    assert {one.reason for one in read_failures(result.run).values()} == {
        "the assistant is asked something that is not recorded; the same replies must lead to the same conversation"
    }
    assert not result.judgments


def test_general_questions_where_they_are_asked_for(run: Path) -> None:
    with serve(lambda _body: {"role": "assistant", "content": "{}"}) as server:
        toolgauge.judge_conversations(run, "vllm/judge", base_url=server.base_url, probe=False, general=True)
        assert not any("Is this polite?" in json.dumps(body) for body in server.requests)


def test_a_run_whose_judge_was_asked_nothing(run: Path) -> None:
    lines = [json.loads(line) for line in (run / "trajectories.jsonl").read_text().splitlines()]
    for line in lines:
        line["steps"] = line["steps"][:1]
    (run / "trajectories.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UsageError, match="its judge was asked nothing; --general"):
        toolgauge.judge_conversations(run, "vllm/judge", probe=False)
