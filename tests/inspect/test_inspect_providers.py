"""Inspect's own providers against a server on the loopback: what the model wrote arrives at our judge as it was."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

if importlib.util.find_spec("inspect_ai") is None:
    pytest.skip("Inspect AI is not installed; make inspect installs it", allow_module_level=True)

from inspect_ai import eval_retry

from tests.inspect.evaluating import attempt, evaluate, labels_of, ours, plain, texts_of
from tests.mockserver import Fault, Server, serve, status
from toolgauge.api import plan_run
from toolgauge.errors import ToolgaugeError
from toolgauge.models.model import Sampling

pytestmark = pytest.mark.inspect

KEY = "sk-4f0c2a7d-never-to-be-seen"
SESSIONS = 8
BENT = ("{}", '{}""', '{"a": 1', "Lisbon", "[1]", "", "null", '{"a": NaN}')
"""Texts of arguments. Inspect's parser makes something of all but the third."""


def answers() -> dict[str, dict[str, Any]]:
    """What the oracle says first in each task of mini, by the task's utterance; its arguments bent in turn."""
    plan = plan_run("mini", "builtin/oracle")
    found = {}
    for number, sample in enumerate(plan.samples[: SESSIONS * 4]):
        request = next(plan.episode(sample))
        assert request.gold_hint is not None
        message = request.gold_hint.reply.message().wire()
        for call in message.get("tool_calls", ())[: number % 3]:
            call["function"]["arguments"] = BENT[number % len(BENT)]
        found[str(request.messages[-1].content)] = message
    return found


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Server]:
    known = answers()
    refused = {"role": "assistant", "content": "That is all.", "reasoning_content": "Nothing is left."}

    def answer(body: dict[str, Any]) -> dict[str, Any]:
        return known.get(str(body["messages"][-1]["content"]), refused)

    failing = iter(range(10_000))

    def fault(_number: int, _body: dict[str, Any]) -> Any:
        return status(400, f"refused for {KEY}") if next(failing) in refusing else None

    with serve(answer, fault) as running:
        monkeypatch.setenv("LOCAL_BASE_URL", running.base_url)
        monkeypatch.setenv("LOCAL_API_KEY", KEY)
        monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
        yield running


refusing: set[int] = set()
"""Numbers of the requests that the server refuses."""


def model_at(server: Server) -> str:
    """A name of its own for each server: Inspect keeps models by name, and with them the address."""
    return f"openai-api/local/mock-{server.base_url.split(':')[2].removesuffix('/v1')}"


def test_arguments_are_judged_as_they_were_written_from_the_cache_too(server: Server, tmp_path: Path) -> None:
    direct, _ = ours("mini", "openai/mock", tmp_path / "run", limit=SESSIONS, base_url=server.base_url, api_key="none")
    assert {"bad_json", None} <= {readings["exact"]["mistake"] for readings in direct.values()}
    asked = {"task_args": {"sessions": SESSIONS}, "cache": True}
    assert labels_of(evaluate("toolgauge/mini", model_at(server), tmp_path / "logs", **asked)) == plain(direct)
    before = len(server.requests)
    assert labels_of(evaluate("toolgauge/mini", model_at(server), tmp_path / "logs", **asked)) == plain(direct)
    assert len(server.requests) == before
    assert KEY.encode() not in texts_of(tmp_path / "logs")
    through, _ = ours("mini", f"inspect/{model_at(server)}", tmp_path / "through", limit=SESSIONS)
    assert through == direct
    assert KEY.encode() not in texts_of(tmp_path / "through")


def test_nothing_of_the_annotation_is_sent(server: Server, tmp_path: Path) -> None:
    evaluate("toolgauge/mini", model_at(server), tmp_path, task_args={"ids": "mini_0/0"})
    plan = plan_run("mini", "builtin/oracle")
    request = next(plan.episode(plan.samples[0]))
    body = server.requests[0]
    assert set(body) <= {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "max_tokens"}
    assert [message["role"] for message in body["messages"]] == [message.role for message in request.messages]
    assert [tool["function"]["name"] for tool in body["tools"]] == [tool.name for tool in request.tools]
    assert [tool["function"]["parameters"] for tool in body["tools"]] == [tool.parameters for tool in request.tools]


def test_an_interrupted_evaluation_is_retried(server: Server, tmp_path: Path) -> None:
    direct, _ = ours("mini", "openai/mock", tmp_path / "run", limit=SESSIONS, base_url=server.base_url, api_key="none")
    begun = len(server.requests)
    refusing.add(begun + 20)
    try:
        broken = attempt(
            "toolgauge/mini", model_at(server), tmp_path / "logs", task_args={"sessions": SESSIONS}, max_samples=2
        )
    finally:
        refusing.clear()
    assert broken.status == "error"
    done = {sample.uuid for sample in broken.samples if sample.scores}
    assert done
    (log,) = eval_retry(broken, log_dir=str(tmp_path / "logs"), display="none", log_level="error")
    assert log.status == "success"
    assert labels_of(log) == plain(direct)
    assert done <= {sample.uuid for sample in log.samples}


def test_sampling_goes_through_and_errors_name_no_key(server: Server, tmp_path: Path) -> None:
    chosen = Sampling(temperature=0.25, max_tokens=77, seed=5, stop="END", tool_choice="required")
    ours("mini", f"inspect/{model_at(server)}", tmp_path / "run", limit=1, sampling=chosen)
    body = server.requests[0]
    assert (body["temperature"], body["max_tokens"], body["seed"]) == (0.25, 77, 5)
    assert (body["stop"], body["tool_choice"]) == (["END"], "required")
    manifest = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert manifest["model"]["provider"] == "inspect"
    refusing.update(range(1000))
    try:
        result = _run(server, tmp_path / "failed")
    finally:
        refusing.clear()
    assert result
    assert "refused for ***" in result
    assert KEY not in result


def _run(server: Server, folder: Path) -> str:
    import toolgauge

    toolgauge.run("mini", f"inspect/{model_at(server)}", out=folder, limit=1, max_attempts=1)
    return (folder / "failures.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", ["context_length_exceeded", "x"])
def test_a_conversation_that_is_too_long_is_a_failure_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    import toolgauge

    said = {"message": "This model's maximum context length is 4096 tokens.", "code": code, "type": "x"}
    too_long = Fault(status=400, body=json.dumps({"error": said}).encode())
    with serve(lambda _body: {"content": "Hm."}, lambda _number, _body: too_long) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
        monkeypatch.setenv("LOCAL_API_KEY", KEY)
        result = toolgauge.run("mini", f"inspect/{model_at(server)}", out=tmp_path / "run", limit=1)
        assert (result.outcome.failed, result.outcome.overflowed, len(server.requests)) == (4, 4, 4)


@pytest.mark.parametrize("model", ["inspect/openai", "inspect/nobody/x", "inspect/openai-api/absent/x"])
def test_a_model_that_cannot_be_opened_says_so(model: str, tmp_path: Path) -> None:
    with pytest.raises(ToolgaugeError, match="inspect/"):
        plan_run("mini", model, out=tmp_path)
