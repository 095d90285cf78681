"""`toolgauge generate`: every option has an effect, wrong ones are one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.generation.commands import invoke, lines, refused
from tests.generation.replayed_agents import YEAR, Replayed, strangers
from tests.mockserver import Fault, Json, Server, raw, serve, status

ROLES = ("user", "planner", "tool", "agent", "checker")


def read_manifest(folder: Path) -> Json:
    manifest: Json = json.loads((folder / "run.json").read_text("utf-8"))
    return manifest


@pytest.fixture(scope="module")
def one_task(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """Agents for the four dialogues of one task, everybody a stranger."""
    file = strangers(tmp_path_factory.mktemp("scenarios") / "s.jsonl", 4)
    return Replayed(tasks=1, scenarios=file)


@contextmanager
def endpoint(player: Replayed, **served: Any) -> Iterator[tuple[Server, list[object]]]:
    """The agents as an endpoint, and the options that lead to it."""
    with serve(player, **served) as server:
        options = [
            "--tasks",
            1,
            "--set",
            f"dialogues.year={YEAR}",
            "--scenarios",
            player.scenarios,
            "--base-url",
            server.base_url,
        ]
        options += ["--set", "limits.probe=false"]
        yield server, options


def test_the_shape_of_a_multi_tool_task_can_be_dictated(tmp_path: Path) -> None:
    asked = ("--paths", "parallel,sequential,mixed; MX", "--per-path", 2, "--out", tmp_path / "g")
    result = invoke("--demo", *asked)
    assert result.exit_code == 0, result.output
    made = {one["id"]: one["english_task_types"] for one in lines(tmp_path / "g" / "sessions.jsonl")}
    names = {"MP": "Parallel Multi-Tool", "MS": "Sequential Multi-Tool", "MX": "Mixed Multi-Tool"}
    assert len(made) == 4
    for key, types in made.items():
        assert types == [names[code] for code in key.split("-")[1].split(".")]


def test_checks_and_attempts_and_vagueness_are_in_the_manifest(tmp_path: Path) -> None:
    options = ("--attempts", 2, "--vague", 0.5, "--candidates", "--ablation", "--checks=-answer,-duplicates")
    assert invoke("--demo", "--paths", "single", "--out", tmp_path / "a", *options).exit_code == 0
    setup = read_manifest(tmp_path / "a")["setup"]
    assert (setup["attempts"], setup["vague"], setup["candidates"], setup["ablation"]) == (2, 0.5, True, True)
    assert not {"answer", "duplicates"} & set(setup["checks"])
    assert "values" in setup["checks"]
    dialogue = lines(tmp_path / "a" / "trajectories.jsonl")[0]["extra"]["attempts"][0]["dialogue"]
    proposed = [one["text"] for one in dialogue["tasks"][0]["candidates"]]
    assert len(proposed) > 1
    assert lines(tmp_path / "a" / "sessions.jsonl")[0]["origin"]["candidates"] == [proposed]
    assert (tmp_path / "a" / "dialogues.md").read_text("utf-8").count("\n- ") >= len(proposed)
    assert invoke("--demo", "--paths", "single", "--out", tmp_path / "b", "--checks", "path,language").exit_code == 0
    assert read_manifest(tmp_path / "b")["setup"]["checks"] == ["path", "language"]
    assert "unknown check 'prettiness'" in refused("--demo", "--checks=-prettiness", "--out", tmp_path / "c")


def test_tools_of_ones_own(tmp_path: Path) -> None:
    properties = {"flock": {"type": "string"}, "night": {"type": "string", "format": "date"}}
    parameters = {"type": "object", "properties": properties, "required": ["flock"]}
    definition: Json = {"name": "count_sheep", "description": "Counts sheep.", "parameters": parameters}
    tools = tmp_path / "tools.jsonl"
    tools.write_text(json.dumps([definition]) + "\n", "utf-8")
    result = invoke("--demo", "--tools", tools, "--tasks", 2, "--out", tmp_path / "g")
    assert result.exit_code == 0, result.output
    assert "count_sheep" in (tmp_path / "g" / "sessions.jsonl").read_text("utf-8")
    assert read_manifest(tmp_path / "g")["tools"]["name"] == "tools"
    tools.write_text("[{]\n", "utf-8")
    assert f"{tools}" in refused("-m", "openai/mock", "--tools", tools)
    tools.write_text(json.dumps({"tools": [definition], "language": "zh"}), "utf-8")
    assert "no tool list for language en" in refused("-m", "openai/mock", "--tools", tools)
    definition["parameters"]["properties"]["flock"]["pattern"] = "^[A-Z]{3}/[0-9]{9}$"
    tools.write_text(json.dumps([definition]) + "\n", "utf-8")
    assert "cannot make up values" in refused("--demo", "--tools", tools, "--paths", "chat", "--out", tmp_path / "h")


def test_nothing_accepted_says_why_and_is_a_failure(tmp_path: Path) -> None:
    with serve(lambda _body: {"role": "assistant", "content": "no JSON"}) as server:
        options = ("--base-url", server.base_url, "--set", "limits.probe=false", "--paths", "single; chat")
        result = invoke("-m", "openai/mock", "--out", tmp_path / "g", *options, "--attempts", 2)
    assert result.exit_code == 1
    assert "Dialogues accepted: 0 of 2, given up: 2" in result.output
    assert "Attempts rejected: 4 (no usable reply from the user 4)" in result.output
    assert "for example en-ST-0: user_" in result.output
    assert "No dialogue was accepted" in result.output


def test_replies_are_held_to_their_schema_where_the_endpoint_can(tmp_path: Path, one_task: Replayed) -> None:
    """A server elsewhere that is called OpenAI may refuse what it does not know."""
    for provider, is_held in (("vllm", True), ("openai", False), ("together", False)):
        with endpoint(one_task) as (server, options):
            out = tmp_path / provider
            key = ("--set", "endpoint.api_key=sk-none")
            assert invoke("-m", f"{provider}/mock", *options, *key, "--out", out).exit_code == 0
        formats = [body.get("response_format") for body in server.requests]
        assert all(one is not None and one["type"] == "json_schema" for one in formats) is is_held
        assert not any(body.get("tools") for body in server.requests)


def test_a_model_that_may_cost_money_is_asked_for_few_dialogues(tmp_path: Path) -> None:
    result = invoke("-m", "openai/gpt-4o-mini", "--estimate", "--out", tmp_path / "g")
    assert "Dialogues to make (en): 16" in result.output
    assert "16 sampled paths" in result.output
    here = invoke("-m", "vllm/x", "--tasks", 3, "--estimate", "--out", tmp_path / "g")
    assert "Dialogues to make (en): 64" in here.output


def test_a_generation_of_an_earlier_version_is_refused_in_a_line(tmp_path: Path) -> None:
    asked = ("--demo", "--paths", "chat", "--out", tmp_path)
    assert invoke(*asked).exit_code == 0
    manifest = read_manifest(tmp_path) | {"generation": 2, "toolgauge": "0.1.0"}
    (tmp_path / "run.json").write_text(json.dumps(manifest), "utf-8")
    assert "made by toolgauge 0.1.0, whose generations this version cannot continue" in refused(*asked)
    assert "0.1.0" in refused(*asked, "--estimate")


def test_every_role_can_have_its_model_and_its_server(tmp_path: Path) -> None:
    """Each of five servers gets the requests of one role, for the model that was named for it."""
    from contextlib import ExitStack

    agents = Replayed(apart=True, tasks=1, scenarios=strangers(tmp_path / "s.jsonl", 4))
    with ExitStack() as stack:
        servers = {role: stack.enter_context(serve(agents)) for role in ROLES}
        options: list[object] = ["--tasks", 1, "--set", f"dialogues.year={YEAR}", "--scenarios", agents.scenarios]
        options += ["--set", "limits.probe=false", "--out", tmp_path / "run"]
        for role, server in servers.items():
            options += ["--role", f"{role}=openai/{role}-1@{server.base_url}"]
        assert invoke(*options).exit_code == 0
    for role, server in servers.items():
        assert {body["model"] for body in server.requests} <= {f"{role}-1"}
        assert server.requests or role == "checker"
    models = read_manifest(tmp_path / "run")["models"]
    assert {role: models[role]["name"] for role in ROLES} == {role: f"openai/{role}-1" for role in ROLES}


def test_sampling_and_key_are_really_passed_on(tmp_path: Path, one_task: Replayed) -> None:
    arguments = ["--temperature", 0.3, "--max-tokens", 99]
    arguments += ["--set", "sampling.top_p=0.8", "--set", "sampling.seed=5", "--set", "sampling.reasoning_effort=low"]
    with endpoint(one_task) as (server, options):
        extra = (
            "--set",
            'sampling.extra_body={"top_k": 7}',
            "--set",
            "endpoint.api_key=sk-secret",
            "--set",
            "endpoint.timeout=20",
            "--set",
            "endpoint.max_attempts=2",
        )
        result = invoke(
            "-m", "openai/mock", *options, *arguments, *extra, "--set", "endpoint.patience=0", "--out", tmp_path
        )
    assert result.exit_code == 0, result.output
    for body in server.requests:
        assert (body["temperature"], body["top_p"], body["seed"], body["top_k"]) == (0.3, 0.8, 5, 7)
        assert body["reasoning_effort"] == "low"
        assert 99 in (body.get("max_tokens"), body.get("max_completion_tokens"))
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-secret"}
    assert "sk-secret" not in (tmp_path / "run.json").read_text("utf-8")
    assert read_manifest(tmp_path)["sampling"]["temperature"] == 0.3


def test_budgets_end_a_generation_that_goes_on_later(tmp_path: Path, one_task: Replayed) -> None:
    with endpoint(one_task) as (server, options):
        stopped = invoke("-m", "openai/mock", *options, "--set", "limits.max_tokens_total=100", "--out", tmp_path)
        assert stopped.exit_code == 1
        assert "Stopped early: budget exhausted" in stopped.output
        assert "the same command asks again" in stopped.output
        begun = len(server.requests)
        result = invoke("-m", "openai/mock", *options, "--out", tmp_path)
        assert result.exit_code == 0, result.output
        assert len(server.requests) == one_task.steps > begun
    message = refused(
        "-m", "openai/mock", "--max-cost", 1, "--paths", "chat", "--out", tmp_path / "x", "--set", "limits.probe=false"
    )
    assert "--max-cost: no price is known for openai/mock" in message


def test_an_endpoint_that_is_not_there_is_said_at_once(tmp_path: Path, one_task: Replayed) -> None:
    with serve(one_task, faults=lambda _number, _body: status(500)) as server:
        options = (
            "--base-url",
            server.base_url,
            "--set",
            "endpoint.max_attempts=1",
            "--set",
            "endpoint.patience=0",
            "--out",
            tmp_path,
        )
        assert "limits.probe=false" in refused("-m", "openai/mock", "--paths", "chat", *options)
        result = invoke("-m", "openai/mock", "--paths", "chat", *options, "--set", "limits.probe=false")
    assert result.exit_code == 1
    assert "Dialogues accepted: 0 of 1, given up: 0, not there yet: 1" in result.output


def test_layer_by_layer(tmp_path: Path) -> None:
    assert invoke("--demo", "--paths", "single; chat", "--out", tmp_path / "one").exit_code == 0
    sessions = tmp_path / "one" / "sessions.jsonl"
    result = invoke(
        "--demo",
        "--resume-from",
        sessions,
        "--set",
        "dialogues.layer=2",
        "--checks=-context",
        "--out",
        tmp_path / "two",
    )
    assert result.exit_code == 0, result.output
    made = lines(tmp_path / "two" / "sessions.jsonl")
    assert {len(record["english_tasks"]) for record in made} == {2}
    assert len(made) == 8
    assert "must be 3 for dialogues.layer 4, not 1" in refused(
        "--demo", "--resume-from", sessions, "--set", "dialogues.layer=4"
    )


def test_examples_of_ones_own_guide_later_tasks(tmp_path: Path) -> None:
    example = {
        "id": "mine", "pattern": "echo", "group": "own", "subtype": "coreference",
        "kinds": ["single", "multi", "clarify", "chat"],
        "earlier": [{"task": "a", "reply": "b"}], "task": "c", "meaning": "d",
    }  # fmt: skip
    file = tmp_path / "examples.jsonl"
    file.write_text(json.dumps(example) + "\n", "utf-8")
    assert invoke("--demo", "--paths", "chat,chat", "--examples", file, "--out", tmp_path / "g").exit_code == 0
    tasks = lines(tmp_path / "g" / "trajectories.jsonl")[0]["extra"]["attempts"][0]["dialogue"]["tasks"]
    assert (tasks[1]["example"], tasks[1]["pattern"]) == ("mine", "echo")
    file.write_text("{}\n", "utf-8")
    assert f"{file}:1" in refused("--demo", "--examples", file)


def test_another_model_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    assert invoke("--demo", "--paths", "chat", "--out", tmp_path).exit_code == 0
    assert "was run with --seed 0, this command says 1" in refused(
        "--demo", "--paths", "chat", "--out", tmp_path, "--seed", 1
    )
    assert "the role user has no model" in refused("--paths", "chat", "--out", tmp_path)


def test_replies_that_ran_out_of_tokens_are_counted(one_task: Replayed, tmp_path: Path) -> None:
    def cut(_number: int, body: Json) -> Fault | None:
        """Two whole decisions of the planner, the last thing for which there was room."""
        message = one_task(body)
        if "Action_List" not in message["content"] or len(ended) == 2:
            return None
        ended.append(message)
        return raw({"choices": [{"index": 0, "message": message, "finish_reason": "length"}]})

    ended: list[Json] = []
    with endpoint(one_task, faults=cut) as (_, options):
        result = invoke("-m", "openai/m", *options, "--out", tmp_path)
    assert "cut off by the token limit: 2 (" in result.output, result.output
    assert json.loads((tmp_path / "coverage.json").read_bytes())["cut_off"] == {"planner": 2}
