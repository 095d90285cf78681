"""What a run asks for, and which commands continue the run in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import toolgauge
from tests.end_to_end.playing import NOISY, go, lines, options, replies, wire_reply
from tests.mockserver import Json, serve, status
from tests.rows import rows
from toolgauge.api import run
from toolgauge.benchmarks.dialogues.benchmark import MINI_FILE
from toolgauge.benchmarks.dialogues.prompts import prompt
from toolgauge.benchmarks.registry import find_benchmark
from toolgauge.chat import Reply
from toolgauge.cli.main import app
from toolgauge.errors import UsageError
from toolgauge.models.model import Sampling
from toolgauge.options import declared
from toolgauge.runs.manifest import MANIFEST, read_manifest
from toolgauge.runs.options import RunOptions
from toolgauge.runs.roles import Role, RoleModel


def labels(folder: Path, scoring: str = "exact") -> dict[str, str]:
    """The label of every task in the order of scores.jsonl."""
    return {line["task_id"]: line["scorings"][scoring]["label"] for line in lines(folder / "scores.jsonl")}


def test_epochs_ask_every_task_again(tmp_path: Path) -> None:
    result = go(tmp_path / "run", epochs=3, limit=2)
    ids = list(labels(tmp_path / "run"))
    once = [f"mini_{session}/{task}" for session in range(2) for task in range(4)]
    assert ids == [task + epoch for epoch in ("", "#1", "#2") for task in once]
    assert result.metrics.missing == 0
    assert result.metrics.scorings["exact"]["overall"]["task_accuracy"].total == 24
    found = labels(tmp_path / "run")
    assert len({tuple(found[task + epoch] for task in once) for epoch in ("", "#1", "#2")}) > 1


def test_ids_choose_sessions_and_tasks(tmp_path: Path) -> None:
    result = go(tmp_path / "run", ids=("mini_3", "mini_1/2"))
    assert list(labels(tmp_path / "run")) == ["mini_1/2", *(f"mini_3/{task}" for task in range(4))]
    assert result.metrics.missing == 0


# The model's own history, as it goes over the wire

UNKNOWN: Json = {"id": "c1", "type": "function", "function": {"name": "no_such_tool", "arguments": "{}"}}
NAMELESS: Json = {"id": "c1", "type": "function", "function": {"arguments": "{}"}}
UNANSWERED = {"role": "tool", "content": prompt("unanswered", "en"), "tool_call_id": "c1"}
AFTERMATH: dict[str, tuple[Json, list[Json]]] = {
    "a sentence": ({"content": "No."}, [{"role": "assistant", "content": "No."}]),
    "a call of an unknown tool": (
        {"content": None, "tool_calls": [UNKNOWN]},
        [{"role": "assistant", "content": None, "tool_calls": [UNKNOWN]}, UNANSWERED],
    ),
    "a call without a name": ({"content": None, "tool_calls": [NAMELESS]}, []),
    "a call without a name, and words": (
        {"content": "Let me see.", "tool_calls": [NAMELESS]},
        [{"role": "assistant", "content": "Let me see."}],
    ),
    "nothing": ({"content": None}, []),
}


@pytest.mark.parametrize("said", AFTERMATH)
def test_after_a_failed_task_the_dialogue_goes_on(said: str, tmp_path: Path) -> None:
    reply, left = AFTERMATH[said]
    with serve(lambda _body: {"role": "assistant"} | reply) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), history="own", ids=("mini_0",))
        asked = [body["messages"] for body in server.requests]
    assert labels(tmp_path / "run") == {f"mini_0/{task}": "error" for task in range(4)}
    assert len(asked) == 4, "each of its tasks needs a call, so each ends with the first reply"
    expected = asked[0]
    assert [message["role"] for message in expected] == ["system", "user"]
    for messages in asked[1:]:
        expected = [*expected, *left, messages[-1]]
        assert messages == expected
        assert messages[-1]["role"] == "user"


ACEBENCH = Path(__file__).parent.parent / "fixtures" / "acebench" / "data_all"


@rows(("verb", "most"), [("run", 25), ("verify", 30), ("generate", 32), ("review", 12), ("probe", 30)])
def test_the_help_is_short_and_every_flag_is_an_option_of_a_group(verb: str, most: int) -> None:
    command: Any = get_command(app).commands[verb]  # type: ignore[attr-defined]
    command.make_context(verb, ["--help"], resilient_parsing=True)
    shown = [one for one in command.params if one.opts[0].startswith("-") and not one.hidden]
    assert len(shown) + 1 <= most  # --help


def test_rare_options_are_listed_and_set() -> None:
    shown = CliRunner().invoke(app, ["run", "--help-all"]).output
    for group in RunOptions.groups().values():
        for one in declared(group):
            assert (one.name in shown.replace("-", "_")) or one.flag in shown
    assert "benchmark.max_turns" in shown


@rows(
    ("given", "error"),
    [
        ("endpoint.timout=5", "did you mean 'endpoint.timeout'?"),
        ("endpoint.timeout=soon", "endpoint.timeout must be a number >= 0.1"),
        ("sampling.top_p=1.5", "must be a number from 0 to 1"),
        ("limits.workers=2", "goes with --engine ray"),
        ("benchmark.max_turns=3", "mini has no such option"),
        ("user.temperature=0", "unknown role of mini"),
    ],
)
def test_what_cannot_be_set_is_named(given: str, error: str) -> None:
    result = CliRunner().invoke(app, ["run", "mini", "-m", "builtin/oracle", "--set", given])
    assert error in str(result.exception)


def test_a_role_may_be_a_pool_of_which_one_is_drawn_per_conversation(tmp_path: Path) -> None:
    users = ["builtin/oracle", "builtin/noisy?rate=0"]
    options: dict[str, Any] = {"data": ACEBENCH, "categories": ("agent_multi_turn",), "out": tmp_path}
    result = toolgauge.run("acebench", "builtin/oracle", roles={"user": users}, **options)
    assert result.outcome.missing == 0
    manifest = json.loads((tmp_path / "run.json").read_text("utf-8"))
    assert {record["name"] for record in manifest["role_models"].values()} == set(users)
    with pytest.raises(UsageError, match="--role"):
        toolgauge.run("acebench", "builtin/oracle", roles={"user": users[0]}, **options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"style": "native"}, "--style: mini has no such option"),
        ({"history": "mine"}, "--history: invalid value 'mine'"),
        ({"own": {"history": 3}}, "--history: invalid value 3"),
    ],
)
def test_options_that_a_benchmark_does_not_take(options: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        toolgauge.run("mini", "builtin/oracle", out=tmp_path / "run", **options)


def test_options_are_shown_without_keys() -> None:
    hidden = {"api_key": "sk-hidden", "base_url": "http://me:letmein@h/v1"}
    roles = {"user": Role((RoleModel("openai/m", "http://me:letmein@u"),), {"api_key": "sk-hidden"})}
    shown = repr(RunOptions.of(find_benchmark("mini"), hidden | {"roles": roles}))
    assert "language='en'" in shown
    assert "sk-hidden" not in shown
    assert "letmein" not in shown


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = MINI_FILE.read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    path = tmp_path / "kitchen.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_a_file_is_run_by_exact_under_its_own_name(file: Path) -> None:
    done = CliRunner().invoke(app, ["run", file.name, "-m", "builtin/oracle"])
    assert done.exit_code == 0, done.output
    assert "kitchen en, exact: task accuracy 100.0%" in done.output
    folder = Path("runs/kitchen/en/builtin_oracle")
    metrics = json.loads((folder / "metrics.json").read_bytes())
    assert (metrics["benchmark"], metrics["data"], list(metrics["scorings"])) == ("sessions", "kitchen", ["exact"])
    again = CliRunner().invoke(app, ["run", "sessions", "--data", file.name, "-m", "builtin/oracle"])
    assert again.exit_code == 0, again.output


def test_a_folder_of_a_generation_gives_the_name(file: Path, tmp_path: Path) -> None:
    made = tmp_path / "made" / "weather"
    made.mkdir(parents=True)
    file.rename(made / "sessions.jsonl")
    assert run("made/weather", "builtin/oracle").folder == Path("runs/weather/en/builtin_oracle")
    made.rename(tmp_path / "tides")
    assert run("tides", "builtin/oracle").folder == Path("runs/tides/en/builtin_oracle")
    (tmp_path / "tides").rename(made)
    assert run("made/weather/sessions.jsonl", "builtin/silent").folder == Path("runs/weather/en/builtin_silent")


def test_a_file_with_a_benchmarks_name_is_told_from_it(file: Path) -> None:
    file.rename("WildToolBench.jsonl")
    metrics = run("WildToolBench.jsonl", "builtin/oracle", out="run").metrics
    assert metrics.title == "WildToolBench.jsonl"


def test_the_data_are_named_once(file: Path) -> None:
    with pytest.raises(UsageError, match="name the data once"):
        run(file.name, "builtin/oracle", data=file)
    with pytest.raises(UsageError, match="name a file with --data"):
        run("sessions", "builtin/oracle")


def manifest(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    return content


def keys(folder: Path) -> list[str]:
    return [line["task_id"] for line in lines(folder / "trajectories.jsonl")]


@pytest.mark.parametrize(
    ("first", "larger"),
    [
        ({"limit": 2}, {"limit": 3}),
        ({"limit": 2}, {"limit": 2, "epochs": 3}),
        ({"ids": ("mini_3",)}, {"ids": ("mini_3", "mini_5/2")}),
    ],
)
def test_a_larger_command_asks_only_what_is_missing(
    first: dict[str, Any], larger: dict[str, Any], tmp_path: Path
) -> None:
    before = go(tmp_path / "run", **first).outcome.done
    result = go(tmp_path / "run", **larger)
    whole = go(tmp_path / "whole", **larger)
    assert result.outcome.done == whole.outcome.done - before > 0
    assert sorted(keys(tmp_path / "run")) == sorted(keys(tmp_path / "whole"))
    assert (tmp_path / "run" / "scores.jsonl").read_bytes() == (tmp_path / "whole" / "scores.jsonl").read_bytes()
    recorded, there = manifest(tmp_path / "run"), manifest(tmp_path / "whole")
    for name in ("selection", "epochs", "tasks", "conversations"):
        assert recorded[name] == there[name]
    assert result.metrics.missing == 0


def test_the_smaller_command_asks_its_part_of_an_unfinished_run(tmp_path: Path) -> None:
    broken = "mini_2/"
    with serve(lambda _body: wire_reply(Reply("Fine.")), faults=lambda _number, _body: status(400)) as server:
        go(tmp_path / "run", "openai/mock", reached=options(server.base_url), limit=1)
    assert not keys(tmp_path / "run")
    go(tmp_path / "run", limit=3, ids=())
    kept = [line for line in (tmp_path / "run" / "trajectories.jsonl").read_text().splitlines() if broken not in line]
    (tmp_path / "run" / "trajectories.jsonl").write_text("".join(f"{line}\n" for line in kept))
    assert go(tmp_path / "run", limit=2).outcome.done == 0
    assert go(tmp_path / "run", limit=2).metrics.missing == 4
    assert go(tmp_path / "run", limit=3).outcome.done == 4


def test_a_first_try_that_failed_leaves_the_folder_free(tmp_path: Path) -> None:
    with serve(faults=lambda _number, _body: status(401)) as server:
        first = go(tmp_path / "run", "openai/mistyped", reached=options(server.base_url + "/v2"), limit=1)
    assert (first.outcome.done, first.outcome.failed) == (0, 4)
    result = go(tmp_path / "run", limit=2)
    assert (result.outcome.done, result.notes) == (8, ())
    assert read_manifest(tmp_path / "run").measured.name == NOISY
    assert "changed" not in manifest(tmp_path / "run")


def test_a_server_that_moved_continues_with_a_note(tmp_path: Path) -> None:
    table = replies(limit=2)
    answered = 0

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return table[json.dumps([body["messages"], body.get("tools")], ensure_ascii=False)]

    def faults(_number: int, _body: dict[str, Any]) -> Any:
        nonlocal answered
        answered += 1
        return status(400) if answered > 6 else None

    with serve(answer, faults) as server:
        old = server.base_url
        go(tmp_path / "run", "openai/mock", reached=options(old), limit=2)
    recorded = len(keys(tmp_path / "run"))
    assert recorded
    with serve(answer) as server:
        new = server.base_url
        moved = options(new, timeout=20.0, api_key="sk-another-key-000000")
        result = go(tmp_path / "run", "openai/mock", reached=moved, limit=2, concurrency=3)
    assert (result.outcome.done, result.outcome.failed) == (8 - recorded, 0)
    assert {note.split(": ", 1)[1] for note in result.notes} == {
        f"continuing with --base-url {new} (was {old})",
        "continuing with endpoint.timeout 20.0 (was 30.0)",
        "continuing with --concurrency 3 (was 8)",
    }
    (change,) = manifest(tmp_path / "run")["changed"]
    assert change["model.base_url"] == [old, new]
    assert change["limits.concurrency"] == [8, 3]
    assert manifest(tmp_path / "run")["model"]["base_url"] == new
    assert go(tmp_path / "run", "openai/mock", reached=moved, limit=2, concurrency=3).notes == ()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"reached": Sampling(temperature=0.5)}, "--temperature none, this command says 0.5"),
        ({"history": "own"}, "--history gold, this command says own"),
        ({"language": "zh"}, "--language en, this command says zh"),
        ({"model": "builtin/oracle"}, "-m builtin/noisy?seed=3&rate=0.4, this command says builtin/oracle"),
    ],
)
def test_another_question_or_model_is_refused_with_both_values(
    changed: dict[str, Any], said: str, tmp_path: Path
) -> None:
    go(tmp_path / "run", limit=1)
    before = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    if isinstance(sampling := changed.get("reached"), Sampling):
        changed = {"reached": options("http://127.0.0.1:9", sampling=sampling)}
    with pytest.raises(UsageError) as caught:
        go(tmp_path / "run", **{"limit": 1, **changed})
    assert f"was run with {said}" in str(caught.value)
    assert str(caught.value).endswith("choose another --out")
    assert {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()} == before
